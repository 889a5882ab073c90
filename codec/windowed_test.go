package codec

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWindowOfAnotherSizeIsRefused(t *testing.T) {
	c := TimeWindowed(String, time.Minute)
	for _, w := range []Windowed[string]{
		{Key: "k", Start: 0, End: 59_999},
		{Key: "k", Start: 0, End: 0},
		{Key: "k", Start: -60_000, End: 0},
		{Key: "k", Start: math.MaxInt64 - 1, End: math.MinInt64 + 59_998},
	} {
		out, err := c.Append([]byte("dst"), w)
		require.ErrorIs(t, err, ErrWindow)
		require.Equal(t, []byte("dst"), out)
	}
	for _, w := range []Windowed[string]{{Start: -1, End: 0}, {Start: 2, End: 1}} {
		_, err := SessionWindowed(String).Append(nil, w)
		require.ErrorIs(t, err, ErrWindow)
	}
}

func TestWindowSizeBelowOneMillisecond(t *testing.T) {
	for _, size := range []time.Duration{0, -time.Hour, time.Microsecond} {
		c := TimeWindowed(String, size)
		_, err := c.Append(nil, Windowed[string]{})
		require.ErrorIs(t, err, ErrWindow)
		_, err = c.Decode(make([]byte, 9))
		require.ErrorIs(t, err, ErrWindow)
	}
}

func TestWindowedInnerErrors(t *testing.T) {
	key := TimeWindowed(Int64, time.Minute)
	_, err := key.Decode(make([]byte, 12)) // 4 bytes of key
	require.ErrorIs(t, err, ErrMalformed)
	require.EqualError(t, err, "decode windowed key: decode int64: want 8 bytes, found 4 bytes")

	refuse := failing{errors.New("refused")}
	out, err := TimeWindowed(refuse, time.Minute).Append([]byte("dst"), Windowed[string]{End: 60_000})
	require.ErrorIs(t, err, refuse.err)
	require.Equal(t, []byte("dst"), out)
	out, err = SessionWindowed(refuse).Append([]byte("dst"), Windowed[string]{})
	require.ErrorIs(t, err, refuse.err)
	require.Equal(t, []byte("dst"), out)
}

func TestNegativeWindowIsMalformed(t *testing.T) {
	b := binary.BigEndian.AppendUint64([]byte("k"), 1<<63)
	_, err := TimeWindowed(String, time.Minute).Decode(b)
	require.ErrorIs(t, err, ErrMalformed)
	_, err = SessionWindowed(String).Decode(AppendSessionWindow([]byte("k"), 5, 4))
	require.ErrorIs(t, err, ErrMalformed)
	_, _, _, err = CutWindowStoreKey(AppendWindowStoreKey(nil, 0, -1))
	require.ErrorIs(t, err, ErrMalformed)
}

// A cut key has no spare capacity: appending to it must not write into the record.
func TestCutKeyCannotOverwriteTheRecord(t *testing.T) {
	b := AppendTimeWindow([]byte("key"), 7)
	key, start, err := CutTimeWindow(b)
	require.NoError(t, err)
	require.EqualValues(t, 7, start)
	_ = append(key, "overwritten"...) // the result is of no interest, b is
	require.Equal(t, AppendTimeWindow([]byte("key"), 7), b)
}

// Windows nest: the inner suffix is part of the outer key.
func TestNestedWindows(t *testing.T) {
	c := SessionWindowed(TimeWindowed(String, time.Second))
	in := Windowed[Windowed[string]]{Key: Windowed[string]{Key: "k", Start: 1000, End: 2000}, Start: 3, End: 4}
	b, err := c.Append(nil, in)
	require.NoError(t, err)
	out, err := c.Decode(b)
	require.NoError(t, err)
	require.Equal(t, in, out)
}

type failing struct{ err error }

func (f failing) Append(dst []byte, _ string) ([]byte, error) {
	return append(dst, "half written"...), f.err
}
func (f failing) Decode([]byte) (string, error) { return "", f.err }

func FuzzWindowed(f *testing.F) {
	f.Add([]byte("key"), int64(0), int64(0), int32(0))
	f.Add([]byte{}, int64(math.MaxInt64), int64(math.MaxInt64), int32(1))
	f.Fuzz(func(t *testing.T, raw []byte, start, end int64, seq int32) {
		size := time.Duration(end%1_000_000) * time.Millisecond
		for _, c := range []Codec[Windowed[[]byte]]{TimeWindowed(Bytes, size), SessionWindowed(Bytes)} {
			// Any bytes: an error or a value that is written back the same.
			if w, err := c.Decode(raw); err == nil {
				out, err := c.Append(nil, w)
				require.NoError(t, err)
				require.Equal(t, raw, out)
			}
			// Any value: an error or bytes that read back the same.
			w := Windowed[[]byte]{Key: raw, Start: start, End: end}
			if b, err := c.Append(nil, w); err == nil {
				back, err := c.Decode(b)
				require.NoError(t, err)
				require.Equal(t, w, back)
			}
		}
		if key, s, q, err := CutWindowStoreKey(raw); err == nil {
			require.Equal(t, raw, AppendWindowStoreKey(append([]byte{}, key...), s, q))
		}
		if start >= 0 && seq >= 0 {
			key, s, q, err := CutWindowStoreKey(AppendWindowStoreKey(append([]byte{}, raw...), start, seq))
			require.NoError(t, err)
			require.Equal(t, raw, key)
			require.Equal(t, []any{start, seq}, []any{s, q})
		}
	})
}
