package topology

import (
	"fmt"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// CountWindows counts the records of each key and window. Records with a null key
// are dropped, as are those all of whose windows are closed (see [Late]).
// A result's timestamp is the largest of those of its records. The store is for
// windows of the same size, and keeps them for size and grace at least, sliding
// ones for twice the difference, grace and 2 ms.
func CountWindows[K, V any](g Grouped[K, V], w Windows, store statestore.Window[K, int64], opts ...Option) Table[codec.Windowed[K], int64] {
	return aggregateWindows(g, "KSTREAM-AGGREGATE-", w, counting[K, V](), store, opts)
}

// ReduceWindows is [Reduce] for each window; see [CountWindows].
func ReduceWindows[K, V any](g Grouped[K, V], w Windows, reduce func(acc, v V) V, store statestore.Window[K, V], opts ...Option) Table[codec.Windowed[K], V] {
	return aggregateWindows(g, "KSTREAM-REDUCE-", w, reducing[K](reduce), store, opts)
}

// AggregateWindows is [Aggregate] for each window; see [CountWindows].
func AggregateWindows[K, V, A any](g Grouped[K, V], w Windows, init func() A, add func(k K, v V, acc A) A, store statestore.Window[K, A], opts ...Option) Table[codec.Windowed[K], A] {
	return aggregateWindows(g, "KSTREAM-AGGREGATE-", w, aggregating(init, add), store, opts)
}

func aggregateWindows[K, V, A any](g Grouped[K, V], prefix string, w Windows, f fold[K, V, A], store statestore.Window[K, A], opts []Option) Table[codec.Windowed[K], A] {
	b, o := g.s.p.b, collect(opts)
	late, final := lateOf[K, V](&o), o.final
	o.final = false
	n := b.add(processorNode, prefix, o, g.s.p.n)
	ownWindows(b, n, w, store, final)
	out := newStream[codec.Windowed[K], change[A]](b, n)
	folding[K, V, A]{
		add: f.add, nulls: w.kind != slidingWindows && (f.blind || hasNil[V]()), late: late(b, n),
	}.into(g.s, n, windowIntake(n, w, store, final, out.p))
	return windowTable(w, store, out)
}

// ownWindows gives a windowed aggregation its store, and the set of windows that
// are to come out.
func ownWindows[K, A any](b *Builder, n *node, w Windows, store statestore.Window[K, A], final bool) {
	b.own(n, store)
	c := store.Config()
	if err := w.check(c.Size.Milliseconds(), c.Retention.Milliseconds(), final); err != nil {
		b.fail(fmt.Errorf("%s: %w", n.name, err))
	}
	if final {
		b.own(n, pendingSpec(store.Name()))
	}
}

func windowTable[K, A any](w Windows, store statestore.Window[K, A], updates Stream[codec.Windowed[K], change[A]]) Table[codec.Windowed[K], A] {
	return Table[codec.Windowed[K], A]{
		updates: updates, stores: []statestore.Spec{store}, closes: w.grace,
		read: func(in *Instance) reader[codec.Windowed[K], A] {
			h := store.Open(in.env.State)
			return reader[codec.Windowed[K], A]{get: func(k codec.Windowed[K]) (A, int64, bool, error) { return h.Get(k.Key, k.Start) }}
		},
	}
}

// windowed is what an aggregation over windows has in a task.
type windowed[K, A any] struct {
	w       Windows
	h       *statestore.WindowHandle[K, A]
	next    sink[codec.Windowed[K], change[A]]
	pending *pending[K] // nil if every update is passed on
	nilable bool
}

// windowIntake is KStreamWindowAggregate and, for sliding windows, KStreamSlidingWindowAggregate.
func windowIntake[K, A any](n *node, w Windows, store statestore.Window[K, A], final bool, out *publisher[codec.Windowed[K], change[A]]) func(*Instance) intake[K, A] {
	return func(in *Instance) intake[K, A] {
		e := &windowed[K, A]{w: w, h: store.Open(in.env.State), next: out.compile(in), nilable: hasNil[A]()}
		if final {
			keys, _ := store.Codecs()
			e.pending = openPending(in, store.Name(), keys)
		}
		take := alignedIntake(e)
		if w.kind == slidingWindows {
			take = slidingIntake(e)
		}
		time := in.localTime(n)
		return func(a addition[K, A]) (late bool, err error) {
			now := time.advance(a.timestamp)
			// What has closed comes out first: the store may forget it with the record at hand.
			if e.pending != nil {
				if err := emitClosed(e, now, a.headers); err != nil {
					return false, err
				}
			}
			touched, err := take(a, now)
			return !touched, err
		}
	}
}

// alignedIntake takes a record into the windows that it is in and that are open at the stream time.
func alignedIntake[K, A any](e *windowed[K, A]) func(addition[K, A], int64) (touched bool, err error) {
	return func(a addition[K, A], now int64) (touched bool, err error) {
		if e.w.kind == unlimitedWindow {
			if a.timestamp < e.w.begin {
				return false, nil
			}
			return true, addToWindow(e, &a, e.w.begin)
		}
		for start := e.w.first(a.timestamp); start <= a.timestamp; start += e.w.advance {
			if e.w.closes(e.w.end(start)) <= now {
				continue
			}
			touched = true
			if err := addToWindow(e, &a, start); err != nil {
				return true, err
			}
		}
		return touched, nil
	}
}

// addToWindow takes a record into one window.
func addToWindow[K, A any](e *windowed[K, A], a *addition[K, A], start int64) error {
	old, ts, has, err := e.h.Get(a.key, start)
	if err != nil {
		return err
	}
	if !has {
		ts = a.timestamp
	}
	return setWindow(e, a, start, a.apply(old, has), max(ts, a.timestamp), old, has)
}

// setWindow stores the result of a window, and passes it on or notes that it is to come.
func setWindow[K, A any](e *windowed[K, A], a *addition[K, A], start int64, v A, ts int64, old A, hasOld bool) error {
	there := bit(e.nilable, &v, nullValue) == 0
	var err error
	if there {
		_, err = e.h.Put(a.key, start, v, ts)
	} else {
		err = e.h.Delete(a.key, start)
	}
	if err != nil {
		return err
	}
	end := e.w.end(start)
	if e.pending == nil {
		return e.next(Record[codec.Windowed[K], change[A]]{
			Key: codec.Windowed[K]{Key: a.key, Start: start, End: end}, Timestamp: ts, Headers: a.headers,
			Value: change[A]{new: v, hasNew: there, old: old, hasOld: hasOld},
		})
	}
	if there && !hasOld {
		return e.pending.add(a.key, start, end)
	}
	return nil // a window that was deleted is not found when it is to come out
}

// emitClosed passes on the results of the windows that are closed at the stream time.
func emitClosed[K, A any](e *windowed[K, A], now int64, h Headers) error {
	return closed(e.pending, func(end int64) bool { return e.w.closes(end) <= now }, func(w window[K]) error {
		v, ts, ok, err := e.h.Get(w.key, w.start)
		if err != nil || !ok {
			return err
		}
		return e.next(Record[codec.Windowed[K], change[A]]{
			Key: codec.Windowed[K]{Key: w.key, Start: w.start, End: w.end}, Timestamp: ts, Headers: h,
			Value: change[A]{new: v, hasNew: true},
		})
	})
}
