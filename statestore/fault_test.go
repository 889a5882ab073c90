package statestore_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/statestore"
)

// faulty is a base that fails while fault is set.
type faulty struct {
	statestore.Base
	fault error
}

func (f *faulty) Get(store string, key []byte) ([]byte, bool, error) {
	if f.fault != nil {
		return nil, false, f.fault
	}
	return f.Base.Get(store, key)
}

func (f *faulty) Scan(store string, from, to []byte, reverse bool) statestore.Cursor {
	return &faultyCursor{f.Base.Scan(store, from, to, reverse), f.fault}
}

func (f *faulty) Apply(c *statestore.Changes) error {
	if f.fault != nil {
		return f.fault
	}
	return f.Base.Apply(c)
}

type faultyCursor struct {
	statestore.Cursor
	fault error
}

func (c *faultyCursor) Next() bool   { return c.fault == nil && c.Cursor.Next() }
func (c *faultyCursor) Close() error { return errors.Join(c.fault, c.Cursor.Close()) }

func TestFaultsOfTheBase(t *testing.T) {
	fault := errors.New("disk on fire")
	base := &faulty{Base: statestore.NewMemory()}
	w, v := windows(false), versions(1e9)
	s := declared(t, base, words("kv"), w, v)
	kv := words("kv").Open(s)
	require.NoError(t, kv.Put("k", "v"))
	logged(t, s)

	base.fault = fault
	require.ErrorIs(t, s.Commit(nil), fault)
	_, _, err := kv.Get("other")
	require.ErrorIs(t, err, fault)
	require.ErrorContains(t, err, `read store "kv"`)
	var last error
	for _, err := range statestore.All(kv) {
		last = err
	}
	require.ErrorIs(t, last, fault)
	_, err = w.Open(s).Put("k", 1, "v", 1)
	require.ErrorIs(t, err, fault, "the observed time is not known")
	_, _, err = v.Open(s).Put("k", "v", 1)
	require.ErrorIs(t, err, fault)

	base.fault = nil
	require.NoError(t, s.Commit(nil), "the changes are still sealed")
	_, err = w.Open(s).Put("k", 1, "v", 1)
	require.NoError(t, err)
	got, ok, err := base.Get("kv", []byte("k"))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "v", string(got))
}
