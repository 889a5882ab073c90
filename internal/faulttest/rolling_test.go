//go:build linux

package faulttest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/kafkatest"
)

// TestRollingRestart ends three instances in order, one after the other, and
// starts each again.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	kafkatest.Need(t)
	r := newRig(t, kafkatest.Shared(t).Bootstrap())
	running := map[string]*process{}
	names := []string{"a", "b", "c"}
	for _, name := range names {
		running[name] = r.start(name)
	}
	await(t, patience, "all instances work", func() bool {
		for _, p := range running {
			if len(p.said("committed")) == 0 {
				return false
			}
		}
		return true
	})
	first, restarts := r.generation(), 0
	for range rounds(t, 1) {
		for _, name := range names {
			require.Equal(t, exitClean, running[name].terminate(t), running[name].troubles())
			p := r.start(name)
			running[name] = p
			restarts++
			await(t, patience, name+" works again", func() bool { return len(p.said("committed")) > 0 })
		}
	}
	generations := r.generation() - first
	r.requireExact()
	// Leaving, joining, and two rounds each in which partitions change hands; twice
	// that on a machine so busy that heartbeats come late. A cascade has no bound.
	require.LessOrEqual(t, generations, int32(12*restarts), "a restart must not make the group rebalance again and again")
	aborts := 0
	for _, p := range r.processes {
		require.Empty(t, p.said("fenced; joining the group anew"), "a rolling restart fences nobody%s", p.troubles())
		aborts += len(p.said("aborted; reading again from the committed offsets"))
	}
	// A transaction that a rebalance overtakes is done again, in place.
	require.LessOrEqual(t, aborts, 4*len(names)*restarts)
	t.Logf("%d restarts took %d generations and %d aborts", restarts, generations, aborts)
}

// generation returns the newest generation of the group that a worker has told of.
func (r *rig) generation() int32 {
	var newest int32
	for _, p := range r.processes {
		for _, l := range p.said("assigned") {
			newest = max(newest, l.Generation)
		}
	}
	return newest
}

// TestWeakerGuarantees kills workers under the other two guarantees.
func TestWeakerGuarantees(t *testing.T) {
	t.Parallel()
	kafkatest.Need(t)
	bootstrap := kafkatest.Shared(t).Bootstrap()
	for guarantee, allowed := range map[string]allowance{
		"at_least_once": {duplicates: true},
		"at_most_once":  {losses: true},
	} {
		t.Run(guarantee, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, bootstrap, withGuarantee(guarantee))
			which := []string{"S0", "S1", "S2", "S3", "S8", "S9"}
			if guarantee == "at_most_once" {
				// Nothing is committed in transactions, so the cycle passes fewer steps.
				which = []string{"S0", "S8", "S9"}
			}
			for range rounds(t, 2) {
				for _, step := range which {
					p := r.start("a", failAt(step, 1+r.random.IntN(8), "kill9"))
					p.awaitDeath(t)
				}
			}
			r.start("a")
			r.awaitProgress(patience)
			v := r.finish(allowed)
			require.Empty(t, v.faults, fmt.Sprint(v))
			if full() {
				// What is allowed does happen, or the kills would prove nothing about the other guarantee.
				require.Positive(t, v.duplicates+v.missing)
			}
		})
	}
}
