package pebblestore

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/eosproc/eosproc/statestore"
)

// MaxChanges is the largest size of one [statestore.Changes] in bytes of keys,
// values and 32 for each write or drop: far below the 4 GiB that Pebble's batches hold.
const MaxChanges = 1 << 30

const overhead = 32

// Task is the state of one task. After a fault of the disk every method returns
// that error, whichever task met it.
type Task struct {
	db      *DB
	id      string
	number  uint32
	stores  map[string]uint16
	cursors atomic.Int64
	closed  atomic.Bool
	buf     []byte // Apply's
}

var _ statestore.Base = (*Task)(nil)

func (t *Task) loadStores() error {
	t.stores = map[string]uint16{}
	return t.db.walk(appendKey(nil, t.number, 0, []byte{storeNameKey}), func(name, value []byte) error {
		if len(value) != 2 {
			return t.db.health.fail(corrupt(t.db.dir, fmt.Errorf("store %q: %w", name, errNumber)))
		}
		t.stores[string(name)] = binary.BigEndian.Uint16(value)
		return nil
	})
}

// Get implements [statestore.Base].
func (t *Task) Get(store string, key []byte) ([]byte, bool, error) {
	if t.closed.Load() {
		return nil, false, ErrClosed
	}
	number, ok := t.stores[store]
	if !ok {
		return nil, false, t.db.health.err()
	}
	buf := keyBuffers.Get().(*[]byte)
	*buf = appendKey((*buf)[:0], t.number, number, key)
	v, ok, err := t.db.get(*buf)
	keyBuffers.Put(buf)
	return v, ok, err
}

// Scan implements [statestore.Base]. A cursor holds back the removal of what it can
// see; it should be closed soon.
func (t *Task) Scan(store string, from, to []byte, reverse bool) statestore.Cursor {
	if t.closed.Load() {
		return &cursor{err: ErrClosed}
	}
	number, ok := t.stores[store]
	if !ok {
		return &cursor{err: t.db.health.err()}
	}
	lower, upper := bounds(t.number, number, from, to)
	return t.db.scan(lower, upper, prefixLen, reverse, &t.cursors)
}

// Apply implements [statestore.Base]. It does not wait for the disk unless that
// is more than three memtables behind.
func (t *Task) Apply(c *statestore.Changes) error {
	if t.closed.Load() {
		return ErrClosed
	}
	if err := t.db.health.err(); err != nil {
		return err
	}
	if err := t.fits(c); err != nil {
		return fmt.Errorf("apply changes to task %s: %w", t.id, err)
	}
	b := t.db.pebble.NewBatch()
	if err := t.fill(b, c); err != nil {
		return t.db.health.fail(err)
	}
	return t.db.apply(b)
}

// fits returns an error if changes exceed what a batch or the layout can hold.
func (t *Task) fits(c *statestore.Changes) error {
	size := len(c.Drops) * overhead
	for _, d := range c.Drops {
		size += len(d.From) + len(d.To)
	}
	for _, w := range c.Writes {
		size += overhead + len(w.Key) + len(w.Value)
	}
	if size > MaxChanges {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	if len(t.stores) < math.MaxUint16-len(c.Writes) {
		return nil
	}
	stores := maps.Clone(t.stores)
	for _, w := range c.Writes {
		stores[w.Store] = 0
	}
	if len(stores) > math.MaxUint16 {
		return fmt.Errorf("%w: %d stores", ErrTooLarge, len(stores))
	}
	return nil
}

func (t *Task) fill(b *pebble.Batch, c *statestore.Changes) error {
	for _, d := range c.Drops {
		number, ok := t.stores[d.Store]
		if !ok {
			continue
		}
		if lower, upper := bounds(t.number, number, d.From, d.To); string(lower) < string(upper) {
			if err := b.DeleteRange(lower, upper, nil); err != nil {
				return err
			}
		}
	}
	for _, w := range c.Writes {
		number, err := t.numberOf(b, w.Store)
		if err != nil {
			return err
		}
		t.buf = appendKey(t.buf[:0], t.number, number, w.Key)
		if w.Value == nil {
			err = b.Delete(t.buf, nil)
		} else {
			err = b.Set(t.buf, w.Value, nil)
		}
		if err != nil {
			return err
		}
	}
	t.buf = appendPosition(appendKey(t.buf[:0], t.number, 0, []byte{positionKey}), c.Position)
	return b.Set(t.buf[:prefixLen+1], t.buf[prefixLen+1:], nil)
}

// numberOf returns the number of a store; a new one is added to the batch.
func (t *Task) numberOf(b *pebble.Batch, store string) (uint16, error) {
	if n, ok := t.stores[store]; ok {
		return n, nil
	}
	n := uint16(len(t.stores) + 1) // Stores are never removed one by one.
	key := append(appendKey(nil, t.number, 0, []byte{storeNameKey}), store...)
	if err := b.Set(key, binary.BigEndian.AppendUint16(nil, n), nil); err != nil {
		return 0, err
	}
	t.stores[store] = n
	return n, nil
}

// Position implements [statestore.Base].
func (t *Task) Position() (statestore.Position, error) {
	if t.closed.Load() {
		return statestore.Position{}, ErrClosed
	}
	return t.db.position(t.number)
}

// Close implements [statestore.Base]. With cursors open it returns [ErrInUse] and
// does nothing.
func (t *Task) Close() error {
	if n := t.cursors.Load(); n > 0 {
		return fmt.Errorf("close task %s: %w: %d cursors", t.id, ErrInUse, n)
	}
	if !t.closed.CompareAndSwap(false, true) {
		return nil
	}
	t.db.mu.Lock()
	defer t.db.mu.Unlock()
	delete(t.db.open, t.id)
	return nil
}
