package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/statestore"
)

func empty(t *testing.T, b statestore.Base) statestore.Base {
	_, ok := get(t, b, store, "k")
	require.False(t, ok)
	require.Empty(t, all(t, b, store))
	require.Empty(t, rest(t, b.Scan(store, nil, nil, true)))
	p, err := b.Position()
	require.NoError(t, err)
	require.Empty(t, p.Changelogs)
	return b
}

func writes(t *testing.T, b statestore.Base) statestore.Base {
	apply(t, b, put("a", "1"), put("b", ""), put("", "empty key"), put("c", "3"), put("c", "4"), put("d", "5"), remove("d"))
	require.Equal(t, []pair{{"", "empty key"}, {"a", "1"}, {"b", ""}, {"c", "4"}}, all(t, b, store), "the last write of a key counts")
	v, ok := get(t, b, store, "b")
	require.True(t, ok, "an empty value is a value")
	require.Empty(t, v)

	apply(t, b, remove("a"), remove("never there"), remove("b"), put("b", "again"))
	require.Equal(t, []pair{{"", "empty key"}, {"b", "again"}, {"c", "4"}}, all(t, b, store))
	_, ok = get(t, b, store, "a")
	require.False(t, ok)
	return b
}

// stores: names that begin alike must not meet in a base that keeps all in one key space.
func stores(t *testing.T, b statestore.Base) statestore.Base {
	names := []string{"a", "ab", "a-b", "b", "a\x00"}
	var list []statestore.Write
	for _, n := range names {
		list = append(list,
			statestore.Write{Store: n, Key: []byte("k"), Value: []byte(n)},
			statestore.Write{Store: n, Key: []byte("b"), Value: []byte("b")},
			statestore.Write{Store: n, Key: []byte{0xff, 0xff}, Value: []byte("f")})
	}
	apply(t, b, list...)
	for _, n := range names {
		require.Equal(t, []pair{{"b", "b"}, {"k", n}, {"\xff\xff", "f"}}, all(t, b, n))
		require.Equal(t, []pair{{"\xff\xff", "f"}, {"k", n}, {"b", "b"}}, rest(t, b.Scan(n, nil, nil, true)))
	}
	require.NoError(t, b.Apply(&statestore.Changes{Drops: []statestore.Range{{Store: "a"}}}))
	for _, n := range names {
		require.Len(t, all(t, b, n), map[bool]int{true: 0, false: 3}[n == "a"], n)
	}
	return b
}

func bounds(t *testing.T, b statestore.Base) statestore.Base {
	apply(t, b, put("a", "1"), put("b", "2"), put("b\x00", "3"), put("c", "4"), put("\xff", "5"), put("\xff\xff", "6"))
	for _, c := range []struct {
		from, to []byte
		want     []pair
	}{
		{nil, nil, []pair{{"a", "1"}, {"b", "2"}, {"b\x00", "3"}, {"c", "4"}, {"\xff", "5"}, {"\xff\xff", "6"}}},
		{[]byte("b"), []byte("c"), []pair{{"b", "2"}, {"b\x00", "3"}}},
		{[]byte("b\x00"), nil, []pair{{"b\x00", "3"}, {"c", "4"}, {"\xff", "5"}, {"\xff\xff", "6"}}},
		{nil, []byte("b"), []pair{{"a", "1"}}},
		{[]byte("aa"), []byte("bb"), []pair{{"b", "2"}, {"b\x00", "3"}}},
		{[]byte("d"), []byte("e"), nil},
		{[]byte("b"), []byte("b"), nil},
		{[]byte("c"), []byte("b"), nil},
		{nil, []byte{}, nil},
		{[]byte{}, []byte("aa"), []pair{{"a", "1"}}},
		{[]byte("\xff"), nil, []pair{{"\xff", "5"}, {"\xff\xff", "6"}}},
	} {
		require.Equal(t, c.want, rest(t, b.Scan(store, c.from, c.to, false)), "[%q, %q)", c.from, c.to)
		require.Equal(t, reversed(c.want), rest(t, b.Scan(store, c.from, c.to, true)), "[%q, %q) reverse", c.from, c.to)
	}

	from, to := []byte("a"), []byte("c")
	c := b.Scan(store, from, to, false)
	from[0], to[0] = 'z', 'z'
	require.Len(t, rest(t, c), 3, "bounds may be modified after the call")

	c = b.Scan(store, nil, nil, false)
	require.True(t, c.Next())
	require.NoError(t, c.Close(), "closed before the end")
	return b
}

func reversed(list []pair) []pair {
	var back []pair
	for i := len(list) - 1; i >= 0; i-- {
		back = append(back, list[i])
	}
	return back
}

