package topology

import (
	"fmt"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// CountSessions counts the records of each key and session. A record that lies
// within the gap of sessions is merged with them: the old ones are deleted, the new one
// is their sum. Records with a null key are dropped, as are those whose session, with
// all that it is merged with, is closed (see [Late]). A result's timestamp is the end of
// its session. The store keeps sessions for more than gap and grace.
func CountSessions[K, V any](g Grouped[K, V], s Sessions, store statestore.Session[K, int64], opts ...Option) Table[codec.Windowed[K], int64] {
	return aggregateSessions(g, "KSTREAM-AGGREGATE-", s, counting[K, V](), store, opts)
}

// ReduceSessions is [Reduce] for each session; see [CountSessions]. Results of
// sessions that merge are combined by reduce, too.
func ReduceSessions[K, V any](g Grouped[K, V], s Sessions, reduce func(acc, v V) V, store statestore.Session[K, V], opts ...Option) Table[codec.Windowed[K], V] {
	return aggregateSessions(g, "KSTREAM-REDUCE-", s, reducing[K](reduce), store, opts)
}

// AggregateSessions is [Aggregate] for each session; see [CountSessions]. A record's session
// begins as init gives it, takes in the results of the sessions that it merges with, by
// merge and in order of time, then the record.
func AggregateSessions[K, V, A any](g Grouped[K, V], s Sessions, init func() A, add func(k K, v V, acc A) A, merge func(k K, a, b A) A, store statestore.Session[K, A], opts ...Option) Table[codec.Windowed[K], A] {
	f := aggregating(init, add)
	f.merge = merging(init, merge)
	return aggregateSessions(g, "KSTREAM-AGGREGATE-", s, f, store, opts)
}

func aggregateSessions[K, V, A any](g Grouped[K, V], prefix string, s Sessions, f fold[K, V, A], store statestore.Session[K, A], opts []Option) Table[codec.Windowed[K], A] {
	b, o := g.s.p.b, collect(opts)
	late, final := lateOf[K, V](&o), o.final
	o.final = false
	n := b.add(processorNode, prefix, o, g.s.p.n)
	ownSessions(b, n, s, store, final)
	out := newStream[codec.Windowed[K], change[A]](b, n)
	folding[K, V, A]{add: f.add, nulls: f.blind || hasNil[V](), late: late(b, n)}.into(g.s, n, sessionIntake(n, s, f.merge, store, final, out.p))
	return sessionTable(s, store, out)
}

func ownSessions[K, A any](b *Builder, n *node, s Sessions, store statestore.Session[K, A], final bool) {
	b.own(n, store)
	if err := s.check(store.Config().Retention.Milliseconds()); err != nil {
		b.fail(fmt.Errorf("%s: %w", n.name, err))
	}
	if final {
		b.own(n, pendingSpec(store.Name()))
	}
}

func sessionTable[K, A any](s Sessions, store statestore.Session[K, A], updates Stream[codec.Windowed[K], change[A]]) Table[codec.Windowed[K], A] {
	return Table[codec.Windowed[K], A]{
		updates: updates, stores: []statestore.Spec{store}, closes: s.gap + s.grace,
		read: func(in *Instance) reader[codec.Windowed[K], A] {
			h := store.Open(in.env.State)
			return reader[codec.Windowed[K], A]{get: func(k codec.Windowed[K]) (A, int64, bool, error) {
				v, ok, err := h.Get(k.Key, k.Start, k.End)
				return v, k.End, ok, err
			}}
		},
	}
}

// sessionAggregator is what an aggregation over sessions has in a task.
type sessionAggregator[K, A any] struct {
	h       *statestore.SessionHandle[K, A]
	next    sink[codec.Windowed[K], change[A]]
	pending *pending[K] // nil if every update is passed on
	nilable bool
}

// sessionIntake is KStreamSessionWindowAggregate, with one difference: a session
// that stays as it is when a record falls into it is updated, not deleted and made again.
func sessionIntake[K, A any](n *node, s Sessions, merge func(K, A, bool, A) A, store statestore.Session[K, A], final bool, out *publisher[codec.Windowed[K], change[A]]) func(*Instance) intake[K, A] {
	return func(in *Instance) intake[K, A] {
		e := &sessionAggregator[K, A]{h: store.Open(in.env.State), next: out.compile(in), nilable: hasNil[A]()}
		if final {
			keys, _ := store.Codecs()
			e.pending = openPending(in, store.Name(), keys)
		}
		time := in.localTime(n)
		return func(a addition[K, A]) (late bool, err error) {
			now := time.advance(a.timestamp)
			open := func(end int64) bool { return after(end, s.gap+s.grace) >= now }
			if e.pending != nil {
				// What has closed comes out first: the store may forget it with the record at hand.
				if err := emitClosedSessions(e, open, a.headers); err != nil {
					return false, err
				}
			}
			start, end := a.timestamp, a.timestamp
			var acc A
			has := false
			var found []statestore.SessionEntry[K, A]
			for old, err := range statestore.Find(e.h, a.key, max(0, a.timestamp-s.gap), after(a.timestamp, s.gap)) {
				if err != nil {
					return false, err
				}
				found = append(found, old)
				start, end = min(start, old.Start), max(end, old.End)
				acc, has = merge(a.key, acc, has, old.Value), true
			}
			if !open(end) {
				return true, nil
			}
			c := change[A]{}
			for _, old := range found {
				if old.Start == start && old.End == end {
					c.old, c.hasOld = old.Value, true
					continue
				}
				if err := e.h.Delete(a.key, old.Start, old.End); err != nil {
					return false, err
				}
				gone := change[A]{old: old.Value, hasOld: true}
				if err := passSession(e, a.key, old.Start, old.End, a.headers, gone); err != nil {
					return false, err
				}
			}
			c.new = a.apply(acc, has)
			c.hasNew = bit(e.nilable, &c.new, nullValue) == 0
			if c.hasNew {
				_, err = e.h.Put(a.key, start, end, c.new)
			} else {
				err = e.h.Delete(a.key, start, end)
			}
			if err != nil {
				return false, err
			}
			return false, passSession(e, a.key, start, end, a.headers, c)
		}
	}
}

// passSession passes on a change of a session, or notes what is to come of it.
func passSession[K, A any](e *sessionAggregator[K, A], k K, start, end int64, h Headers, c change[A]) error {
	switch {
	case e.pending == nil:
		return e.next(Record[codec.Windowed[K], change[A]]{
			Key: codec.Windowed[K]{Key: k, Start: start, End: end}, Value: c, Timestamp: end, Headers: h,
		})
	case c.hasNew && !c.hasOld:
		return e.pending.add(k, start, end)
	case !c.hasNew && c.hasOld:
		return e.pending.remove(k, start, end)
	}
	return nil
}

// emitClosedSessions passes on the results of the sessions that are closed.
func emitClosedSessions[K, A any](e *sessionAggregator[K, A], open func(end int64) bool, h Headers) error {
	return closed(e.pending, func(end int64) bool { return !open(end) }, func(w window[K]) error {
		v, ok, err := e.h.Get(w.key, w.start, w.end)
		if err != nil || !ok {
			return err
		}
		return e.next(Record[codec.Windowed[K], change[A]]{
			Key: codec.Windowed[K]{Key: w.key, Start: w.start, End: w.end}, Timestamp: w.end, Headers: h,
			Value: change[A]{new: v, hasNew: true},
		})
	})
}
