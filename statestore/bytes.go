package statestore

import (
	"bytes"
	"fmt"
)

// Bytes is a declared store as the open transaction sees it: the open overlay
// over the sealed one over the base. It is what the typed stores are made of,
// and belongs to the task's goroutine.
type Bytes struct {
	state        *State
	spec         Spec
	name         string
	open, sealed *overlay
	observed     observed
}

// Get returns a key's value. The value must not be modified and may be kept; the
// key may be modified afterwards.
func (b *Bytes) Get(key []byte) (value []byte, ok bool, err error) {
	if v, p := b.open.get(key); p != absent {
		return v, p == written, nil
	}
	if v, p := b.sealed.get(key); p != absent {
		return v, p == written, nil
	}
	value, ok, err = b.state.base.Get(b.name, key)
	if err != nil {
		return nil, false, fmt.Errorf("read store %q: %w", b.name, err)
	}
	return value, ok, nil
}

// Put sets a key's value. It keeps value, which must not be modified afterwards,
// but not key. A nil value deletes; an empty one does not.
func (b *Bytes) Put(key, value []byte) error {
	if value == nil {
		return b.Delete(key)
	}
	b.change(b.open.find(key), value, written)
	return nil
}

// Delete removes a key, which need not be there. The changelog gets a tombstone.
func (b *Bytes) Delete(key []byte) error {
	b.change(b.open.find(key), nil, deleted)
	return nil
}

// Drop forgets the keys in [from, to) without a word to the changelog: retention,
// which the changelog has of its own. A nil from is the beginning, a nil to the
// end. What is put into the range later is there.
func (b *Bytes) Drop(from, to []byte) error {
	r := keyRange{from: bytes.Clone(from), to: bytes.Clone(to)}
	b.sort()
	for i := range b.open.inRange(r) {
		if b.open.entries[i].presence != absent {
			b.change(i, nil, absent)
		}
	}
	b.state.journal = append(b.state.journal, undo{store: b, what: undoDrop, drops: b.open.drops})
	b.open.drops = b.open.withDrop(r)
	return nil
}

// forget removes one key as Drop does.
func (b *Bytes) forget(key []byte) { b.change(b.open.find(key), nil, forgotten) }

// change sets an entry of the open overlay and notes how it was.
func (b *Bytes) change(i int, value []byte, p presence) {
	e := &b.open.entries[i]
	b.state.journal = append(b.state.journal, undo{store: b, what: undoEntry, at: i, value: e.value, presence: e.presence})
	b.open.set(i, value, p)
}

// sort gives both overlays their ordered index, which they keep from then on.
func (b *Bytes) sort() {
	b.open.sort()
	b.sealed.sort()
}
