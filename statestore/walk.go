package statestore

import (
	"iter"

	"github.com/tidwall/btree"
)

// walk is a walk over the keys of a tree within a range, in either direction. It
// stands on an entry while ok.
type walk[V any] struct {
	it      btree.MapIter[string, V]
	r       keyRange
	reverse bool
	ok      bool
}

// newWalk returns a walk that stands on the range's first entry, its last if
// reverse. The tree must not be modified while it is used.
func newWalk[V any](tree *btree.Map[string, V], r keyRange, reverse bool) walk[V] {
	w := walk[V]{it: tree.Iter(), r: r, reverse: reverse}
	switch {
	case !reverse:
		w.ok = w.it.Seek(text(r.from))
	case r.to != nil && w.it.Seek(text(r.to)):
		w.ok = w.it.Prev()
	default:
		w.ok = w.it.Last()
	}
	w.check()
	return w
}

func (w *walk[V]) next() {
	if w.reverse {
		w.ok = w.it.Prev()
	} else {
		w.ok = w.it.Next()
	}
	w.check()
}

// check ends the walk at the range's far end.
func (w *walk[V]) check() {
	if w.ok && w.reverse {
		w.ok = w.it.Key() >= text(w.r.from)
	} else if w.ok && w.r.to != nil {
		w.ok = w.it.Key() < text(w.r.to)
	}
}

func (w *walk[V]) key() string { return w.it.Key() }
func (w *walk[V]) value() V    { return w.it.Value() }

// inRange yields the positions of the entries within a range. The overlay must be sorted.
func (o *overlay) inRange(r keyRange) iter.Seq[int] {
	return func(yield func(int) bool) {
		for w := newWalk(o.order, r, false); w.ok && yield(w.value()); {
			w.next()
		}
	}
}
