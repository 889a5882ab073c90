package statestore_test

import (
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// commit ends the transaction of a test.
func commit(t require.TestingT, s *statestore.State) {
	logged(t, s)
	require.NoError(t, s.Commit(nil))
}

// list collects a walk.
func list[E any](t require.TestingT, walk iter.Seq2[E, error]) []E {
	var all []E
	for e, err := range walk {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

// replay restores a new State from changelog records, which must give the same content.
func replay(t require.TestingT, s *statestore.State, spec statestore.Spec) *statestore.State {
	var records []statestore.ChangelogRecord
	require.NoError(t, s.Seal(func(r statestore.ChangelogRecord) error { records = append(records, r); return nil }))
	require.NoError(t, s.Commit(nil))
	other := declared(t, statestore.NewMemory(), spec)
	require.NoError(t, other.Restore(spec.Name(), records, int64(len(records))))
	require.Equal(t, content(t, open(t, s, spec.Name()), nil, nil), content(t, open(t, other, spec.Name()), nil, nil))
	return other
}

func TestKV(t *testing.T) {
	spec := statestore.NewKV("kv", codec.Int64, codec.String)
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	_, existed, err := h.PutIfAbsent(1, "one")
	require.NoError(t, err)
	require.False(t, existed)
	old, existed, err := h.PutIfAbsent(1, "other")
	require.NoError(t, err)
	require.True(t, existed)
	require.Equal(t, "one", old)
	require.NoError(t, h.Put(2, ""))
	require.NoError(t, h.Put(3, "three"))
	require.NoError(t, h.Put(4, "four"))
	require.NoError(t, h.Delete(4))
	type entry = statestore.Entry[int64, string]
	from, to := int64(2), int64(3)
	require.Equal(t, []entry{{1, "one"}, {2, ""}, {3, "three"}}, list(t, statestore.All(h)))
	require.Equal(t, []entry{{2, ""}, {3, "three"}}, list(t, statestore.RangeScan(h, &from, &to)))
	require.Equal(t, []entry{{3, "three"}, {2, ""}}, list(t, statestore.Reverse(h, &from, nil)))
	require.Equal(t, []entry{{2, ""}}, list(t, statestore.Prefix(h, []byte{0, 0, 0, 0, 0, 0, 0, 2})))
	for range statestore.All(h) {
		break
	}
	replay(t, s, spec)
	require.Equal(t, spec, spec, "comparable")
}

func TestPrefixOfHighestBytes(t *testing.T) {
	spec := statestore.NewKV("kv", codec.Bytes, codec.String)
	h := spec.Open(declared(t, statestore.NewMemory(), spec))
	require.NoError(t, h.Put([]byte{0xff}, "a"))
	require.NoError(t, h.Put([]byte{0xff, 0xff, 1}, "b"))
	require.NoError(t, h.Put([]byte{1}, "c"))
	require.Len(t, list(t, statestore.Prefix(h, []byte{0xff})), 2)
	require.Len(t, list(t, statestore.Prefix(h, []byte{0xff, 0xff})), 1)
	require.Len(t, list(t, statestore.Prefix(h, nil)), 3)
}

func TestNilIsDelete(t *testing.T) {
	spec := statestore.NewKV("kv", codec.String, codec.JSON[*int]())
	h := spec.Open(declared(t, statestore.NewMemory(), spec))
	one := 1
	require.NoError(t, h.Put("k", &one))
	v, ok, err := h.Get("k")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, 1, *v)
	require.NoError(t, h.Put("k", nil))
	_, ok, err = h.Get("k")
	require.NoError(t, err)
	require.False(t, ok)

	open := statestore.NewKV("any", codec.String, codec.JSON[any]())
	a := open.Open(declared(t, statestore.NewMemory(), open))
	require.NoError(t, a.Put("k", 1.5))
	require.NoError(t, a.Put("k", (*int)(nil)))
	require.NoError(t, a.Put("k", any(nil)))
	require.Empty(t, list(t, statestore.All(a)))
}

func TestCodecErrorsNameTheStore(t *testing.T) {
	s := declared(t, statestore.NewMemory(), words("kv"))
	require.NoError(t, words("kv").Open(s).Put("a", "not a number"))
	h := statestore.NewKV("kv", codec.String, codec.Int64).Open(s)
	_, _, err := h.Get("a")
	require.ErrorIs(t, err, codec.ErrMalformed)
	require.ErrorContains(t, err, `decode value of store "kv"`)
	for _, err := range statestore.All(h) {
		require.ErrorIs(t, err, codec.ErrMalformed)
	}
	k := statestore.NewKV("kv", codec.Bytes, codec.Bytes).Open(s)
	require.ErrorIs(t, k.Delete(nil), codec.ErrNil)
	var none []byte
	for _, err := range statestore.RangeScan(k, &none, nil) {
		require.ErrorIs(t, err, codec.ErrNil)
	}
}

func TestTTL(t *testing.T) {
	spec := words("kv", statestore.TTL(time.Second))
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	s.SetTime(10_000)
	require.NoError(t, h.Put("a", "1"))
	s.SetTime(10_500)
	require.NoError(t, h.Put("b", "2"))
	s.SetTime(10_999)
	require.Len(t, list(t, statestore.All(h)), 2)
	s.SetTime(11_000)
	_, ok, err := h.Get("a")
	require.NoError(t, err)
	require.False(t, ok)
	require.Equal(t, []statestore.Entry[string, string]{{Key: "b", Value: "2"}}, list(t, statestore.All(h)))
	_, existed, err := h.PutIfAbsent("a", "new")
	require.NoError(t, err)
	require.False(t, existed)
	other := replay(t, s, spec)
	other.SetTime(11_600)
	require.Equal(t, []statestore.Entry[string, string]{{Key: "a", Value: "new"}}, list(t, statestore.All(spec.Open(other))))
}

// TestExpiredIsRemoved: with steady puts and time that advances, the store keeps
// about what has not expired.
func TestExpiredIsRemoved(t *testing.T) {
	spec := words("kv", statestore.TTL(time.Second))
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	const puts = 20_000
	for i := range puts {
		s.SetTime(int64(i))
		require.NoError(t, h.Put(fmt.Sprint(i), "v"))
	}
	stored := len(list(t, open(t, s, "kv").Scan(nil, nil, false)))
	require.Len(t, list(t, statestore.All(h)), 1000)
	require.Less(t, stored, 3000)
}

func TestTimestampedKV(t *testing.T) {
	spec := statestore.NewTimestampedKV("kv", codec.String, codec.String)
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	require.NoError(t, h.Put("a", "1", 100))
	require.NoError(t, h.Put("b", "", 90))
	require.NoError(t, h.Put("c", "3", 80))
	require.NoError(t, h.Delete("c"))
	v, ts, ok, err := h.Get("b")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "", v)
	require.EqualValues(t, 90, ts)
	type entry = statestore.TimestampedEntry[string, string]
	require.Equal(t, []entry{{"a", "1", 100}, {"b", "", 90}}, list(t, statestore.TimestampedAll(h)))
	b := "b"
	require.Equal(t, []entry{{"b", "", 90}}, list(t, statestore.TimestampedRange(h, &b, nil)))
	require.Equal(t, []entry{{"b", "", 90}, {"a", "1", 100}}, list(t, statestore.TimestampedReverse(h, nil, &b)))
	require.Equal(t, []string{"kv/a=1@100", "kv/b=@90", "kv/c=nil@-1"}, logged(t, s))
	require.NoError(t, s.Commit(nil))
	require.NoError(t, h.Put("a", "2", 50))
	require.NoError(t, h.Put("b", "3", 60))
	replay(t, s, spec)
}
