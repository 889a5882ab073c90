package statestore_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

type session = statestore.SessionEntry[string, string]

var sessions = statestore.NewSession("s", codec.String, codec.String, statestore.SessionConfig{Retention: 5 * time.Minute})

func TestSession(t *testing.T) {
	s := declared(t, statestore.NewMemory(), sessions)
	h := sessions.Open(s)
	kept, err := h.Put("k", 0, 10, "v")
	require.NoError(t, err)
	require.True(t, kept)
	v, ok, err := h.Get("k", 0, 10)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "v", v)
	_, ok, err = h.Get("k", 0, 11)
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, h.Delete("k", 0, 10))
	_, err = h.Put("k", 5, 20, "merged")
	require.NoError(t, err)
	require.Equal(t, []session{{"k", 5, 20, "merged"}}, list(t, statestore.Find(h, "k", 0, 1000)))
	require.Empty(t, list(t, statestore.Find(h, "k", 21, 1000)))
	require.Empty(t, list(t, statestore.Find(h, "k", 0, 4)))
	_, err = h.Put("k", 5, 4, "v")
	require.ErrorIs(t, err, statestore.ErrTime)

	other := sessions.Open(replay(t, s, sessions))
	observed, err := other.ObservedTime()
	require.NoError(t, err)
	require.EqualValues(t, 20, observed)
	kept, err = other.Put("k", 0, 20*minute, "long")
	require.NoError(t, err)
	require.True(t, kept)
	kept, err = other.Put("k", 0, 15*minute, "late")
	require.NoError(t, err)
	require.False(t, kept)
	require.Equal(t, []session{{"k", 0, 20 * minute, "long"}}, list(t, statestore.FindAll(other, 0, 1000)))
}

func TestSessionsAgainstModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := declared(r, statestore.NewMemory(), sessions)
		h := sessions.Open(s)
		var model []session
		observed := int64(-1)
		key := rapid.SampledFrom([]string{"a", "b", "a\x00"})
		time := rapid.Int64Range(0, 12).Draw
		r.Repeat(map[string]func(*rapid.T){
			"put": func(r *rapid.T) {
				e := session{Key: key.Draw(r, "key"), Start: time(r, "start") * minute, Value: rapid.StringN(0, 2, -1).Draw(r, "value")}
				e.End = e.Start + time(r, "length")*minute
				observed = max(observed, e.End)
				remove := rapid.IntRange(0, 3).Draw(r, "delete") == 0
				model = slices.DeleteFunc(model, func(o session) bool {
					return o.End <= observed-5*minute || o.Key == e.Key && o.Start == e.Start && o.End == e.End
				})
				if remove {
					require.NoError(r, h.Delete(e.Key, e.Start, e.End))
					return
				}
				kept, err := h.Put(e.Key, e.Start, e.End, e.Value)
				require.NoError(r, err)
				require.Equal(r, e.End > observed-5*minute, kept)
				if kept {
					model = append(model, e)
				}
			},
			"commit": func(r *rapid.T) { commit(r, s) },
			"": func(r *rapid.T) {
				k, earliestEnd, latestStart := key.Draw(r, "key"), time(r, "end")*minute, time(r, "start")*minute
				var one, all []session
				for _, e := range model {
					if e.End >= earliestEnd && e.Start <= latestStart {
						all = append(all, e)
						if e.Key == k {
							one = append(one, e)
						}
					}
				}
				slices.SortFunc(one, func(a, b session) int { return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Start, b.Start)) })
				require.Equal(r, one, list(r, statestore.Find(h, k, earliestEnd, latestStart)))
				require.ElementsMatch(r, all, list(r, statestore.FindAll(h, earliestEnd, latestStart)))
			},
		})
	})
}
