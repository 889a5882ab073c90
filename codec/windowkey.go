package codec

import (
	"encoding/binary"
	"fmt"
)

// Sizes in bytes of what follows the key in a windowed key.
const (
	TimeWindowSuffix    = 8     // start
	WindowStoreSuffix   = 8 + 4 // start, sequence number
	SessionWindowSuffix = 8 + 8 // end, start
)

// AppendTimeWindow appends the suffix of a time-windowed key on a topic: start
// in milliseconds, 8 bytes big endian. The key's own bytes are already in dst.
func AppendTimeWindow(dst []byte, start int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(start))
}

// CutTimeWindow splits a time-windowed key of a topic into the key's own bytes,
// which alias b, and the window's start. The error wraps [ErrMalformed].
func CutTimeWindow(b []byte) (key []byte, start int64, err error) {
	n := len(b) - TimeWindowSuffix
	if n < 0 {
		return nil, 0, shortWindow("windowed key", TimeWindowSuffix, len(b))
	}
	if start = int64(binary.BigEndian.Uint64(b[n:])); start < 0 {
		return nil, 0, &DecodeError{Format: "windowed key", Offset: int64(n), Want: "window start", Found: "negative time"}
	}
	return b[:n:n], start, nil
}

// AppendWindowStoreKey appends the suffix of a key in the changelog of a window
// store: start in milliseconds (8 bytes) and sequence number (4 bytes), big
// endian. The sequence number is 0 unless the store retains duplicates. It is
// signed in Kafka and so never negative here.
func AppendWindowStoreKey(dst []byte, start int64, seq int32) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(start))
	return binary.BigEndian.AppendUint32(dst, uint32(seq))
}

// CutWindowStoreKey splits a key of a window store's changelog into the key's
// own bytes, which alias b, the window's start and the sequence number. The error
// wraps [ErrMalformed].
func CutWindowStoreKey(b []byte) (key []byte, start int64, seq int32, err error) {
	n := len(b) - WindowStoreSuffix
	if n < 0 {
		return nil, 0, 0, shortWindow("window store key", WindowStoreSuffix, len(b))
	}
	start = int64(binary.BigEndian.Uint64(b[n:]))
	seq = int32(binary.BigEndian.Uint32(b[n+8:]))
	if start < 0 || seq < 0 {
		return nil, 0, 0, &DecodeError{Format: "window store key", Offset: int64(n), Want: "window start and sequence number", Found: "negative number"}
	}
	return b[:n:n], start, seq, nil
}

// AppendSessionWindow appends the suffix of a session key, on topics and in
// changelogs alike: end, then start, in milliseconds, 8 bytes big endian each.
func AppendSessionWindow(dst []byte, start, end int64) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(end))
	return binary.BigEndian.AppendUint64(dst, uint64(start))
}

// CutSessionWindow splits a session key into the key's own bytes, which alias b,
// and the session's start and end (inside). The error wraps [ErrMalformed].
func CutSessionWindow(b []byte) (key []byte, start, end int64, err error) {
	n := len(b) - SessionWindowSuffix
	if n < 0 {
		return nil, 0, 0, shortWindow("session key", SessionWindowSuffix, len(b))
	}
	end = int64(binary.BigEndian.Uint64(b[n:]))
	start = int64(binary.BigEndian.Uint64(b[n+8:]))
	if start < 0 || end < start {
		return nil, 0, 0, &DecodeError{Format: "session key", Offset: int64(n), Want: "session end and start", Found: "negative time or end before start"}
	}
	return b[:n:n], start, end, nil
}

func shortWindow(format string, want, found int) error {
	return &DecodeError{
		Format: format, Offset: -1,
		Want: fmt.Sprintf("at least %d bytes", want), Found: fmt.Sprintf("%d bytes", found),
	}
}
