package statestore

import (
	"encoding/binary"
	"iter"

	"github.com/eosproc/eosproc/codec"
)

// TimestampedKV declares a store whose values have a timestamp: Kafka's
// TimestampedKeyValueStore, what a table is kept in. It is a value, made by [NewTimestampedKV].
type TimestampedKV[K, V any] struct {
	declared
	keys   codec.Codec[K]
	values codec.Codec[V]
}

// NewTimestampedKV declares a store whose values have a timestamp.
func NewTimestampedKV[K, V any](name string, k codec.Codec[K], v codec.Codec[V], opts ...Option) TimestampedKV[K, V] {
	d := newDeclaration(name, TimestampedKind, Logging{Policy: "compact"}, opts)
	return TimestampedKV[K, V]{declared: &timestampedSpec{d}, keys: k, values: v}
}

type timestampedSpec struct{ declaration }

func (*timestampedSpec) ToChangelog(key, value []byte) ChangelogRecord {
	return timedRecord(key, value)
}

func (*timestampedSpec) FromChangelog(r ChangelogRecord) (key, value []byte, err error) {
	return r.Key, timed(r.Timestamp, r.Value), nil
}

// TimestampedHandle is a timestamped store as a task sees it. It belongs to the
// task's goroutine.
type TimestampedHandle[K, V any] struct {
	coder[K, V]
	bytes *Bytes
}

// Open returns the store in a task. It panics if the store was not declared.
func (s TimestampedKV[K, V]) Open(o Opener) *TimestampedHandle[K, V] {
	return &TimestampedHandle[K, V]{coder: newCoder(s.Name(), s.keys, s.values), bytes: open(o, s)}
}

// Get returns a key's value and its timestamp in ms.
func (h *TimestampedHandle[K, V]) Get(k K) (v V, ts int64, ok bool, err error) {
	key, err := h.key(k)
	if err != nil {
		return v, 0, false, err
	}
	b, ok, err := h.bytes.Get(key)
	if err != nil || !ok {
		return v, 0, false, err
	}
	v, ts, err = h.decodeTimed(b)
	return v, ts, err == nil, err
}

// Put sets a key's value and its timestamp in ms, which may be before that of the
// value it replaces. A nil value deletes.
func (h *TimestampedHandle[K, V]) Put(k K, v V, ts int64) error {
	if h.isNil(v) {
		return h.Delete(k)
	}
	key, err := h.key(k)
	if err != nil {
		return err
	}
	var prefix [8]byte
	binary.BigEndian.PutUint64(prefix[:], uint64(ts))
	value, err := h.value(prefix[:], v)
	if err != nil {
		return err
	}
	return h.bytes.Put(key, value)
}

// Delete removes a key, which need not be there.
func (h *TimestampedHandle[K, V]) Delete(k K) error {
	key, err := h.key(k)
	if err != nil {
		return err
	}
	return h.bytes.Delete(key)
}

// TimestampedEntry is an entry of a timestamped store; Timestamp in ms.
type TimestampedEntry[K, V any] struct {
	Key       K
	Value     V
	Timestamp int64
}

// TimestampedRange walks over the keys from from to to, both included, in the
// order of their bytes. A nil from is the beginning, a nil to the end. The store
// may be written during the walk; an error ends it.
func TimestampedRange[K, V any](h *TimestampedHandle[K, V], from, to *K) iter.Seq2[TimestampedEntry[K, V], error] {
	return timestampedEntries(h, from, to, false)
}

// TimestampedReverse is [TimestampedRange] from the last key to the first.
func TimestampedReverse[K, V any](h *TimestampedHandle[K, V], from, to *K) iter.Seq2[TimestampedEntry[K, V], error] {
	return timestampedEntries(h, from, to, true)
}

// TimestampedAll walks over the whole store.
func TimestampedAll[K, V any](h *TimestampedHandle[K, V]) iter.Seq2[TimestampedEntry[K, V], error] {
	return timestampedEntries(h, nil, nil, false)
}

func timestampedEntries[K, V any](h *TimestampedHandle[K, V], from, to *K, reverse bool) iter.Seq2[TimestampedEntry[K, V], error] {
	pairs := scanBounds(h.bytes, keyBounds(&h.coder, from, to), reverse)
	return decoded(pairs, func(p Pair) (e TimestampedEntry[K, V], ok bool, err error) {
		if e.Value, e.Timestamp, err = h.decodeTimed(p.Value); err == nil {
			e.Key, err = h.decodeKey(p.Key)
		}
		return e, true, err
	})
}
