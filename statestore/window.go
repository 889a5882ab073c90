package statestore

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/eosproc/eosproc/codec"
)

// WindowConfig is what a window store has to know.
type WindowConfig struct {
	// Size of the windows, and Retention, for how long behind the observed time their
	// starts are kept: at least Size. Both at least 1ms.
	Size, Retention time.Duration
	// Duplicates keeps all values that are put for a key and start, as join buffers
	// need it (Kafka's retainDuplicates), instead of the last.
	Duplicates bool
}

// Window declares a store of values by key and window start, each with a
// timestamp: Kafka's timestamped WindowStore. It is a value, made by [NewWindow].
type Window[K, V any] struct {
	declared
	keys   codec.Codec[K]
	values codec.Codec[V]
	config WindowConfig
}

// NewWindow declares a window store.
func NewWindow[K, V any](name string, k codec.Codec[K], v codec.Codec[V], c WindowConfig, opts ...Option) Window[K, V] {
	logging := Logging{Policy: "compact,delete", Retention: c.Retention.Milliseconds()}
	spec := &windowSpec{declaration: newDeclaration(name, WindowKind, logging, opts), segments: newSegments(c.Retention)}
	spec.atLeastOne("window size", c.Size)
	spec.atLeastOne("retention", c.Retention)
	if c.Retention < c.Size && spec.fault == nil {
		spec.fault = fmt.Errorf("%w: window store %q: retention of %v is below the window size of %v", ErrDeclared, name, c.Retention, c.Size)
	}
	return Window[K, V]{declared: spec, keys: k, values: v, config: c}
}

// Config returns what the store was declared with.
func (s Window[K, V]) Config() WindowConfig { return s.config }

type windowSpec struct {
	declaration
	segments segments
}

func (*windowSpec) ToChangelog(key, value []byte) ChangelogRecord {
	return timedRecord(key[segmentPrefix:], value)
}

func (s *windowSpec) FromChangelog(r ChangelogRecord) (key, value []byte, err error) {
	_, start, _, err := codec.CutWindowStoreKey(r.Key)
	if err != nil {
		return nil, nil, fmt.Errorf("read changelog key: %w", err)
	}
	return append(s.segments.appendSegment(nil, start), r.Key...), timed(r.Timestamp, r.Value), nil
}

// WindowHandle is a window store as a task sees it. It belongs to the task's goroutine.
//
// What has expired, because its start is not after the observed time less the
// retention, is neither kept nor found.
type WindowHandle[K, V any] struct {
	coder[K, V]
	segmented
	duplicates bool
}

// Open returns the store in a task. It panics if the store was not declared.
func (s Window[K, V]) Open(o Opener) *WindowHandle[K, V] {
	return &WindowHandle[K, V]{
		coder:      newCoder(s.Name(), s.keys, s.values),
		segmented:  segmented{segments: newSegments(s.config.Retention), bytes: open(o, s), timeOf: windowStart},
		duplicates: s.config.Duplicates,
	}
}

// ObservedTime returns the largest window start that was put, in ms, and -1 if
// there was none. After a restart it is the largest that is stored.
func (h *WindowHandle[K, V]) ObservedTime() (int64, error) { return h.observedTime() }

// Get returns the value and timestamp of a key and window start, the first value
// if the store keeps duplicates. Times are in ms.
func (h *WindowHandle[K, V]) Get(k K, start int64) (v V, ts int64, ok bool, err error) {
	key, err := h.windowKey(k, start)
	if err != nil {
		return v, 0, false, err
	}
	earliest, err := h.earliest()
	if err != nil || start < earliest {
		return v, 0, false, err
	}
	b, ok, err := h.bytes.Get(key)
	if err != nil || !ok {
		return v, 0, false, err
	}
	v, ts, err = h.decodeTimed(b)
	return v, ts, err == nil, err
}

// Put sets the value and timestamp of a key and window start, or adds them if the
// store keeps duplicates. A nil value deletes. It returns kept = false, and does
// nothing, if the start has expired. Times are in ms.
func (h *WindowHandle[K, V]) Put(k K, start int64, v V, ts int64) (kept bool, err error) {
	if h.isNil(v) {
		return h.remove(k, start)
	}
	key, err := h.windowKey(k, start)
	if err != nil {
		return false, err
	}
	var prefix [8]byte
	binary.BigEndian.PutUint64(prefix[:], uint64(ts))
	value, err := h.value(prefix[:], v)
	if err != nil {
		return false, err
	}
	if kept, err = h.advance(start); err != nil || !kept {
		return false, err
	}
	if h.duplicates {
		if err := h.nextSequence(key); err != nil {
			return false, err
		}
	}
	return true, h.bytes.Put(key, value)
}

// Delete removes the value of a key and window start, all of them if the store
// keeps duplicates. Like Put it advances the observed time, as in Kafka.
func (h *WindowHandle[K, V]) Delete(k K, start int64) error {
	_, err := h.remove(k, start)
	return err
}

func (h *WindowHandle[K, V]) remove(k K, start int64) (kept bool, err error) {
	key, err := h.windowKey(k, start)
	if err != nil {
		return false, err
	}
	if kept, err = h.advance(start); err != nil || !kept {
		return false, err
	}
	if !h.duplicates {
		return true, h.bytes.Delete(key)
	}
	end := after(append([]byte(nil), key...))
	setSequence(end[:len(key)], math.MaxInt32)
	for p, err := range h.bytes.Scan(key, end, false) {
		if err != nil {
			return false, err
		}
		if len(p.Key) == len(key) {
			if err := h.bytes.Delete(p.Key); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// windowKey returns the stored key with sequence number 0, valid until the next call.
func (h *WindowHandle[K, V]) windowKey(k K, start int64) ([]byte, error) {
	if start < 0 {
		return nil, fmt.Errorf("window store %q: %w: start %d ms", h.store, ErrTime, start)
	}
	h.keyBuffer = h.appendSegment(h.keyBuffer[:0], start)
	key, err := h.appendKey(k)
	if err != nil {
		return nil, err
	}
	h.keyBuffer = codec.AppendWindowStoreKey(key, start, 0)
	return h.keyBuffer, nil
}

// nextSequence gives a key the first sequence number that is free. Those in use
// are 0 to n-1, since values of one key and start are deleted together; doubling
// and halving finds n with few point reads, where a scan would make the base open
// a cursor for each record of a join. Kafka counts in memory, from 0 after each
// restart, and then overwrites.
func (h *WindowHandle[K, V]) nextSequence(key []byte) error {
	used := func(n int64) (bool, error) {
		setSequence(key, int32(n))
		_, ok, err := h.bytes.Get(key)
		return ok, err
	}
	below, free := int64(-1), int64(0) // below is used, or -1
	for {
		ok, err := used(free)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		below, free = free, free*2+1
	}
	for free-below > 1 {
		middle := (below + free) / 2
		ok, err := used(middle)
		if err != nil {
			return err
		}
		if ok {
			below = middle
		} else {
			free = middle
		}
	}
	setSequence(key, int32(free))
	return nil
}

func setSequence(key []byte, n int32) { binary.BigEndian.PutUint32(key[len(key)-4:], uint32(n)) }

func windowStart(key []byte) (int64, error) {
	rest, err := cutSegment(key)
	if err != nil {
		return 0, err
	}
	_, start, _, err := codec.CutWindowStoreKey(rest)
	return start, err
}
