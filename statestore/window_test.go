package statestore_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

const minute = 60_000

type window = statestore.WindowEntry[string, string]

func windows(duplicates bool) statestore.Window[string, string] {
	return statestore.NewWindow("w", codec.String, codec.String,
		statestore.WindowConfig{Size: time.Minute, Retention: 5 * time.Minute, Duplicates: duplicates})
}

func TestWindowExpires(t *testing.T) {
	spec := windows(false)
	base := statestore.NewMemory()
	s := declared(t, base, spec)
	h := spec.Open(s)
	for _, start := range []int64{0, 1 * minute, 4 * minute, 5*minute - 1} {
		kept, err := h.Put("k", start, "v", start+1)
		require.NoError(t, err)
		require.True(t, kept)
	}
	commit(t, s)
	kept, err := h.Put("k", 5*minute, "v", 0)
	require.NoError(t, err)
	require.True(t, kept)
	for _, start := range []int64{0, 1} {
		_, _, ok, err := h.Get("k", start)
		require.NoError(t, err)
		require.False(t, ok)
	}
	kept, err = h.Put("k", 0, "late", 0)
	require.NoError(t, err)
	require.False(t, kept, "not after observed time - retention")
	kept, err = h.Put("k", 1, "in time", 0)
	require.NoError(t, err)
	require.True(t, kept)
	require.Len(t, list(t, statestore.FetchAll(h, 0, 9*minute)), 5)

	_, err = h.Put("k", 9*minute, "v", 0)
	require.NoError(t, err)
	require.Len(t, logged(t, s), 2, "what has expired is not logged")
	require.NoError(t, s.Commit(nil))
	require.Len(t, content(t, open(t, s, "w"), nil, nil), 4, "the first segment, of 150 s, is dropped")

	observed, err := h.ObservedTime()
	require.NoError(t, err)
	require.EqualValues(t, 9*minute, observed)
	again := declared(t, base, spec)
	observed, err = spec.Open(again).ObservedTime()
	require.NoError(t, err)
	require.EqualValues(t, 9*minute, observed, "found again after a restart")
}

func TestObservedTimeFollowsTheTransaction(t *testing.T) {
	spec := windows(false)
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	put := func(start int64) {
		_, err := h.Put("k", start, "v", 0)
		require.NoError(t, err)
	}
	observed := func(want int64) {
		t.Helper()
		got, err := h.ObservedTime()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	observed(-1)
	put(10)
	commit(t, s)
	s.Mark()
	put(100 * minute)
	s.Rollback()
	observed(10)
	require.Len(t, list(t, statestore.Fetch(h, "k", 0, 100)), 1, "the dropped segment is back")
	put(20)
	logged(t, s)
	put(30)
	observed(30)
	s.Abort()
	observed(10)
	put(15)
	logged(t, s)
	put(16)
	require.NoError(t, s.Commit(nil))
	s.Abort()
	observed(15)
}

func TestFetchKeepsKeysApart(t *testing.T) {
	spec := statestore.NewWindow("w", codec.Bytes, codec.String, statestore.WindowConfig{Size: time.Second, Retention: time.Hour})
	h := spec.Open(declared(t, statestore.NewMemory(), spec))
	for _, k := range [][]byte{{}, {0}, {0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 1}, {1}} {
		for start := range int64(3) {
			_, err := h.Put(k, start, string(k), 0)
			require.NoError(t, err)
		}
		require.Len(t, list(t, statestore.Fetch(h, k, 0, 5)), 3)
	}
	for e, err := range statestore.FetchAll(h, 0, 5) {
		require.NoError(t, err)
		require.Equal(t, string(e.Key), e.Value)
	}
	_, err := h.Put([]byte("k"), -1, "v", 0)
	require.ErrorIs(t, err, statestore.ErrTime)
}

func TestDuplicatesKeepTheirOrder(t *testing.T) {
	spec := windows(true)
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	var want []string
	for i := range 40 {
		v := string(rune('A' + i))
		want = append(want, v)
		_, err := h.Put("k", 7, v, int64(i))
		require.NoError(t, err)
		if i%7 == 0 {
			commit(t, s)
			h = spec.Open(s) // numbers do not start again
		}
	}
	var got []string
	for _, e := range list(t, statestore.Fetch(h, "k", 7, 7)) {
		got = append(got, e.Value)
	}
	require.Equal(t, want, got)
	v, _, ok, err := h.Get("k", 7)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "A", v)
	require.NoError(t, h.Delete("k", 7))
	require.Empty(t, list(t, statestore.Fetch(h, "k", 0, 100)))
}

func TestWindowsAgainstModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		duplicates := rapid.Bool().Draw(r, "duplicates")
		spec := windows(duplicates)
		base := statestore.NewMemory()
		s := declared(r, base, spec)
		h := spec.Open(s)
		var model []window
		observed := int64(-1)
		key := rapid.SampledFrom([]string{"a", "b", "a\x00"})
		time := rapid.Int64Range(0, 12).Draw
		live := func() []window {
			return slices.DeleteFunc(slices.Clone(model), func(e window) bool { return e.Start <= observed-5*minute })
		}
		same := func(k string, start int64) func(window) bool {
			return func(e window) bool { return e.Key == k && e.Start == start }
		}
		r.Repeat(map[string]func(*rapid.T){
			"put": func(r *rapid.T) {
				e := window{key.Draw(r, "key"), time(r, "start") * minute, rapid.StringN(0, 2, -1).Draw(r, "value"), time(r, "ts")}
				observed = max(observed, e.Start)
				kept, err := h.Put(e.Key, e.Start, e.Value, e.Timestamp)
				require.NoError(r, err)
				require.Equal(r, e.Start > observed-5*minute, kept)
				if !duplicates {
					model = slices.DeleteFunc(model, same(e.Key, e.Start))
				}
				model = append(model, e)
				model = live()
			},
			"delete": func(r *rapid.T) {
				k, start := key.Draw(r, "key"), time(r, "start")*minute
				require.NoError(r, h.Delete(k, start))
				observed = max(observed, start)
				model = slices.DeleteFunc(model, same(k, start))
				model = live()
			},
			"commit": func(r *rapid.T) { commit(r, s) },
			"": func(r *rapid.T) {
				k, from, to := key.Draw(r, "key"), time(r, "from")*minute, time(r, "to")*minute
				var one, all []window
				for _, e := range model {
					if e.Start >= from && e.Start <= to {
						all = append(all, e)
						if e.Key == k {
							one = append(one, e)
						}
					}
				}
				slices.SortStableFunc(one, func(a, b window) int { return int(a.Start - b.Start) })
				require.Equal(r, one, list(r, statestore.Fetch(h, k, from, to)))
				slices.Reverse(one)
				require.Equal(r, one, list(r, statestore.FetchReverse(h, k, from, to)))
				require.ElementsMatch(r, all, list(r, statestore.FetchAll(h, from, to)))
			},
		})
		if t, err := h.ObservedTime(); err != nil || t != observed {
			r.Fatal("observed time", t, err)
		}
	})
}

func TestWindowChangelog(t *testing.T) {
	spec := windows(true)
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	for i := range int64(5) {
		_, err := h.Put("k", i*minute, "v", i)
		require.NoError(t, err)
		_, err = h.Put("k", i*minute, "w", i)
		require.NoError(t, err)
	}
	other := spec.Open(replay(t, s, spec))
	require.Equal(t, list(t, statestore.FetchAll(h, 0, 9*minute)), list(t, statestore.FetchAll(other, 0, 9*minute)))
	_, _, err := spec.FromChangelog(statestore.ChangelogRecord{Key: []byte("short")})
	require.ErrorIs(t, err, codec.ErrMalformed)
}
