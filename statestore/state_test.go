package statestore_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

func declared(t require.TestingT, base statestore.Base, specs ...statestore.Spec) *statestore.State {
	s := statestore.NewState(base)
	for _, spec := range specs {
		require.NoError(t, s.Declare(spec))
	}
	return s
}

func words(name string, opts ...statestore.Option) statestore.KV[string, string] {
	return statestore.NewKV(name, codec.String, codec.String, opts...)
}

// logged seals and returns the changelog records as text.
func logged(t require.TestingT, s *statestore.State) []string {
	var list []string
	require.NoError(t, s.Seal(func(r statestore.ChangelogRecord) error {
		value := "nil"
		if r.Value != nil {
			value = string(r.Value)
		}
		list = append(list, fmt.Sprintf("%s/%s=%s@%d", r.Store, r.Key, value, r.Timestamp))
		return nil
	}))
	return list
}

// content returns what a scan shows, and checks that Get and the reverse agree.
func content(t require.TestingT, b *statestore.Bytes, from, to []byte) map[string]string {
	m := map[string]string{}
	var keys, back []string
	for p, err := range b.Scan(from, to, false) {
		require.NoError(t, err)
		m[string(p.Key)] = string(p.Value)
		keys = append(keys, string(p.Key))
		v, ok, err := b.Get(p.Key)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, p.Value, v)
	}
	require.True(t, slices.IsSorted(keys))
	for p, err := range b.Scan(from, to, true) {
		require.NoError(t, err)
		back = append(back, string(p.Key))
	}
	slices.Reverse(back)
	require.Equal(t, keys, back)
	return m
}

func open(t require.TestingT, s *statestore.State, name string) *statestore.Bytes {
	b, err := s.Bytes(name)
	require.NoError(t, err)
	return b
}

func TestDeclare(t *testing.T) {
	s := declared(t, statestore.NewMemory(), words("a"), words("a"))
	err := s.Declare(statestore.NewTimestampedKV("a", codec.String, codec.String))
	require.ErrorIs(t, err, statestore.ErrDeclared)
	require.EqualError(t, err, `declare timestamped key-value store "a": invalid declaration: the name is taken by a key-value store`)
	_, err = s.Bytes("b")
	require.ErrorIs(t, err, statestore.ErrUndeclared)
	for _, bad := range []statestore.Spec{
		words(""), words("x", statestore.TTL(0)),
		statestore.NewTimestampedKV("x", codec.String, codec.String, statestore.TTL(1e9)),
		statestore.NewWindow("x", codec.String, codec.String, statestore.WindowConfig{Size: 2e9, Retention: 1e9}),
		statestore.NewWindow("x", codec.String, codec.String, statestore.WindowConfig{}),
		statestore.NewSession("x", codec.String, codec.String, statestore.SessionConfig{}),
		statestore.NewVersioned("x", codec.String, codec.String, statestore.VersionedConfig{}),
	} {
		require.ErrorIs(t, s.Declare(bad), statestore.ErrDeclared)
	}
	require.PanicsWithError(t, `open store "b": store is not declared: a node must name the stores that it opens`, func() { words("b").Open(s) })
	require.Panics(t, func() { statestore.NewTimestampedKV("a", codec.String, codec.String).Open(s) })
	require.Equal(t, words("a").Kind(), statestore.KeyValueKind)
}

func TestSealGivesEachKeyOnceInOrder(t *testing.T) {
	s := declared(t, statestore.NewMemory(), words("b"), words("a"), words("silent", statestore.NotLogged()))
	a, b, silent := words("a").Open(s), words("b").Open(s), words("silent").Open(s)
	require.False(t, s.Moved())
	require.NoError(t, b.Put("y", "1"))
	require.NoError(t, b.Put("x", "2"))
	require.NoError(t, b.Put("y", "3"))
	require.NoError(t, a.Put("k", "4"))
	require.NoError(t, a.Delete("k"))
	require.NoError(t, silent.Put("k", "5"))
	require.True(t, s.Moved())
	require.Equal(t, []string{"a/k=nil@-1", "b/x=2@-1", "b/y=3@-1"}, logged(t, s))
	require.False(t, s.Moved())
	require.ErrorIs(t, s.Seal(nil), statestore.ErrTransaction)
	require.NoError(t, s.Commit(map[string]int64{"a": 1, "b": 3}))
	require.ErrorIs(t, s.Commit(nil), statestore.ErrTransaction)
	require.Zero(t, s.UncommittedBytes())
	p, err := s.Position()
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"a": 1, "b": 3}, p.Changelogs)
	require.Empty(t, logged(t, s))
	require.NoError(t, s.Commit(map[string]int64{"b": 9}))
	p, err = s.Position()
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"a": 1, "b": 9}, p.Changelogs, "what is missing stays")
	v, ok, err := silent.Get("k")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "5", v)
}

