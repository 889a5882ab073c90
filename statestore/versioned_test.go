package statestore_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

func versions(history time.Duration) statestore.Versioned[string, string] {
	return statestore.NewVersioned("v", codec.String, codec.String, statestore.VersionedConfig{HistoryRetention: history})
}

func TestVersioned(t *testing.T) {
	spec := versions(100 * time.Millisecond)
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	put := func(v string, ts, wantTo int64, wantKept bool) {
		t.Helper()
		to, kept, err := h.Put("k", v, ts)
		require.NoError(t, err)
		require.Equal(t, wantKept, kept)
		require.Equal(t, wantTo, to)
	}
	asOf := func(ts int64, want string, wantTS int64) {
		t.Helper()
		v, at, ok, err := h.GetAsOf("k", ts)
		require.NoError(t, err)
		require.Equal(t, want != "", ok)
		require.Equal(t, want, v)
		require.Equal(t, wantTS, at)
	}
	put("b", 20, -1, true)
	put("d", 40, -1, true)
	put("a", 10, 20, true)
	put("c", 30, 40, true)
	put("C", 30, 40, true)
	asOf(9, "", 0)
	asOf(10, "a", 10)
	asOf(39, "C", 30)
	asOf(1000, "d", 40)

	old, existed, kept, err := h.Delete("k", 35)
	require.NoError(t, err)
	require.True(t, existed && kept)
	require.Equal(t, "C", old)
	asOf(35, "", 0)
	asOf(34, "C", 30)
	asOf(40, "d", 40)
	_, existed, kept, err = h.Delete("k", 50)
	require.NoError(t, err)
	require.True(t, existed && kept)
	_, _, ok, err := h.Get("k")
	require.NoError(t, err)
	require.False(t, ok, "the latest version is a tombstone")
	asOf(49, "d", 40)

	_, _, err = h.Put("other", "x", 135)
	require.NoError(t, err)
	put("late", 34, -1, false)
	put("in time", 36, 40, true)
	asOf(34, "", 0)
	asOf(35, "", 0)
	asOf(36, "in time", 36)
	_, _, kept, err = h.Delete("k", 34)
	require.NoError(t, err)
	require.False(t, kept)

	v, at, ok, err := h.GetAsOf("other", 200)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "x", v)
	require.EqualValues(t, 135, at)
	_, _, err = h.Put("new", "y", 1000)
	require.NoError(t, err)
	_, _, ok, err = h.GetAsOf("other", 140)
	require.NoError(t, err)
	require.True(t, ok, "the latest version is found however old the question")
	_, _, err = h.Put("k", "v", -1)
	require.ErrorIs(t, err, statestore.ErrTime)
}

// TestLatestVersionIsLoggedLast: a changelog that is compacted keeps the last record.
func TestLatestVersionIsLoggedLast(t *testing.T) {
	spec := versions(time.Second)
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	_, _, err := h.Put("k", "latest", 20)
	require.NoError(t, err)
	require.Equal(t, []string{"v/k=latest@20"}, logged(t, s))
	require.NoError(t, s.Commit(nil))
	_, _, err = h.Put("k", "before", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"v/k=before@10", "v/k=latest@20"}, logged(t, s))
	require.NoError(t, s.Commit(nil))
	_, _, _, err = h.Delete("k", 30)
	require.NoError(t, err)
	require.Equal(t, []string{"v/k=nil@30"}, logged(t, s))
}

type modelVersion struct {
	key, value string
	ts         int64
	tombstone  bool
}

func TestVersionsAgainstModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const history = 20
		spec := versions(history * time.Millisecond)
		base := statestore.NewMemory()
		s := declared(r, base, spec)
		h := spec.Open(s)
		var model []modelVersion // by timestamp
		observed := int64(-1)
		key := rapid.SampledFrom([]string{"a", "b", "a\x00"})
		find := func(k string, asOf int64) (latest modelVersion) {
			for _, v := range model {
				if v.key == k && v.ts <= asOf {
					latest = v
				}
			}
			return latest
		}
		r.Repeat(map[string]func(*rapid.T){
			"put": func(r *rapid.T) {
				v := modelVersion{key: key.Draw(r, "key"), ts: rapid.Int64Range(max(0, observed-30), observed+10).Draw(r, "ts")}
				v.ts = max(v.ts, 0)
				v.tombstone = rapid.IntRange(0, 3).Draw(r, "tombstone") == 0
				validTo, keep := int64(-1), v.ts >= observed-history
				var kept bool
				var err error
				if v.tombstone {
					_, _, kept, err = h.Delete(v.key, v.ts)
				} else {
					v.value = rapid.StringN(1, 2, -1).Draw(r, "value")
					validTo, kept, err = h.Put(v.key, v.value, v.ts)
				}
				require.NoError(r, err)
				require.Equal(r, keep, kept)
				if !keep {
					return
				}
				next := slices.IndexFunc(model, func(o modelVersion) bool { return o.key == v.key && o.ts > v.ts })
				if !v.tombstone && next >= 0 {
					require.Equal(r, model[next].ts, validTo)
				} else {
					require.EqualValues(r, -1, validTo)
				}
				observed = max(observed, v.ts)
				model = slices.DeleteFunc(model, func(o modelVersion) bool { return o.key == v.key && o.ts == v.ts })
				model = append(model, v)
				slices.SortStableFunc(model, func(a, b modelVersion) int { return int(a.ts - b.ts) })
			},
			"commit": func(r *rapid.T) { commit(r, s) },
			"restart": func(r *rapid.T) {
				s.Abort()
				model, observed = nil, -1
				for p, err := range open(r, s, "v").Scan(nil, nil, false) {
					require.NoError(r, err)
					rec := spec.ToChangelog(p.Key, p.Value)
					model = append(model, modelVersion{string(rec.Key), string(rec.Value), rec.Timestamp, rec.Value == nil})
					observed = max(observed, rec.Timestamp)
				}
				slices.SortStableFunc(model, func(a, b modelVersion) int { return int(a.ts - b.ts) })
				s = declared(r, base, spec)
				h = spec.Open(s)
			},
			"": func(r *rapid.T) {
				k, asOf := key.Draw(r, "key"), rapid.Int64Range(0, max(0, observed+5)).Draw(r, "as of")
				latest := find(k, 1<<60)
				got, _, ok, err := h.Get(k)
				require.NoError(r, err)
				require.Equal(r, latest.value, got)
				require.Equal(r, latest.value != "", ok)
				want := find(k, asOf)
				if asOf < observed-history && want != latest {
					want = modelVersion{}
				}
				got, ts, ok, err := h.GetAsOf(k, asOf)
				require.NoError(r, err)
				require.Equal(r, want.value, got)
				require.Equal(r, want.value != "", ok)
				if ok {
					require.Equal(r, want.ts, ts)
				}
			},
		})
	})
}

// TestOldVersionsAreRemoved: with steady puts the store keeps about what can be found.
func TestOldVersionsAreRemoved(t *testing.T) {
	spec := versions(time.Second)
	s := declared(t, statestore.NewMemory(), spec)
	h := spec.Open(s)
	for i := range int64(20_000) {
		key := fmt.Sprint(i % 50)
		_, _, err := h.Put(key, "v", i)
		require.NoError(t, err)
		if i%10 == 0 {
			_, _, _, err = h.Delete(fmt.Sprint("once", i), i)
			require.NoError(t, err)
		}
		if i%1000 == 0 {
			commit(t, s)
		}
	}
	stored := len(list(t, open(t, s, "v").Scan(nil, nil, false)))
	require.Less(t, stored, 3000)
	for k := range 50 {
		_, ts, ok, err := h.Get(fmt.Sprint(k))
		require.NoError(t, err)
		require.True(t, ok)
		require.GreaterOrEqual(t, ts, int64(20_000-50))
		_, _, ok, err = h.GetAsOf(fmt.Sprint(k), 19_000)
		require.NoError(t, err)
		require.True(t, ok)
	}
	require.Len(t, replayable(t, s, spec), stored)
}

// replayable returns the records that the whole store would be restored from.
func replayable(t *testing.T, s *statestore.State, spec statestore.Spec) map[string]string {
	other := declared(t, statestore.NewMemory(), spec)
	var records []statestore.ChangelogRecord
	for p, err := range open(t, s, spec.Name()).Scan(nil, nil, false) {
		require.NoError(t, err)
		records = append(records, spec.ToChangelog(p.Key, p.Value))
	}
	require.NoError(t, other.Restore(spec.Name(), records, 0))
	require.Equal(t, content(t, open(t, s, spec.Name()), nil, nil), content(t, open(t, other, spec.Name()), nil, nil))
	return content(t, open(t, other, spec.Name()), nil, nil)
}
