package topology

import (
	"errors"
	"time"

	"github.com/eosproc/eosproc/codec"
)

// UntilWindowCloses passes on one update of each window: its last, once the
// window and its grace are over (Suppressed.untilWindowCloses of Kafka Streams). The
// table is a windowed aggregation, with table operators between at most; its grace, and
// the gap of sessions, is known from there. Time is the largest timestamp of the
// updates that have arrived here. Windows whose last update deletes them do not come
// out. Those that come out together are in the order of their ends, then of their
// keys' bytes.
//
// To come out early would not be final: an update that the buffer has no place for
// fails with [ErrBufferFull].
func UntilWindowCloses[K, V any](t Table[codec.Windowed[K], V], hold Buffer[codec.Windowed[K], V], opts ...Option) Table[codec.Windowed[K], V] {
	if t.closes < 0 {
		t.b().fail(errors.New("UntilWindowCloses needs the table of a windowed aggregation"))
	}
	end := func(r *Record[codec.Windowed[K], change[V]]) int64 { return r.Key.End }
	return suppress(t, hold, end, t.closes, true, opts)
}

// UntilTimeLimit passes on at most one update of each key within a time: the
// first one that arrives is held, and comes out as the last that has arrived by
// then, when the stream time is limit further (Suppressed.untilTimeLimit of Kafka
// Streams). Time is the largest timestamp of the updates that have arrived here. When
// the buffer has no place for an update, those that have been held longest come out early.
func UntilTimeLimit[K, V any](t Table[K, V], limit time.Duration, hold Buffer[K, V], opts ...Option) Table[K, V] {
	if limit < 0 {
		t.b().fail(errors.New("UntilTimeLimit with a negative limit"))
	}
	since := func(r *Record[K, change[V]]) int64 { return r.Timestamp }
	return suppress(t, hold, since, limit.Milliseconds(), false, opts)
}

// suppress is KTableSuppressProcessor: an update is held for wait ms after the time since.
func suppress[K, V any](t Table[K, V], buffer Buffer[K, V], since func(*Record[K, change[V]]) int64, wait int64, final bool, opts []Option) Table[K, V] {
	b, o := t.b(), collect(opts)
	if o.name != "" {
		b.counter-- // a name uses up no number here, unlike everywhere else in Kafka Streams
	}
	n := b.add(processorNode, "KTABLE-SUPPRESS-", o, t.node())
	out := Table[K, V]{updates: newStream[K, change[V]](b, n), closes: t.closes}
	if err := buffer.check(); err != nil {
		b.fail(errors.New(n.name + ": " + err.Error()))
		return out
	}
	b.own(n, buffer.spec)
	out.stores = append(t.stores[:len(t.stores):len(t.stores)], buffer.spec)
	out.read = func(in *Instance) reader[K, V] { return suppressedRows(t.read(in), openBuffer(in, buffer)) }
	t.updates.p.children = append(t.updates.p.children, func(in *Instance) sink[K, change[V]] {
		held, next, clock := openBuffer(in, buffer), out.updates.p.compile(in), in.localTime(n)
		return suppressor(in, n, held, next, func(r *Record[K, change[V]]) (at, until int64) {
			return since(r), clock.advance(r.Timestamp) - wait
		}, final)
	})
	return out
}

// suppressor holds each update at the time, and releases what is held since until or before.
func suppressor[K, V any](in *Instance, n *node, b *heldBuffer[K, V], next sink[K, change[V]], times func(*Record[K, change[V]]) (at, until int64), final bool) sink[K, change[V]] {
	emit := func(h held[K, V]) error {
		if final && !h.update.Value.hasNew {
			return nil
		}
		return next(h.update)
	}
	return func(r Record[K, change[V]]) error {
		at, until := times(&r)
		err := hold(b, at, r)
		if err == nil {
			err = release(b, func(since int64) bool { return since <= until }, emit)
		}
		if err == nil && full(b) {
			if final {
				err = ErrBufferFull
			} else {
				err = release(b, func(int64) bool { return full(b) }, emit)
			}
		}
		if err != nil {
			return in.failure(n, Processing, err)
		}
		return nil
	}
}

// suppressedRows reads the rows as those behind have seen them last.
func suppressedRows[K, V any](from reader[K, V], b *heldBuffer[K, V]) reader[K, V] {
	return reader[K, V]{get: func(k K) (v V, ts int64, ok bool, err error) {
		h, _, _, ok, err := find(b, k)
		if err != nil {
			return v, 0, false, err
		}
		if ok {
			return h.update.Value.old, -1, h.update.Value.hasOld, nil
		}
		return from.get(k)
	}}
}
