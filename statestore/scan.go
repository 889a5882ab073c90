package statestore

import (
	"bytes"
	"fmt"
	"iter"
)

// Pair is an entry as it is stored. Both slices may be kept and must not be modified.
type Pair struct{ Key, Value []byte }

// Scan walks over the keys in [from, to) in the order of their bytes, or from the
// last to the first if reverse. A nil from is the beginning, a nil to the end.
// Writes during the walk are allowed; those that lie ahead are seen. The
// transaction must not end during it. An error ends the walk.
func (b *Bytes) Scan(from, to []byte, reverse bool) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		s := newScan(b, keyRange{from: bytes.Clone(from), to: bytes.Clone(to)}, reverse)
		more := true
		for more && s.next() {
			more = yield(s.pair, nil)
		}
		if err := s.base.Close(); err != nil && more {
			yield(Pair{}, fmt.Errorf("scan store %q: %w", b.name, err))
		}
	}
}

// scan merges the three layers of a store. The base cannot change during a walk
// and is read by one cursor. The sealed overlay cannot either. The open one may
// grow between two steps, and is then entered anew after the last key.
type scan struct {
	store        *Bytes
	reverse      bool
	bounds       keyRange
	last         []byte // the last key given, nil at first
	open, sealed walk[int]
	entries      int // of the open overlay when it was entered
	base         Cursor
	baseOK       bool
	pair         Pair
}

func newScan(b *Bytes, r keyRange, reverse bool) *scan {
	b.sort()
	s := &scan{store: b, reverse: reverse, bounds: r, base: b.state.base.Scan(b.name, r.from, r.to, reverse)}
	s.enter()
	s.sealed = newWalk(b.sealed.order, r, reverse)
	s.baseOK = s.base.Next()
	return s
}

func (s *scan) enter() {
	rest := s.bounds
	switch {
	case s.last == nil:
	case s.reverse:
		rest.to = s.last
	default:
		rest.from = after(s.last)
	}
	s.open = newWalk(s.store.open.order, rest, s.reverse)
	s.entries = len(s.store.open.entries)
}

// next moves to the next key that has a value.
func (s *scan) next() bool {
	if len(s.store.open.entries) != s.entries {
		s.enter()
	}
	for {
		key, ok := s.nearest()
		if !ok {
			return false
		}
		value, visible := s.look(key)
		if visible {
			s.pair = Pair{Key: key, Value: value}
			s.last = key
			return true
		}
	}
}

// nearest returns the key that comes next in any of the layers, as bytes that stay.
func (s *scan) nearest() (key []byte, ok bool) {
	if s.open.ok {
		key, ok = s.store.open.entries[s.open.value()].key, true
	}
	if s.sealed.ok {
		if k := s.store.sealed.entries[s.sealed.value()].key; !ok || s.before(k, key) {
			key, ok = k, true
		}
	}
	if s.baseOK {
		if k := s.base.Key(); !ok || s.before(k, key) {
			key, ok = append(make([]byte, 0, len(k)), k...), true
		}
	}
	return key, ok
}

func (s *scan) before(a, b []byte) bool { return bytes.Compare(a, b) < 0 != s.reverse }

// look returns the value that the layers give to the nearest key, and moves
// those on that stand on it.
func (s *scan) look(key []byte) (value []byte, visible bool) {
	value, p := s.store.open.get(key)
	if p == absent {
		value, p = s.store.sealed.get(key)
	}
	if s.open.ok && s.open.key() == text(key) {
		s.open.next()
	}
	if s.sealed.ok && s.sealed.key() == text(key) {
		s.sealed.next()
	}
	if s.baseOK && bytes.Equal(s.base.Key(), key) {
		if p == absent {
			v := s.base.Value()
			value, p = append(make([]byte, 0, len(v)), v...), written
		}
		s.baseOK = s.base.Next()
	}
	return value, p == written
}

// after returns the first key after key.
func after(key []byte) []byte { return append(key[:len(key):len(key)], 0) }