func TestAbortDropsOpenAndSealed(t *testing.T) {
	base := statestore.NewMemory()
	s := declared(t, base, words("a"))
	a := words("a").Open(s)
	require.NoError(t, a.Put("k", "committed"))
	logged(t, s)
	require.NoError(t, s.Commit(nil))
	require.NoError(t, a.Put("k", "sealed"))
	logged(t, s)
	require.NoError(t, a.Put("k", "open"))
	v, _, _ := a.Get("k")
	require.Equal(t, "open", v)
	stored, _, err := base.Get("a", []byte("k"))
	require.NoError(t, err)
	require.Equal(t, "committed", string(stored), "the base never sees what is not committed")
	require.EqualValues(t, len("k")+len("sealed")+len("k")+len("open"), s.UncommittedBytes())
	s.Abort()
	v, _, _ = a.Get("k")
	require.Equal(t, "committed", v)
	require.Zero(t, s.UncommittedBytes())
	require.ErrorIs(t, s.Commit(nil), statestore.ErrTransaction)
}

func TestAbortAfterLogFails(t *testing.T) {
	s := declared(t, statestore.NewMemory(), words("a"))
	a := words("a").Open(s)
	require.NoError(t, a.Put("k", "v"))
	fault := errors.New("full")
	require.ErrorIs(t, s.Seal(func(statestore.ChangelogRecord) error { return fault }), fault)
	s.Abort()
	_, ok, err := a.Get("k")
	require.NoError(t, err)
	require.False(t, ok)
}

func TestRollbackLeavesNothingOfTheRecord(t *testing.T) {
	s := declared(t, statestore.NewMemory(), words("a"))
	a := open(t, s, "a")
	require.NoError(t, a.Put([]byte("1"), []byte("x")))
	require.NoError(t, a.Put([]byte("2"), []byte("x")))
	before, size := content(t, a, nil, nil), s.UncommittedBytes()
	s.Mark()
	require.NoError(t, a.Put([]byte("1"), []byte("longer")))
	require.NoError(t, a.Delete([]byte("2")))
	require.NoError(t, a.Put([]byte("3"), []byte("new")))
	require.NoError(t, a.Drop(nil, []byte("3")))
	require.NoError(t, a.Put([]byte("1"), []byte("again")))
	s.Rollback()
	require.Equal(t, before, content(t, a, nil, nil))
	require.Equal(t, size, s.UncommittedBytes())
	s.Rollback()
	require.Equal(t, before, content(t, a, nil, nil), "twice is once")
	require.Equal(t, []string{"a/1=x@-1", "a/2=x@-1"}, logged(t, s))
	s.Rollback()
	require.Equal(t, before, content(t, a, nil, nil), "what is sealed stays")

	s.Mark()
	require.NoError(t, a.Put([]byte("4"), []byte("x")))
	s.Rollback()
	require.False(t, s.Moved())
}

func TestDropIsNotLogged(t *testing.T) {
	s := declared(t, statestore.NewMemory(), words("a"))
	a := open(t, s, "a")
	for _, k := range []string{"1", "2", "3"} {
		require.NoError(t, a.Put([]byte(k), []byte("old")))
	}
	logged(t, s)
	require.NoError(t, a.Put([]byte("2"), []byte("dropped with the rest")))
	require.NoError(t, a.Drop([]byte("1"), []byte("3")))
	require.NoError(t, a.Put([]byte("1"), []byte("new")))
	want := map[string]string{"1": "new", "3": "old"}
	require.Equal(t, want, content(t, a, nil, nil))
	require.NoError(t, s.Commit(nil))
	require.Equal(t, want, content(t, a, nil, nil))
	require.Equal(t, []string{"a/1=new@-1"}, logged(t, s))
	require.Equal(t, want, content(t, a, nil, nil))
	require.NoError(t, s.Commit(nil))
	require.Equal(t, want, content(t, a, nil, nil))
}

