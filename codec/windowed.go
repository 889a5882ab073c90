package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// Windowed is a key within a window of event time, the key of an aggregation
// over windows. Start and End are in milliseconds since the Unix epoch, Start is
// not negative and is always inside. End is outside for time windows (tumbling,
// hopping, sliding) and inside for session windows, whose End is the time of the
// last record: the conventions of Kafka Streams.
type Windowed[K any] struct {
	Key        K
	Start, End int64
}

// TimeWindowed is a key in a window of fixed size, as Kafka Streams writes it to
// topics: the key's bytes, then the window's start in 8 bytes, big endian. The
// end is not written; Decode derives it from size, and cuts a window that would
// end past the last timestamp as Kafka does. Append answers [ErrWindow] for a
// window of another size, since it would be read back as a different one. A size
// below one millisecond fails on every call, with ErrWindow.
func TimeWindowed[K any](c Codec[K], size time.Duration) Codec[Windowed[K]] {
	return timeWindowed[K]{key: c, size: size.Milliseconds()}
}

// SessionWindowed is a key in a session window, as Kafka Streams writes it to
// topics and session store changelogs: the key's bytes, then end and start (in
// this order) in 8 bytes each, big endian.
func SessionWindowed[K any](c Codec[K]) Codec[Windowed[K]] {
	return sessionWindowed[K]{key: c}
}

type timeWindowed[K any] struct {
	key  Codec[K]
	size int64 // milliseconds
}

func (t timeWindowed[K]) Append(dst []byte, v Windowed[K]) ([]byte, error) {
	if err := t.check(); err != nil {
		return dst, fmt.Errorf("encode windowed key: %w", err)
	}
	if v.Start < 0 || v.End != windowEnd(v.Start, t.size) {
		return dst, fmt.Errorf("encode windowed key: %w [%d, %d) ms for size %d ms", ErrWindow, v.Start, v.End, t.size)
	}
	out, err := t.key.Append(dst, v.Key)
	if err != nil {
		return dst, fmt.Errorf("encode windowed key: %w", err)
	}
	return binary.BigEndian.AppendUint64(out, uint64(v.Start)), nil
}

func (t timeWindowed[K]) Decode(b []byte) (Windowed[K], error) {
	var w Windowed[K]
	if err := t.check(); err != nil {
		return w, fmt.Errorf("decode windowed key: %w", err)
	}
	key, start, err := CutTimeWindow(b)
	if err != nil {
		return w, err
	}
	if w.Key, err = t.key.Decode(key); err != nil {
		return Windowed[K]{}, fmt.Errorf("decode windowed key: %w", err)
	}
	w.Start, w.End = start, windowEnd(start, t.size)
	return w, nil
}

func (t timeWindowed[K]) check() error {
	if t.size <= 0 {
		return fmt.Errorf("%w size: want at least 1 ms", ErrWindow)
	}
	return nil
}

// windowEnd is start+size, cut off at the last timestamp there is.
func windowEnd(start, size int64) int64 {
	if start > math.MaxInt64-size {
		return math.MaxInt64
	}
	return start + size
}

type sessionWindowed[K any] struct{ key Codec[K] }

func (s sessionWindowed[K]) Append(dst []byte, v Windowed[K]) ([]byte, error) {
	if v.Start < 0 || v.End < v.Start {
		return dst, fmt.Errorf("encode session key: %w [%d, %d] ms", ErrWindow, v.Start, v.End)
	}
	out, err := s.key.Append(dst, v.Key)
	if err != nil {
		return dst, fmt.Errorf("encode session key: %w", err)
	}
	return AppendSessionWindow(out, v.Start, v.End), nil
}

func (s sessionWindowed[K]) Decode(b []byte) (Windowed[K], error) {
	var w Windowed[K]
	key, start, end, err := CutSessionWindow(b)
	if err != nil {
		return w, err
	}
	if w.Key, err = s.key.Decode(key); err != nil {
		return Windowed[K]{}, fmt.Errorf("decode session key: %w", err)
	}
	w.Start, w.End = start, end
	return w, nil
}
