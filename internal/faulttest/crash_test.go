//go:build linux

package faulttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var steps = []string{"S0", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9"}

// recovery is how soon a restarted process must commit again.
const recovery = 3 * time.Second

// crashSame kills a worker at every step and starts it again with the same
// identity; each run is killed in its turn.
func crashSame(t *testing.T, bootstrap string, n int, opts ...rigOption) {
	r := newRig(t, bootstrap, opts...)
	var took []time.Duration
	note := func(p *process) {
		if d, ok := p.firstCommit(); ok {
			took = append(took, d)
			if d > time.Second {
				t.Logf("%s was slow to commit: %s", p.failure, d)
			}
		}
	}
	for round := range n {
		for _, step := range steps {
			p := r.start("a", failAt(step, 1+r.random.IntN(12), "kill9"))
			p.awaitDeath(t)
			if round > 0 || step != steps[0] {
				note(p)
			}
		}
	}
	p := r.start("a")
	r.awaitProgress(patience)
	note(p)
	r.requireExact()
	t.Logf("%d kills; from start to first commit: %s", n*len(steps), spread(took))
	require.NotEmpty(t, took)
	for _, d := range took {
		require.Less(t, d, recovery, "a restarted worker was slow to commit again: %s", spread(took))
	}
}

// crashOther kills a worker at every step and lets another instance take over.
func crashOther(t *testing.T, bootstrap string, n int, which []string, opts ...rigOption) {
	r := newRig(t, bootstrap, opts...)
	var took []time.Duration
	for round := range n {
		for _, step := range which {
			// Another instance begins at its own time: its first passes may come before the group has settled.
			p := r.start(fmt.Sprintf("%s-%d", step, round), failAt(step, 1+r.random.IntN(12), "kill9"))
			p.awaitDeath(t)
			if d, ok := p.firstCommit(); ok {
				took = append(took, d)
			}
		}
	}
	r.start("last")
	r.awaitProgress(patience)
	r.requireExact()
	t.Logf("%d kills; from the successor's start to its first commit: %s", n*len(which), spread(took))
}
