package assign

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var someUserData = userData{
	topology: 0x0123456789abcdef, process: "orders-0", groups: []int{1, 0, 300},
	remembered: map[string][]int32{"orders": {0, 7, 1 << 20}, "customers": {}},
}

func TestUserDataRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := userData{
			topology:   rapid.Uint64().Draw(t, "topology"),
			process:    rapid.String().Draw(t, "process"),
			groups:     rapid.SliceOfN(rapid.IntRange(0, 1<<31-1), 1, 20).Draw(t, "groups"),
			remembered: rapid.MapOfN(rapid.String(), rapid.SliceOf(rapid.Int32Min(0)), 1, 5).Draw(t, "remembered"),
		}
		b := u.append(nil)
		require.Equal(t, b, u.append(nil), "the same data gives the same bytes")
		got, err := parseUserData(b)
		require.NoError(t, err)
		require.Equal(t, u, got)
	})
}

func TestUserDataVersions(t *testing.T) {
	b := someUserData.append(nil)
	compatible := append(append([]byte{9, 1}, b[2:]...), "fields of version 9"...)
	got, err := parseUserData(compatible)
	require.NoError(t, err)
	require.Equal(t, someUserData, got)

	_, err = parseUserData(append([]byte{9, 2}, b[2:]...))
	require.ErrorIs(t, err, errNewerUserData)
	require.ErrorContains(t, err, "9")
}

func TestUserDataDamaged(t *testing.T) {
	b := someUserData.append(nil)
	for n := range b {
		_, err := parseUserData(b[:n])
		require.ErrorIs(t, err, errShortUserData, "%d of %d bytes", n, len(b))
	}
	head := append([]byte{1, 1}, make([]byte, 8)...)
	_, err := parseUserData(append(head[:10:10], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))
	require.ErrorIs(t, err, errUserDataRange)
	_, err = parseUserData(append(head[:10:10], 0x80, 0x80, 0x80, 0x80, 0x08))
	require.ErrorIs(t, err, errUserDataRange, "2^31")
}

func FuzzUserData(f *testing.F) {
	f.Add(someUserData.append(nil))
	f.Add([]byte{})
	f.Add([]byte{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		u, err := parseUserData(b)
		if err != nil {
			return
		}
		again, err := parseUserData(u.append(nil))
		require.NoError(t, err)
		require.Equal(t, u, again)
	})
}
