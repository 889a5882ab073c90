package codec

import (
	"bufio"
	"encoding/hex"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKafkaBytes compares every codec, in both directions, with bytes printed by
// the serializers of Kafka 4.4.0.
func TestKafkaBytes(t *testing.T) {
	f, err := os.Open("testdata/kafka-serdes-4.4.0.txt")
	require.NoError(t, err)
	defer f.Close()
	rows := map[string]int{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := sc.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Fields(line)
		kind, args, wire := row[0], row[1:len(row)-1], unhex(t, row[len(row)-1])
		rows[kind]++
		switch kind {
		case "string":
			both(t, line, String, string(unhex(t, args[0])), wire)
		case "bytes":
			both(t, line, Bytes, unhex(t, args[0]), wire)
		case "int64":
			both(t, line, Int64, integer(t, args[0]), wire)
		case "int32":
			both(t, line, Int32, int32(integer(t, args[0])), wire)
		case "float64":
			bits, err := strconv.ParseUint(args[0], 16, 64)
			require.NoError(t, err)
			if v := math.Float64frombits(bits); math.IsNaN(v) {
				got, err := Float64.Decode(wire)
				require.NoError(t, err)
				require.Equal(t, bits, math.Float64bits(got), line)
			} else {
				both(t, line, Float64, v, wire)
			}
		case "bool":
			both(t, line, Bool, args[0] == "true", wire)
		case "uuid":
			u, err := ParseUUID(args[0])
			require.NoError(t, err)
			require.Equal(t, args[0], u.String())
			both(t, line, UUIDText, u, wire)
		case "timewindowed":
			size := time.Duration(integer(t, args[3])) * time.Millisecond
			both(t, line, TimeWindowed(String, size), windowed(t, string(unhex(t, args[0])), args), wire)
		case "timewindowed-int64":
			size := time.Duration(integer(t, args[3])) * time.Millisecond
			both(t, line, TimeWindowed(Int64, size), windowed(t, integer(t, args[0]), args), wire)
		case "sessionwindowed":
			both(t, line, SessionWindowed(String), windowed(t, string(unhex(t, args[0])), args), wire)
		case "windowstore":
			key, start, seq := unhex(t, args[0]), integer(t, args[1]), int32(integer(t, args[2]))
			require.Equal(t, wire, AppendWindowStoreKey(append([]byte{}, key...), start, seq), line)
			k, s, q, err := CutWindowStoreKey(wire)
			require.NoError(t, err, line)
			require.Equal(t, key, k, line)
			require.Equal(t, start, s, line)
			require.Equal(t, seq, q, line)
		default:
			t.Fatalf("unknown kind %q", kind)
		}
	}
	for _, kind := range []string{"string", "bytes", "int64", "int32", "float64", "bool", "uuid", "timewindowed", "timewindowed-int64", "sessionwindowed", "windowstore"} {
		require.NotZero(t, rows[kind], "rows of kind %s", kind)
	}
}

func both[T any](t *testing.T, line string, c Codec[T], v T, wire []byte) {
	t.Helper()
	out, err := c.Append([]byte("kept"), v)
	require.NoError(t, err, line)
	require.Equal(t, append([]byte("kept"), wire...), out, line)
	got, err := c.Decode(wire)
	require.NoError(t, err, line)
	require.Equal(t, v, got, line)
}

func windowed[K any](t *testing.T, key K, args []string) Windowed[K] {
	return Windowed[K]{Key: key, Start: integer(t, args[1]), End: integer(t, args[2])}
}

func unhex(t *testing.T, s string) []byte {
	if s == "-" {
		return []byte{}
	}
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

func integer(t *testing.T, s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	require.NoError(t, err)
	return v
}
