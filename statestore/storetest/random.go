package storetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/statestore"
)

// random applies random changes to a base and to a map, and compares. It
// returns the base, which may have been reopened.
func random(t *testing.T, r *rapid.T, b statestore.Base, round int) statestore.Base {
	name := fmt.Sprintf("random-%d", round)
	key := rapid.StringOfN(rapid.SampledFrom([]rune{0, 'a', 'b', 'ÿ'}), 0, 3, -1)
	model := map[string]string{}
	bound := func(label string) []byte {
		if rapid.Bool().Draw(r, label+" is nil") {
			return nil
		}
		return []byte(key.Draw(r, label))
	}
	within := func(k string, from, to []byte) bool {
		return k >= string(from) && (to == nil || k < string(to))
	}
	for range rapid.IntRange(1, 8).Draw(r, "steps") {
		c := &statestore.Changes{Position: statestore.Position{Changelogs: map[string]int64{name: rapid.Int64Min(0).Draw(r, "position")}}}
		for range rapid.IntRange(0, 1).Draw(r, "drops") {
			d := statestore.Range{Store: name, From: bound("from"), To: bound("to")}
			c.Drops = append(c.Drops, d)
			maps.DeleteFunc(model, func(k, _ string) bool { return within(k, d.From, d.To) })
		}
		for range rapid.IntRange(0, 6).Draw(r, "writes") {
			k := key.Draw(r, "key")
			w := statestore.Write{Store: name, Key: []byte(k)}
			delete(model, k)
			if rapid.IntRange(0, 3).Draw(r, "put") > 0 {
				model[k] = rapid.StringN(0, 2, -1).Draw(r, "value")
				w.Value = []byte(model[k])
			}
			c.Writes = append(c.Writes, w)
		}
		require.NoError(r, b.Apply(c))
		if o, ok := b.(Reopener); ok && rapid.IntRange(0, 19).Draw(r, "reopen") == 0 {
			b = o.Reopen(t)
		}

		p, err := b.Position()
		require.NoError(r, err)
		require.Equal(r, c.Position.Changelogs, p.Changelogs)
		from, to := bound("scan from"), bound("scan to")
		var want []pair
		for _, k := range slices.Sorted(maps.Keys(model)) {
			if within(k, from, to) {
				want = append(want, pair{k, model[k]})
			}
		}
		require.Equal(r, want, rest(r, b.Scan(name, from, to, false)))
		require.Equal(r, reversed(want), rest(r, b.Scan(name, from, to, true)))
		k := key.Draw(r, "get")
		v, ok := get(r, b, name, k)
		expected, there := model[k]
		require.Equal(r, there, ok)
		require.Equal(r, expected, v)
	}
	return b
}
