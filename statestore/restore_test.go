package statestore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// TestRestoreReplaysAllKinds: what several transactions logged, deletes included,
// gives the same store elsewhere.
func TestRestoreReplaysAllKinds(t *testing.T) {
	timestamped := statestore.NewTimestampedKV("ts", codec.String, codec.String)
	w, v := windows(false), versions(time.Second)
	kept := func(_ bool, err error) error { return err }
	for _, c := range []struct {
		spec   statestore.Spec
		put    func(s *statestore.State, key, value string, at int64) error
		remove func(s *statestore.State, key string, at int64) error
	}{
		{words("kv"),
			func(s *statestore.State, k, value string, _ int64) error { return words("kv").Open(s).Put(k, value) },
			func(s *statestore.State, k string, _ int64) error { return words("kv").Open(s).Delete(k) }},
		{timestamped,
			func(s *statestore.State, k, value string, at int64) error {
				return timestamped.Open(s).Put(k, value, at)
			},
			func(s *statestore.State, k string, _ int64) error { return timestamped.Open(s).Delete(k) }},
		{w,
			func(s *statestore.State, k, value string, at int64) error {
				return kept(w.Open(s).Put(k, at, value, at))
			},
			func(s *statestore.State, k string, at int64) error { return w.Open(s).Delete(k, at) }},
		{sessions,
			func(s *statestore.State, k, value string, at int64) error {
				return kept(sessions.Open(s).Put(k, at, at+1, value))
			},
			func(s *statestore.State, k string, at int64) error { return sessions.Open(s).Delete(k, at, at+1) }},
		{v,
			func(s *statestore.State, k, value string, at int64) error {
				_, _, err := v.Open(s).Put(k, value, at)
				return err
			},
			func(s *statestore.State, k string, at int64) error {
				_, _, _, err := v.Open(s).Delete(k, at)
				return err
			}},
	} {
		t.Run(c.spec.Kind().String(), func(t *testing.T) {
			s := declared(t, statestore.NewMemory(), c.spec)
			var records []statestore.ChangelogRecord
			end := func() {
				require.NoError(t, s.Seal(func(r statestore.ChangelogRecord) error { records = append(records, r); return nil }))
				require.NoError(t, s.Commit(nil))
			}
			for i, k := range []string{"a", "b", "c"} {
				require.NoError(t, c.put(s, k, "old", int64(100+i)))
			}
			end()
			require.NoError(t, c.put(s, "a", "new", 100))
			require.NoError(t, c.remove(s, "b", 101))
			require.NoError(t, c.put(s, "d", "", 200))
			end()
			require.NoError(t, c.put(s, "b", "back", 101))
			require.NoError(t, c.remove(s, "c", 102))
			end()

			other := declared(t, statestore.NewMemory(), c.spec)
			require.NoError(t, other.Restore(c.spec.Name(), records[:4], 4))
			require.NoError(t, other.Restore(c.spec.Name(), records[4:], int64(len(records))))
			want := content(t, open(t, s, c.spec.Name()), nil, nil)
			require.NotEmpty(t, want)
			require.Equal(t, want, content(t, open(t, other, c.spec.Name()), nil, nil))
		})
	}
}

func TestRestoreRefusesWhatIsNoEntry(t *testing.T) {
	s := declared(t, statestore.NewMemory(), windows(false), sessions, versions(time.Second))
	bad := []statestore.ChangelogRecord{{Key: []byte("short"), Value: []byte("v"), Timestamp: -1}}
	require.ErrorIs(t, s.Restore("w", bad, 1), codec.ErrMalformed)
	require.ErrorIs(t, s.Restore("s", bad, 1), codec.ErrMalformed)
	require.ErrorIs(t, s.Restore("v", bad, 1), statestore.ErrTime)
	p, err := s.Position()
	require.NoError(t, err)
	require.Empty(t, p.Changelogs, "nothing is applied, nothing is skipped")
}
