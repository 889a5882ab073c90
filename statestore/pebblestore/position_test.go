package pebblestore

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/statestore"
)

func TestPositionRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := statestore.Position{Changelogs: rapid.MapOf(rapid.String(), rapid.Int64()).Draw(r, "changelogs")}
		got, err := parsePosition(appendPosition(nil, p))
		require.NoError(r, err)
		require.Equal(r, p, got)
	})
}

func FuzzParsePosition(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add(appendPosition(nil, statestore.Position{Changelogs: map[string]int64{"a": 1, "": math.MinInt64}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parsePosition(b)
		if err != nil {
			require.ErrorIs(t, err, errPosition)
			return
		}
		again, err := parsePosition(appendPosition(nil, p))
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}

// TestKeys: keys of a store are in its bounds, in order, and no other store's are.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		draw := func(label string) (uint32, uint16, []byte) {
			return rapid.Uint32Range(1, math.MaxUint32-1).Draw(r, label+" task"), rapid.Uint16Min(1).Draw(r, label+" store"),
				rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(r, label+" key")
		}
		task, store, key := draw("one")
		otherTask, otherStore, otherKey := draw("other")
		if rapid.Bool().Draw(r, "same store") {
			otherTask, otherStore = task, store
		}
		one, other := string(appendKey(nil, task, store, key)), string(appendKey(nil, otherTask, otherStore, otherKey))
		lower, upper := bounds(task, store, nil, nil)
		require.True(r, string(lower) <= one && one < string(upper))
		same := task == otherTask && store == otherStore
		require.Equal(r, same, string(lower) <= other && other < string(upper))
		if same {
			require.Equal(r, string(key) < string(otherKey), one < other)
		}
	})
}
