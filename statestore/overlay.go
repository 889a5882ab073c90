package statestore

import (
	"bytes"
	"unsafe"

	"github.com/tidwall/btree"
)

// presence is what a layer says about a key.
type presence uint8

const (
	absent    presence = iota // nothing: the layer below decides
	written                   // the key has a value
	deleted                   // the key has no value
	forgotten                 // the key has no value, and the changelog is not told
)

// overlay is what one transaction has changed in one store.
//
// Entries are never removed, only made absent, so that positions stay valid in
// index, order and the State's journal. A map finds them, since point access is
// what nearly all topologies do; the ordered index exists only if the store is scanned.
type overlay struct {
	index   map[string]int
	entries []entry
	order   *btree.Map[string, int] // nil if the store was never scanned
	drops   []keyRange              // never modified in place: the journal keeps old ones
	live    int                     // entries that are not absent
	bytes   int64                   // of keys and values that are not absent
}

type entry struct {
	key, value []byte
	presence   presence
}

type keyRange struct{ from, to []byte }

func newOverlay() *overlay { return &overlay{index: map[string]int{}} }

// text is b as a string without a copy. Only bytes that are never modified again
// may be kept as such.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// get returns what the layer says of a key, with the value if it is written.
func (o *overlay) get(key []byte) ([]byte, presence) {
	if i, ok := o.index[string(key)]; ok && o.entries[i].presence != absent {
		return o.entries[i].value, o.entries[i].presence
	}
	if o.dropped(key) {
		return nil, forgotten
	}
	return nil, absent
}

// find returns the position of a key's entry, which it makes, absent, if there is none.
func (o *overlay) find(key []byte) int {
	if i, ok := o.index[string(key)]; ok {
		return i
	}
	i, key := len(o.entries), append(make([]byte, 0, len(key)), key...)
	o.entries = append(o.entries, entry{key: key})
	o.index[text(key)] = i
	if o.order != nil {
		o.order.Set(text(key), i)
	}
	return i
}

// set is the only way to change an entry.
func (o *overlay) set(i int, value []byte, p presence) {
	e := &o.entries[i]
	o.count(e, -1)
	e.value, e.presence = value, p
	o.count(e, 1)
}

func (o *overlay) count(e *entry, sign int) {
	if e.presence != absent {
		o.live += sign
		o.bytes += int64(sign) * int64(len(e.key)+len(e.value))
	}
}

func (o *overlay) dropped(key []byte) bool {
	for _, r := range o.drops {
		if r.contains(key) {
			return true
		}
	}
	return false
}

// withDrop returns the drops with one more, and without those that it covers.
func (o *overlay) withDrop(r keyRange) []keyRange {
	var drops []keyRange
	for _, old := range o.drops {
		if !r.covers(old) {
			drops = append(drops, old)
		}
	}
	return append(drops, r)
}

func (o *overlay) changed() bool { return o.live > 0 || len(o.drops) > 0 }

// sort builds the ordered index if there is none.
func (o *overlay) sort() {
	if o.order != nil {
		return
	}
	o.order = new(btree.Map[string, int])
	for i := range o.entries {
		o.order.Set(text(o.entries[i].key), i)
	}
}

// maxKept is the number of entries up to which reset keeps the memory for the
// next transaction: a single large one must not be paid for by all that follow.
const maxKept = 1 << 16

func (o *overlay) reset() {
	ordered := o.order != nil
	if len(o.entries) > maxKept {
		*o = *newOverlay()
	} else {
		clear(o.index)
		clear(o.entries)
		*o = overlay{index: o.index, entries: o.entries[:0]}
	}
	if ordered {
		o.order = new(btree.Map[string, int])
	}
}

func (r keyRange) contains(key []byte) bool {
	return bytes.Compare(key, r.from) >= 0 && (r.to == nil || bytes.Compare(key, r.to) < 0)
}

func (r keyRange) covers(other keyRange) bool {
	return bytes.Compare(r.from, other.from) <= 0 &&
		(r.to == nil || other.to != nil && bytes.Compare(other.to, r.to) <= 0)
}

// prefixEnd returns the first key after all that begin with the prefix, nil if
// there is none.
func prefixEnd(prefix []byte) []byte {
	for n := len(prefix); n > 0; n-- {
		if prefix[n-1] < 0xff {
			end := bytes.Clone(prefix[:n])
			end[n-1]++
			return end
		}
	}
	return nil
}
