//go:build linux

package faulttest

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFrozen stops a worker at the steps of the commit cycle for longer than its
// session and its transaction may last, lets another one take over, and wakes it.
func TestFrozen(t *testing.T) {
	for _, version := range []int{2, 1, 0} {
		t.Run(fmt.Sprintf("v%d", version), func(t *testing.T) {
			t.Parallel()
			bootstrap, _ := cluster(t, version)
			which := []string{"S2", "S3", "S4", "S5", "S6"}
			for _, step := range which {
				if version != 2 && !full() && step != "S3" && step != "S6" {
					continue // a sample of the older versions is enough for every commit
				}
				t.Run(step, func(t *testing.T) {
					t.Parallel()
					freeze(t, bootstrap, step, rounds(t, 1))
				})
			}
		})
	}
}

func freeze(t *testing.T, bootstrap, step string, n int) {
	r := newRig(t, bootstrap)
	other := r.start("b")
	r.awaitProgress(patience)
	reasons := map[string]int{}
	for range n {
		frozen := r.start("a", failAt(step, 3+r.random.IntN(20), "stop"))
		await(t, patience, "a stops at "+step, func() bool {
			require.False(t, frozen.ended(), "a ended before it came to %s%s", step, frozen.troubles())
			return frozen.stopped()
		})
		before := len(other.said("assigned"))
		await(t, patience, "b has taken over", func() bool { return len(other.said("assigned")) > before })
		r.awaitProgress(patience)
		commits := len(frozen.said("committed"))
		frozen.signal(t, syscall.SIGCONT)
		await(t, patience, "a is committing again or has ended", func() bool {
			return frozen.ended() || len(frozen.said("committed")) > commits+3
		})
		if frozen.ended() {
			require.Equal(t, exitFenced, frozen.cmd.ProcessState.ExitCode(), "a ended otherwise than by a fence%s", frozen.troubles())
			reasons["exit"]++
		}
		fences := frozen.matching(func(l logged) bool {
			return l.Message == "aborted; reading again from the committed offsets" || l.Message == "fenced; joining the group anew" || l.Message == "lost"
		})
		require.NotEmpty(t, fences, "a was frozen in a transaction at %s and does not say that it lost it", step)
		for _, f := range fences {
			reasons[f.Message+" "+f.Cause+f.Error]++
		}
		if !frozen.ended() {
			require.Equal(t, exitClean, frozen.terminate(t), frozen.troubles())
		}
	}
	r.requireExact()
	for reason, count := range reasons {
		t.Logf("%d× %s", count, reason)
	}
}
