package topology

import (
	"errors"
	"fmt"
	"time"

	"github.com/eosproc/eosproc/statestore"
)

// Join looks each record of a stream up in a table and passes on what join makes
// of its value and the row's; the timestamp is the record's. Records that find no row
// are dropped by the join, as are those with a null key or value. Only the stream's records
// give results: a change of the table shows in those that come later.
//
// The row is the one that is there when the record is processed, or, of a table that is
// kept in a versioned store, the one that was valid at the record's timestamp.
//
// Equal keys have to be in equal partitions: the topics on both sides need the same number
// of them (see [SubTopology.Copartitioned]), and a stream whose key was changed goes
// through [Stream.Repartition] before.
func Join[K, V, T, R any](s Stream[K, V], t Table[K, T], join func(V, T) R, opts ...Option) Stream[K, R] {
	return joinTable(s, t, "KSTREAM-JOIN-", func(v V, row T, ok bool) (R, bool) {
		if !ok {
			var none R
			return none, false
		}
		return join(v, row), true
	}, false, opts)
}

// LeftJoin is [Join] for all records: join is told by ok whether there is a row.
// A record with a null key finds none; one with a null value is dropped.
func LeftJoin[K, V, T, R any](s Stream[K, V], t Table[K, T], join func(v V, row T, ok bool) R, opts ...Option) Stream[K, R] {
	return joinTable(s, t, "KSTREAM-LEFTJOIN-", func(v V, row T, ok bool) (R, bool) { return join(v, row, ok), true }, true, opts)
}

// JoinGrace makes [Join] and [LeftJoin] wait for a table that is kept in a
// versioned store (KIP-923): a record is held in the buffer until the largest timestamp of the
// stream's records is grace ahead of its own. What comes out is in the order of timestamps,
// then of the keys' bytes, then of arrival. A record that is later than that
// joins at once, as does one with a null key. Grace must not exceed the table's history retention.
func JoinGrace[K, V any](grace time.Duration, hold Buffer[K, V]) Option {
	return func(o *options) { o.grace = joinGrace[K, V]{grace.Milliseconds(), hold} }
}

type joinGrace[K, V any] struct {
	ms     int64
	buffer Buffer[K, V]
}

// joinTable is KStreamKTableJoinProcessor.
func joinTable[K, V, T, R any](s Stream[K, V], t Table[K, T], prefix string, join func(V, T, bool) (R, bool), nullKeys bool, opts []Option) Stream[K, R] {
	b, o := s.p.b, collect(opts)
	given := o.grace
	o.grace = nil
	n := b.add(processorNode, prefix, o, s.p.n)
	n.joined = []*node{t.node()}
	b.use(n, t.stores...)
	grace, err := graceOf[K, V](given, t.stores)
	if err != nil {
		b.fail(fmt.Errorf("%s: %w", n.name, err))
	} else if given != nil {
		b.own(n, grace.buffer.spec)
	}
	nilable := hasNil[R]()
	return attach(s, n, func(in *Instance, next sink[K, R]) sink[K, V] {
		rows := t.read(in)
		find := func(r *Record[K, V]) (row T, ok bool, err error) {
			switch {
			case r.null&nullKey != 0:
			case rows.asOf != nil:
				row, _, ok, err = rows.asOf(r.Key, r.Timestamp)
			default:
				row, _, ok, err = rows.get(r.Key)
			}
			return row, ok, err
		}
		lookUp := func(r Record[K, V]) error {
			row, ok, err := find(&r)
			if err != nil {
				return in.failure(n, Processing, err)
			}
			value, ok := join(r.Value, present(row, ok), ok)
			if !ok {
				return nil
			}
			out := Record[K, R]{Key: r.Key, Value: value, Timestamp: r.Timestamp, Headers: r.Headers, null: r.null & nullKey}
			out.null |= bit(nilable, &out.Value, nullValue)
			return next(out)
		}
		take := lookUp
		if given != nil {
			take = waiting(in, n, grace, lookUp)
		}
		return func(r Record[K, V]) error {
			switch {
			case r.null&nullValue != 0:
				in.dropped(DropNullValue)
				return nil
			case r.null&nullKey != 0 && !nullKeys:
				in.dropped(DropNullKey)
				return nil
			}
			return take(r)
		}
	})
}

// graceOf checks what JoinGrace was given, if anything.
func graceOf[K, V any](given any, stores []statestore.Spec) (joinGrace[K, V], error) {
	grace, ok := given.(joinGrace[K, V])
	switch {
	case given == nil:
		return grace, nil
	case !ok:
		return grace, fmt.Errorf("JoinGrace is for another stream: it is a %T, the join needs a %T", given, grace)
	case grace.ms < 0:
		return grace, fmt.Errorf("JoinGrace of %d ms", grace.ms)
	case len(stores) != 1 || stores[0].Kind() != statestore.VersionedKind:
		return grace, errors.New("JoinGrace needs a table that is kept in a versioned store")
	}
	if kept, ok := stores[0].(interface {
		Config() statestore.VersionedConfig
	}); ok && grace.ms > kept.Config().HistoryRetention.Milliseconds() {
		return grace, fmt.Errorf("JoinGrace of %d ms: the table's history goes back only %v", grace.ms, kept.Config().HistoryRetention)
	}
	return grace, grace.buffer.check()
}
