package statestore

import (
	"bytes"
	"encoding/binary"
	"iter"

	"github.com/eosproc/eosproc/codec"
)

// KV declares a key-value store: Kafka's KeyValueStore. It is a value, made by
// [NewKV], and may be used for many tasks.
type KV[K, V any] struct {
	declared
	keys   codec.Codec[K]
	values codec.Codec[V]
	ttl    int64
}

// NewKV declares a key-value store.
func NewKV[K, V any](name string, k codec.Codec[K], v codec.Codec[V], opts ...Option) KV[K, V] {
	d := newDeclaration(name, KeyValueKind, Logging{Policy: "compact"}, opts)
	return KV[K, V]{declared: &kvSpec{d}, keys: k, values: v, ttl: d.ttl}
}

// kvSpec logs entries as they are stored, expiry time included: Kafka has no such stores.
type kvSpec struct{ declaration }

func (*kvSpec) ToChangelog(key, value []byte) ChangelogRecord {
	return ChangelogRecord{Key: key, Value: value, Timestamp: -1}
}

func (*kvSpec) FromChangelog(r ChangelogRecord) (key, value []byte, err error) {
	return r.Key, r.Value, nil
}

// KVHandle is a key-value store as a task sees it. It belongs to the task's goroutine.
type KVHandle[K, V any] struct {
	coder[K, V]
	bytes   *Bytes
	ttl     int64 // ms, 0 is none
	sweeper sweeper
}

// Open returns the store in a task. It panics if the store was not declared.
func (s KV[K, V]) Open(o Opener) *KVHandle[K, V] {
	return &KVHandle[K, V]{coder: newCoder(s.Name(), s.keys, s.values), bytes: open(o, s), ttl: s.ttl}
}

// Get returns a key's value.
func (h *KVHandle[K, V]) Get(k K) (v V, ok bool, err error) {
	key, err := h.key(k)
	if err != nil {
		return v, false, err
	}
	b, ok, err := h.bytes.Get(key)
	if err != nil || !ok {
		return v, false, err
	}
	return h.visible(b)
}

// Put sets a key's value. A nil value deletes.
func (h *KVHandle[K, V]) Put(k K, v V) error {
	if h.isNil(v) {
		return h.Delete(k)
	}
	key, err := h.key(k)
	if err != nil {
		return err
	}
	var prefix [8]byte
	n := 0
	if h.ttl > 0 {
		binary.BigEndian.PutUint64(prefix[:], uint64(h.bytes.state.now+h.ttl))
		n = len(prefix)
	}
	value, err := h.value(prefix[:n], v)
	if err != nil {
		return err
	}
	if err := h.bytes.Put(key, value); err != nil || h.ttl == 0 || !h.sweeper.due() {
		return err
	}
	return h.sweep()
}

// PutIfAbsent sets a key's value if it has none, and returns the one it had.
func (h *KVHandle[K, V]) PutIfAbsent(k K, v V) (old V, existed bool, err error) {
	if old, existed, err = h.Get(k); err != nil || existed {
		return old, existed, err
	}
	return old, false, h.Put(k, v)
}

// Delete removes a key, which need not be there.
func (h *KVHandle[K, V]) Delete(k K) error {
	key, err := h.key(k)
	if err != nil {
		return err
	}
	return h.bytes.Delete(key)
}

// visible decodes a stored value unless it has expired.
func (h *KVHandle[K, V]) visible(b []byte) (v V, ok bool, err error) {
	if h.ttl > 0 {
		var expiry int64
		if expiry, b, err = cutTime(b); err != nil || expiry <= h.bytes.state.now {
			return v, false, err
		}
	}
	v, err = h.decodeValue(b)
	return v, err == nil, err
}

// sweep deletes some of the expired entries. The changelog is told: its compaction
// knows nothing of expiry.
func (h *KVHandle[K, V]) sweep() error {
	n := 0
	for p, err := range h.bytes.Scan(h.sweeper.next, nil, false) {
		if err != nil {
			return err
		}
		if n++; n > sweepSize {
			h.sweeper.next = p.Key
			return nil
		}
		expiry, _, err := cutTime(p.Value)
		if err != nil {
			return err
		}
		if expiry <= h.bytes.state.now {
			if err := h.bytes.Delete(p.Key); err != nil {
				return err
			}
		}
	}
	h.sweeper.next = nil
	return nil
}

// Entry is an entry of a key-value store.
type Entry[K, V any] struct {
	Key   K
	Value V
}

// RangeScan walks over the keys from from to to, both included, in the order of
// their bytes. A nil from is the beginning, a nil to the end. The store may be
// written during the walk; an error ends it.
func RangeScan[K, V any](h *KVHandle[K, V], from, to *K) iter.Seq2[Entry[K, V], error] {
	return entries(h, keyBounds(&h.coder, from, to), false)
}

// Reverse is [RangeScan] from the last key to the first.
func Reverse[K, V any](h *KVHandle[K, V], from, to *K) iter.Seq2[Entry[K, V], error] {
	return entries(h, keyBounds(&h.coder, from, to), true)
}

// All walks over the whole store.
func All[K, V any](h *KVHandle[K, V]) iter.Seq2[Entry[K, V], error] {
	return RangeScan(h, nil, nil)
}

// Prefix walks over the keys whose bytes begin with prefix.
func Prefix[K, V any](h *KVHandle[K, V], prefix []byte) iter.Seq2[Entry[K, V], error] {
	r := keyRange{from: bytes.Clone(prefix), to: prefixEnd(prefix)}
	return entries(h, func() (keyRange, error) { return r, nil }, false)
}

// keyBounds returns what encodes the bounds of a walk, both included.
func keyBounds[K, V any](c *coder[K, V], from, to *K) func() (keyRange, error) {
	return func() (r keyRange, err error) {
		if from != nil {
			if r.from, err = c.key(*from); err != nil {
				return r, err
			}
			r.from = bytes.Clone(r.from)
		}
		if to != nil {
			if r.to, err = c.key(*to); err != nil {
				return r, err
			}
			r.to = after(r.to)
		}
		return r, nil
	}
}

// scanBounds scans a range that may be impossible to encode.
func scanBounds(b *Bytes, bounds func() (keyRange, error), reverse bool) iter.Seq2[Pair, error] {
	r, err := bounds()
	if err != nil {
		return func(yield func(Pair, error) bool) { yield(Pair{}, err) }
	}
	return b.Scan(r.from, r.to, reverse)
}

func entries[K, V any](h *KVHandle[K, V], bounds func() (keyRange, error), reverse bool) iter.Seq2[Entry[K, V], error] {
	return decoded(scanBounds(h.bytes, bounds, reverse), func(p Pair) (e Entry[K, V], ok bool, err error) {
		if e.Value, ok, err = h.visible(p.Value); ok {
			e.Key, err = h.decodeKey(p.Key)
		}
		return e, ok, err
	})
}

// decoded turns a walk over bytes into one over entries, leaving out those for
// which decode returns false.
func decoded[E any](pairs iter.Seq2[Pair, error], decode func(Pair) (E, bool, error)) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		var none E
		for p, err := range pairs {
			e, ok := none, false
			if err == nil {
				e, ok, err = decode(p)
			}
			if err != nil {
				yield(none, err)
				return
			}
			if ok && !yield(e, nil) {
				return
			}
		}
	}
}
