package txn

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// reachable returns every state that the cycle can be in, in order of discovery.
func reachable(m Mode) []State {
	seen := map[State]bool{{}: true}
	queue := []State{{}}
	for i := 0; i < len(queue); i++ {
		for e := Output; e <= Failed; e++ {
			next, effects := queue[i].Step(m, e)
			if !slices.Contains(effects, Illegal) && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return queue
}

func TestCycleTable(t *testing.T) {
	var b strings.Builder
	for m, name := range []string{"exactly once (transactional)", "at least once (idempotent)"} {
		fmt.Fprintf(&b, "# %s\n# state, event -> state: effects. An event that is not listed cannot happen in that state.\n\n", name)
		for _, s := range reachable(Mode(m)) {
			fmt.Fprintf(&b, "%s\n", s)
			for e := Output; e <= Failed; e++ {
				next, effects := s.Step(Mode(m), e)
				if slices.Contains(effects, Illegal) {
					continue
				}
				line := fmt.Sprintf("    %-16s-> %-18s%s", e, next, effectList(effects))
				fmt.Fprintln(&b, strings.TrimRight(line, " "))
			}
			fmt.Fprintln(&b)
		}
	}
	const golden = "testdata/cycle.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "the table of the cycle has changed: read the difference, then run with -update")
}