func TestWritesDuringScan(t *testing.T) {
	for _, reverse := range []bool{false, true} {
		s := declared(t, statestore.NewMemory(), words("a"))
		a := open(t, s, "a")
		for _, k := range []string{"1", "3", "5", "7", "9"} {
			require.NoError(t, a.Put([]byte(k), []byte("x")))
		}
		logged(t, s)
		require.NoError(t, s.Commit(nil))
		var seen []string
		for p, err := range a.Scan(nil, nil, reverse) {
			require.NoError(t, err)
			seen = append(seen, string(p.Key)+string(p.Value))
			if string(p.Key) == "5" {
				for _, k := range []string{"2", "4", "6", "8"} {
					require.NoError(t, a.Put([]byte(k), []byte("n")))
				}
				require.NoError(t, a.Delete([]byte("7")))
				require.NoError(t, a.Delete([]byte("3")))
				require.NoError(t, a.Put([]byte("9"), []byte("y")))
				require.NoError(t, a.Put([]byte("1"), []byte("y")))
			}
		}
		want := []string{"1x", "3x", "5x", "6n", "8n", "9y"}
		if reverse {
			want = []string{"9x", "7x", "5x", "4n", "2n", "1y"}
		}
		require.Equal(t, want, seen)
	}
}

func TestRestore(t *testing.T) {
	base := statestore.NewMemory()
	s := declared(t, base, words("a"))
	a := words("a").Open(s)
	require.NoError(t, s.Restore("a", []statestore.ChangelogRecord{
		{Key: []byte("k"), Value: []byte("1")}, {Key: []byte("l"), Value: []byte("2")},
		{Key: []byte("k")}, {Key: []byte("l"), Value: []byte("3")},
	}, 17))
	_, ok, err := a.Get("k")
	require.NoError(t, err)
	require.False(t, ok)
	v, _, _ := a.Get("l")
	require.Equal(t, "3", v)
	p, err := base.Position()
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"a": 17}, p.Changelogs)
	require.ErrorIs(t, s.Restore("b", nil, 0), statestore.ErrUndeclared)
	require.NoError(t, a.Put("k", "v"))
	require.ErrorIs(t, s.Restore("a", nil, 18), statestore.ErrTransaction)
	require.NoError(t, s.Close())
}

// TestTransactionsAgainstModel runs random operations on a State and on three maps.
func TestTransactionsAgainstModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := declared(r, statestore.NewMemory(), words("a"))
		b := open(r, s, "a")
		committed, sealed, now, marked := map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}
		inDoubt := false
		key := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 2, -1)
		r.Repeat(map[string]func(*rapid.T){
			"put": func(r *rapid.T) {
				k, v := key.Draw(r, "key"), rapid.StringN(0, 2, -1).Draw(r, "value")
				now[k] = v
				require.NoError(r, b.Put([]byte(k), []byte(v)))
			},
			"delete": func(r *rapid.T) {
				k := key.Draw(r, "key")
				delete(now, k)
				require.NoError(r, b.Delete([]byte(k)))
			},
			"drop": func(r *rapid.T) {
				from, to := key.Draw(r, "from"), key.Draw(r, "to")
				maps.DeleteFunc(now, func(k, _ string) bool { return k >= from && k < to })
				require.NoError(r, b.Drop([]byte(from), []byte(to)))
			},
			"mark":     func(*rapid.T) { s.Mark(); marked = maps.Clone(now) },
			"rollback": func(*rapid.T) { s.Rollback(); now = maps.Clone(marked) },
			"seal": func(r *rapid.T) {
				if !inDoubt {
					require.NoError(r, s.Seal(func(c statestore.ChangelogRecord) error {
						v, ok := now[string(c.Key)]
						require.Equal(r, ok, c.Value != nil)
						require.Equal(r, v, string(c.Value))
						return nil
					}))
					sealed, marked, inDoubt = maps.Clone(now), maps.Clone(now), true
				}
			},
			"commit": func(r *rapid.T) {
				if inDoubt {
					require.NoError(r, s.Commit(nil))
					committed, inDoubt = sealed, false
				}
			},
			"abort": func(*rapid.T) {
				s.Abort()
				now, marked, inDoubt = maps.Clone(committed), maps.Clone(committed), false
			},
			"scan": func(r *rapid.T) {
				from, to := key.Draw(r, "from"), key.Draw(r, "to")
				want := map[string]string{}
				for k, v := range now {
					if k >= from && k < to {
						want[k] = v
					}
				}
				require.Equal(r, want, content(r, b, []byte(from), []byte(to)))
				require.Equal(r, now, content(r, b, nil, nil))
			},
			"": func(r *rapid.T) {
				k := key.Draw(r, "get")
				v, ok, err := b.Get([]byte(k))
				require.NoError(r, err)
				want, there := now[k]
				require.Equal(r, there, ok)
				require.Equal(r, want, string(v))
			},
		})
	})
}