func snapshot(t *testing.T, b statestore.Base) statestore.Base {
	apply(t, b, put("a", "1"), put("b", "2"), put("c", "3"))
	forward, backward, begun := b.Scan(store, nil, nil, false), b.Scan(store, nil, nil, true), b.Scan(store, nil, nil, false)
	require.True(t, begun.Next())
	require.NoError(t, b.Apply(&statestore.Changes{
		Drops:  []statestore.Range{{Store: store, From: []byte("c")}},
		Writes: []statestore.Write{put("a", "changed"), put("aa", "new"), remove("b")},
	}))
	old := []pair{{"a", "1"}, {"b", "2"}, {"c", "3"}}
	require.Equal(t, old, rest(t, forward))
	require.Equal(t, reversed(old), rest(t, backward))
	require.Equal(t, "a", string(begun.Key()))
	require.Equal(t, "1", string(begun.Value()))
	require.Equal(t, old[1:], rest(t, begun))
	require.Equal(t, []pair{{"a", "changed"}, {"aa", "new"}}, all(t, b, store))
	return b
}

func drops(t *testing.T, b statestore.Base) statestore.Base {
	apply(t, b, put("a", "1"), put("b", "2"), put("bb", "3"), put("c", "4"), put("d", "5"))
	drop := func(from, to []byte) statestore.Range { return statestore.Range{Store: store, From: from, To: to} }
	require.NoError(t, b.Apply(&statestore.Changes{
		Drops:  []statestore.Range{drop([]byte("b"), []byte("c")), drop([]byte("x"), []byte("x")), drop([]byte("d"), []byte("a"))},
		Writes: []statestore.Write{put("bb", "new")},
	}))
	require.Equal(t, []pair{{"a", "1"}, {"bb", "new"}, {"c", "4"}, {"d", "5"}}, all(t, b, store), "drops come before writes")
	require.NoError(t, b.Apply(&statestore.Changes{Drops: []statestore.Range{drop(nil, []byte("bb")), drop([]byte("d"), nil)}}))
	require.Equal(t, []pair{{"bb", "new"}, {"c", "4"}}, all(t, b, store))
	require.NoError(t, b.Apply(&statestore.Changes{Drops: []statestore.Range{drop(nil, nil), {Store: "unknown"}}}))
	require.Empty(t, all(t, b, store))
	return b
}

func position(t *testing.T, b statestore.Base) statestore.Base {
	given := map[string]int64{store: 7, "other": 0}
	require.NoError(t, b.Apply(&statestore.Changes{Position: statestore.Position{Changelogs: given}}))
	given[store] = 99
	p, err := b.Position()
	require.NoError(t, err)
	require.Equal(t, map[string]int64{store: 7, "other": 0}, p.Changelogs)
	require.Empty(t, all(t, b, store), "the position is no entry")
	require.Empty(t, all(t, b, "other"))

	require.NoError(t, b.Apply(&statestore.Changes{
		Writes: []statestore.Write{put("a", "1")}, Position: statestore.Position{Changelogs: map[string]int64{store: 8}},
	}))
	p, err = b.Position()
	require.NoError(t, err)
	require.Equal(t, map[string]int64{store: 8}, p.Changelogs, "a position replaces the last one")
	return b
}

// kept: what Get returns stays as it is.
func kept(t *testing.T, b statestore.Base) statestore.Base {
	apply(t, b, put("a", "first"))
	key := []byte("a")
	v, ok, err := b.Get(store, key)
	require.NoError(t, err)
	require.True(t, ok)
	key[0] = 'z'
	apply(t, b, put("a", "other"), put("b", "x"))
	require.Equal(t, "first", string(v))
	other, _ := get(t, b, store, "a")
	require.Equal(t, "other", other)
	return b
}

func reopen(t *testing.T, b statestore.Base) statestore.Base {
	r, ok := b.(Reopener)
	if !ok {
		return b
	}
	require.NoError(t, b.Apply(&statestore.Changes{
		Writes:   []statestore.Write{put("a", "1"), put("b", "2")},
		Position: statestore.Position{Changelogs: map[string]int64{store: 2}},
	}))
	require.NoError(t, b.Apply(&statestore.Changes{
		Drops:    []statestore.Range{{Store: store, To: []byte("b")}},
		Writes:   []statestore.Write{put("c", "3")},
		Position: statestore.Position{Changelogs: map[string]int64{store: 3}},
	}))
	b = r.Reopen(t)
	require.Equal(t, []pair{{"b", "2"}, {"c", "3"}}, all(t, b, store))
	p, err := b.Position()
	require.NoError(t, err)
	require.Equal(t, map[string]int64{store: 3}, p.Changelogs)
	return b
}
