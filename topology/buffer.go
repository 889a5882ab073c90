package topology

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// Buffer names the store in which [UntilWindowCloses] and [UntilTimeLimit] hold
// updates back, and says how their keys and values look there. It is unbounded unless
// [Buffer.MaxRecords] or [Buffer.MaxBytes] says otherwise.
type Buffer[K, V any] struct {
	spec       statestore.KV[[]byte, []byte]
	key        codec.Codec[K]
	value      codec.Codec[V]
	maxRecords int64 // 0 is no bound, as for bytes
	maxBytes   int64
}

// NewBuffer declares a buffer. Its changelog has a layout of its own, not that of
// Kafka Streams' suppress buffers.
func NewBuffer[K, V any](name string, key codec.Codec[K], value codec.Codec[V], opts ...statestore.Option) Buffer[K, V] {
	return Buffer[K, V]{spec: statestore.NewKV(name, codec.Bytes, codec.Bytes, opts...), key: key, value: value}
}

// MaxRecords bounds the number of keys that are held; 0 means no bound.
func (b Buffer[K, V]) MaxRecords(n int64) Buffer[K, V] {
	b.maxRecords = n
	return b
}

// MaxBytes bounds the size of the keys and updates that are held; 0 means no bound.
func (b Buffer[K, V]) MaxBytes(n int64) Buffer[K, V] {
	b.maxBytes = n
	return b
}

func (b Buffer[K, V]) check() error {
	switch {
	case b.key == nil || b.value == nil:
		return fmt.Errorf("a buffer needs a name, a key codec and a value codec: see NewBuffer")
	case b.maxRecords < 0 || b.maxBytes < 0:
		return fmt.Errorf("a buffer for %d records and %d bytes", b.maxRecords, b.maxBytes)
	}
	return nil
}

// held is an update in a buffer: all updates of its key since it was put there, as one.
type held[K, V any] struct {
	key K
	// since is the time in ms by which the buffer is ordered.
	since  int64
	update Record[K, change[V]]
}

// heldBuffer is a buffer in a task. Each key is two entries: 't', its time and
// the key, which gives the order; and 'k' and the key, which has the update.
type heldBuffer[K, V any] struct {
	spec    Buffer[K, V]
	entries *statestore.KVHandle[[]byte, []byte]
	next    *localTime // no time in the buffer is before it
	records *localTime // how many keys are held; -1 if they were not counted yet
	bytes   *localTime
	scratch []byte
}

func openBuffer[K, V any](in *Instance, b Buffer[K, V]) *heldBuffer[K, V] {
	return &heldBuffer[K, V]{spec: b, entries: b.spec.Open(in.env.State), next: in.bound(), records: in.bound(), bytes: in.bound()}
}

// find returns the update that is held of a key; entry and value are how it is stored.
func find[K, V any](b *heldBuffer[K, V], k K) (h held[K, V], entry, value []byte, ok bool, err error) {
	if entry, err = b.spec.key.Append([]byte{'k'}, k); err != nil {
		return h, nil, nil, false, err
	}
	if value, ok, err = b.entries.Get(entry); err != nil || !ok {
		return h, entry, nil, false, err
	}
	h, err = decodeHeld(b, k, value)
	return h, entry, value, err == nil, err
}

// hold puts an update into the buffer. If one of its key is there, that keeps its
// place and its old value and becomes the new one otherwise.
func hold[K, V any](b *heldBuffer[K, V], since int64, update Record[K, change[V]]) error {
	if err := count(b); err != nil {
		return err
	}
	before, entry, value, ok, err := find(b, update.Key)
	if err != nil {
		return err
	}
	if ok {
		since = before.since
		update.Value.old, update.Value.hasOld = before.update.Value.old, before.update.Value.hasOld
	}
	fresh, err := encodeHeld(b, since, update)
	if err != nil {
		return err
	}
	b.bytes.now += int64(len(fresh) - len(value))
	if !ok {
		b.records.now++
		b.bytes.now += int64(len(entry))
		b.next.now = min(b.next.now, since)
		if err := b.entries.Put(placeOf(b, since, entry), []byte{}); err != nil {
			return err
		}
	}
	return b.entries.Put(entry, fresh)
}

// placeOf returns the key that gives an entry its place in the order; it is valid until the next call.
func placeOf[K, V any](b *heldBuffer[K, V], since int64, entry []byte) []byte {
	b.scratch = binary.BigEndian.AppendUint64(append(b.scratch[:0], 't'), uint64(since))
	b.scratch = append(b.scratch, entry[1:]...)
	return b.scratch
}

// count finds out how much is held, if that is not known.
func count[K, V any](b *heldBuffer[K, V]) error {
	if b.records.now >= 0 {
		return nil
	}
	b.records.now, b.bytes.now = 0, 0
	for e, err := range statestore.Prefix(b.entries, []byte{'k'}) {
		if err != nil {
			return err
		}
		b.records.now++
		b.bytes.now += int64(len(e.Key) + len(e.Value))
	}
	return nil
}

// full reports whether more is held than the bounds allow.
func full[K, V any](b *heldBuffer[K, V]) bool {
	return b.spec.maxRecords > 0 && b.records.now > b.spec.maxRecords || b.spec.maxBytes > 0 && b.bytes.now > b.spec.maxBytes
}

// release removes updates in order while that is wanted, given the time of the
// first one, and then gives them to emit.
func release[K, V any](b *heldBuffer[K, V], wanted func(since int64) bool, emit func(held[K, V]) error) error {
	if !wanted(b.next.now) {
		return nil
	}
	var out []held[K, V]
	bound := int64(math.MaxInt64)
	for place, err := range statestore.Prefix(b.entries, []byte{'t'}) {
		if err != nil {
			return err
		}
		since := int64(binary.BigEndian.Uint64(place.Key[1:]))
		if !wanted(since) {
			bound = since
			break
		}
		entry := append([]byte{'k'}, place.Key[9:]...)
		value, _, err := b.entries.Get(entry)
		if err != nil {
			return err
		}
		k, err := b.spec.key.Decode(entry[1:])
		if err != nil {
			return err
		}
		h, err := decodeHeld(b, k, value)
		if err != nil {
			return err
		}
		if err := b.entries.Delete(place.Key); err != nil {
			return err
		}
		if err := b.entries.Delete(entry); err != nil {
			return err
		}
		b.records.now--
		b.bytes.now -= int64(len(entry) + len(value))
		out = append(out, h)
	}
	b.next.now = bound
	for _, h := range out {
		if err := emit(h); err != nil {
			return err
		}
	}
	return nil
}
