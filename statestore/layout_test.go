package statestore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// TestLayout fixes the bytes that reach the disk and the changelog.
func TestLayout(t *testing.T) {
	kv := words("kv")
	ttl := words("ttl", statestore.TTL(time.Second))
	timestamped := statestore.NewTimestampedKV("ts", codec.String, codec.String)
	w, v := windows(true), versions(time.Second)
	s := declared(t, statestore.NewMemory(), kv, ttl, timestamped, w, sessions, v)
	s.SetTime(1)
	require.NoError(t, kv.Open(s).Put("k", "v"))
	require.NoError(t, ttl.Open(s).Put("k", "v"))
	require.NoError(t, timestamped.Open(s).Put("k", "v", 258))
	for range 2 {
		_, err := w.Open(s).Put("k", 150_000, "v", 258)
		require.NoError(t, err)
	}
	_, err := sessions.Open(s).Put("k", 1, 150_000, "v")
	require.NoError(t, err)
	_, _, err = v.Open(s).Put("k", "v", 258)
	require.NoError(t, err)
	_, _, _, err = v.Open(s).Delete("k", 259)
	require.NoError(t, err)

	var stored []string
	for _, name := range []string{"kv", "s", "ts", "ttl", "v", "w"} {
		for p, err := range open(t, s, name).Scan(nil, nil, false) {
			require.NoError(t, err)
			stored = append(stored, fmt.Sprintf("%s %x %x", name, p.Key, p.Value))
		}
	}
	require.Equal(t, []string{
		"kv 6b 76",
		"s 0000000000000001" + "6b" + "00000000000249f0" + "0000000000000001" + " 76",
		"ts 6b " + "0000000000000102" + "76",
		"ttl 6b " + "00000000000003e9" + "76",
		"v 00000001" + "6b" + "0000000000000102" + " 0176",
		"v 00000001" + "6b" + "0000000000000103" + " 00",
		"w 0000000000000001" + "6b" + "00000000000249f0" + "00000000" + " 0000000000000102" + "76",
		"w 0000000000000001" + "6b" + "00000000000249f0" + "00000001" + " 0000000000000102" + "76",
	}, stored)

	var changelog []string
	require.NoError(t, s.Seal(func(r statestore.ChangelogRecord) error {
		changelog = append(changelog, fmt.Sprintf("%s %x %x %v %d", r.Store, r.Key, r.Value, r.Value == nil, r.Timestamp))
		return nil
	}))
	require.Equal(t, []string{
		"kv 6b 76 false -1",
		"s 6b" + "00000000000249f0" + "0000000000000001" + " 76 false 150000",
		"ts 6b 76 false 258",
		"ttl 6b 00000000000003e976 false -1",
		"v 6b 76 false 258",
		"v 6b  true 259",
		"w 6b" + "00000000000249f0" + "00000000" + " 76 false 258",
		"w 6b" + "00000000000249f0" + "00000001" + " 76 false 258",
	}, changelog)
}

func TestLogging(t *testing.T) {
	config := map[string]string{"segment.bytes": "1"}
	require.Equal(t, statestore.Logging{Enabled: true, Policy: "compact", Config: config}, words("a", statestore.LogConfig(config)).Logging())
	require.False(t, words("a", statestore.NotLogged()).Logging().Enabled)
	require.Equal(t, statestore.Logging{Enabled: true, Policy: "compact,delete", Retention: 5 * minute}, windows(false).Logging())
	require.Equal(t, statestore.Logging{Enabled: true, Policy: "compact,delete", Retention: 5 * minute}, sessions.Logging())
	require.Equal(t, statestore.Logging{Enabled: true, Policy: "compact", CompactionLag: 1000}, versions(time.Second).Logging())
	require.True(t, words("a", statestore.InMemory()).InMemory())
	require.False(t, words("a").InMemory())
}
