package registry

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
)

func TestHeaderBytes(t *testing.T) {
	require.Equal(t, "78000000002a", hex.EncodeToString(appendHeader([]byte("x"), 42)))
	for want, indexes := range map[string][]int{
		"00":     {0},
		"0202":   {1},
		"040200": {1, 0},
		"02ac02": {150},
	} {
		require.Equal(t, want, hex.EncodeToString(appendIndexes(nil, indexes)))
		b, err := hex.DecodeString(want + "ff")
		require.NoError(t, err)
		got, rest, err := cutIndexes(b)
		require.NoError(t, err)
		require.Equal(t, indexes, got)
		require.Equal(t, []byte{0xff}, rest)
	}
}

func TestNotInWireFormat(t *testing.T) {
	for text, want := range map[string]string{
		`{"secret":1}`:     "it looks like plain JSON",
		`[1]`:              "it looks like plain JSON",
		"secret":           "it does not begin with the magic byte 0",
		"":                 "0 bytes are less than the header's 5",
		"\x00\x00\x00\x01": "4 bytes are less than the header's 5",
	} {
		_, _, err := cutHeader([]byte(text))
		require.ErrorIs(t, err, ErrWireFormat)
		require.ErrorIs(t, err, codec.ErrMalformed)
		require.EqualError(t, err, "malformed record: record is not in the schema registry's wire format: "+want)
	}
	for _, damaged := range []string{"", "\x01", "\x02", "\x02\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x82"} {
		_, _, err := cutIndexes([]byte(damaged))
		require.ErrorIs(t, err, ErrWireFormat, "%x", damaged)
	}
}

func FuzzHeader(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x01\x00body"))
	f.Add([]byte("\x00\x00\x00\x00\x01\x04\x02\x00body"))
	f.Add([]byte(`{"a":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		id, body, err := cutHeader(b)
		if err != nil {
			require.ErrorIs(t, err, ErrWireFormat)
			return
		}
		require.Equal(t, b, append(appendHeader(nil, id), body...))
		indexes, message, err := cutIndexes(body)
		if err != nil {
			require.ErrorIs(t, err, ErrWireFormat)
			return
		}
		require.NotEmpty(t, indexes)
		again, rest, err := cutIndexes(append(appendIndexes(nil, indexes), message...))
		require.NoError(t, err)
		require.True(t, slices.Equal(indexes, again))
		require.Equal(t, string(message), string(rest))
	})
}
