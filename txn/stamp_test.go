package txn

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestStampRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Stamp{StreamTime: rapid.Int64().Draw(t, "time"), Commit: rapid.Uint64().Draw(t, "commit")}
		copy(s.Incarnation[:], rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "incarnation"))
		back, ok := DecodeStamp(s.Encode())
		require.True(t, ok)
		require.Equal(t, s, back)
		require.True(t, s.sameCommit(back))
		other := back
		other.Commit++
		require.False(t, s.sameCommit(other))
	})
	require.NotEqual(t, newIncarnation(), newIncarnation())
}

// What Kafka Streams writes: TopicPartitionMetadata, base64 of a version byte and
// the partition time; version 2 appends processor metadata.
func TestStampsOfKafkaStreams(t *testing.T) {
	v1 := binary.BigEndian.AppendUint64([]byte{1}, 1700000000123)
	v2 := append(binary.BigEndian.AppendUint64([]byte{2}, 1700000000123), 0, 0, 0, 1, 0, 0, 0, 1, 'k', 0, 0, 0, 0, 0, 0, 0, 7)
	v2Stamp := append(binary.BigEndian.AppendUint64([]byte{2}, 5), make([]byte, 16)...)
	unknown := binary.BigEndian.AppendUint64([]byte{1}, math.MaxUint64)
	tests := map[string]struct {
		metadata string
		want     int64
		ok       bool
	}{
		"version 1":                  {base64.StdEncoding.EncodeToString(v1), 1700000000123, true},
		"version 1, none yet":        {base64.StdEncoding.EncodeToString(unknown), -1, true},
		"version 2":                  {base64.StdEncoding.EncodeToString(v2), 1700000000123, true},
		"version 2, as long as ours": {base64.StdEncoding.EncodeToString(v2Stamp), 5, true},
		"version 3":                  {base64.StdEncoding.EncodeToString(append([]byte{3}, v1[1:]...)), -1, false},
		"empty":                      {"", -1, false},
		"short":                      {base64.StdEncoding.EncodeToString(v1[:8]), -1, false},
		"text":                       {"committed by hand", -1, false},
	}
	for name, c := range tests {
		s, ok := DecodeStamp(c.metadata)
		require.Equal(t, c.ok, ok, name)
		require.Equal(t, c.want, s.StreamTime, name)
		require.Zero(t, s.Incarnation, name)
		require.Zero(t, s.Commit, name)
	}
	// and the other way round: they read our version byte and time, and ignore what follows
	b, err := base64.StdEncoding.DecodeString(Stamp{StreamTime: 42, Commit: 1}.Encode())
	require.NoError(t, err)
	require.Equal(t, byte(1), b[0])
	require.EqualValues(t, 42, binary.BigEndian.Uint64(b[1:9]))
}

func FuzzDecodeStamp(f *testing.F) {
	f.Add(Stamp{StreamTime: 1, Commit: 2}.Encode())
	f.Add("AQAAAAAAAAAA")
	f.Add("")
	f.Fuzz(func(t *testing.T, metadata string) {
		s, ok := DecodeStamp(metadata)
		if !ok {
			require.Equal(t, Stamp{StreamTime: -1}, s)
			return
		}
		back, again := DecodeStamp(s.Encode())
		require.True(t, again)
		require.Equal(t, s, back)
	})
}
