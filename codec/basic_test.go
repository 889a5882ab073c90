package codec

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWrongLengthIsMalformed(t *testing.T) {
	fails := func(name string, err error) {
		require.ErrorIs(t, err, ErrMalformed, name)
		require.NotErrorIs(t, err, ErrUnavailable, name)
	}
	for n := range 12 {
		b := make([]byte, n)
		if n != 8 {
			_, err := Int64.Decode(b)
			fails("int64", err)
			_, err = Float64.Decode(b)
			fails("float64", err)
		}
		if n != 4 {
			_, err := Int32.Decode(b)
			fails("int32", err)
		}
		if n != 1 {
			_, err := Bool.Decode(b)
			fails("bool", err)
		}
		if n < 8 {
			_, err := TimeWindowed(String, time.Minute).Decode(b)
			fails("time window", err)
		}
		_, err := SessionWindowed(String).Decode(b)
		fails("session window", err)
		_, err = UUIDText.Decode(b)
		fails("uuid", err)
		if n < WindowStoreSuffix {
			_, _, _, err = CutWindowStoreKey(b)
			fails("window store key", err)
		}
	}
	_, err := Int64.Decode(make([]byte, 7))
	require.EqualError(t, err, "decode int64: want 8 bytes, found 7 bytes")
	_, err = Bool.Decode([]byte{2})
	fails("bool", err)
}

func TestStringKeepsInvalidUTF8(t *testing.T) {
	in := []byte("a\xff\xfe")
	s, err := String.Decode(in)
	require.NoError(t, err)
	out, err := String.Append(nil, s)
	require.NoError(t, err)
	require.Equal(t, []byte("a\xff\xfe"), out)
	in[0] = 'b'
	require.Equal(t, "a\xff\xfe", s, "the string must be a copy")
}

func TestBytes(t *testing.T) {
	in := []byte("value")
	v, err := Bytes.Decode(in)
	require.NoError(t, err)
	require.Same(t, &in[0], &v[0], "no copy")

	aliaser, ok := Bytes.(Aliaser[[]byte])
	require.True(t, ok)
	out, ok := aliaser.Bytes(v)
	require.True(t, ok)
	require.Same(t, &in[0], &out[0], "no copy")

	out, ok = aliaser.Bytes([]byte{})
	require.True(t, ok)
	require.NotNil(t, out)

	_, ok = aliaser.Bytes(nil)
	require.False(t, ok)
	out, err = Bytes.Append([]byte("dst"), nil)
	require.ErrorIs(t, err, ErrNil)
	require.Equal(t, []byte("dst"), out)
}

func TestUUID(t *testing.T) {
	const text = "123e4567-e89b-12d3-a456-426614174000"
	upper, err := ParseUUID("123E4567-E89B-12D3-A456-426614174000")
	require.NoError(t, err)
	require.Equal(t, text, upper.String())

	for _, bad := range []string{"", "1-1-1-1-1", text + "0", "123e4567ae89b-12d3-a456-426614174000", "g23e4567-e89b-12d3-a456-426614174000", "{23e4567-e89b-12d3-a456-42661417400}"} {
		_, err := ParseUUID(bad)
		require.ErrorIs(t, err, ErrMalformed, bad)
	}

	b, err := JSON[map[string]UUID]().Append(nil, map[string]UUID{"id": upper})
	require.NoError(t, err)
	require.Equal(t, `{"id":"`+text+`"}`, string(b))
	back, err := JSON[map[string]UUID]().Decode(b)
	require.NoError(t, err)
	require.Equal(t, upper, back["id"])
}
