package topology

import "github.com/eosproc/eosproc/statestore"

// JoinTables joins the rows of two tables that have equal keys: a row is there if
// both sides have one. Each change of a side gives the new row; its timestamp is
// the larger of the two sides'. The result is not stored unless the option [Materialized] says so.
//
// Equal keys have to be in equal partitions, see [SubTopology.Copartitioned]. Of versioned tables
// only the newest version of a key counts. A nil result, of a type that has one, means
// that there is no row.
//
// It is three operators, as in Kafka Streams: with Named <name>-join-this, <name>-join-other and <name>.
func JoinTables[K, L, R, O any](left Table[K, L], right Table[K, R], join func(L, R) O, opts ...Option) Table[K, O] {
	return joinTables(left, right, func(l L, hasL bool, r R, hasR bool) (o O, ok bool) {
		if hasL && hasR {
			return join(l, r), true
		}
		return o, false
	}, opts)
}

// LeftJoinTables is [JoinTables] for all rows of the left table: join is told by
// ok whether the right one has such a row.
func LeftJoinTables[K, L, R, O any](left Table[K, L], right Table[K, R], join func(l L, r R, ok bool) O, opts ...Option) Table[K, O] {
	return joinTables(left, right, func(l L, hasL bool, r R, hasR bool) (o O, ok bool) {
		if hasL {
			return join(l, r, hasR), true
		}
		return o, false
	}, opts)
}

// OuterJoinTables is [JoinTables] for the rows of both tables: join is told which
// of them have such a row; one has it at least.
func OuterJoinTables[K, L, R, O any](left Table[K, L], right Table[K, R], join func(l L, hasL bool, r R, hasR bool) O, opts ...Option) Table[K, O] {
	return joinTables(left, right, func(l L, hasL bool, r R, hasR bool) (o O, ok bool) {
		if hasL || hasR {
			return join(l, hasL, r, hasR), true
		}
		return o, false
	}, opts)
}

// joinTables is KTableKTable{Inner,Left,Right,Outer}Join and KTableKTableJoinMerger.
func joinTables[K, L, R, O any](left Table[K, L], right Table[K, R], join func(L, bool, R, bool) (O, bool), opts []Option) Table[K, O] {
	b, o := left.b(), collect(opts)
	store, materialized := materializedIn[K, O](b, &o)
	nilable := hasNil[O]()
	rowOf := func(l L, hasL bool, r R, hasR bool) (O, bool) {
		out, ok := join(l, hasL, r, hasR)
		return out, ok && bit(nilable, &out, nullValue) == 0
	}

	name := b.number("KTABLE-MERGE-") // as Kafka Streams does, before the sides
	var other options
	if o.name != "" {
		name = o.name
		o.name, other.name = name+"-join-this", name+"-join-other"
	}
	fromLeft := b.add(processorNode, "KTABLE-JOINTHIS-", o, left.node())
	fromRight := b.add(processorNode, "KTABLE-JOINOTHER-", other, right.node())
	n := b.addNamed(processorNode, name, fromLeft, fromRight)
	fromLeft.joined, fromRight.joined = []*node{right.node()}, []*node{left.node()}
	b.use(fromLeft, right.stores...)
	b.use(fromRight, left.stores...)

	updates := newStream[K, change[O]](b, n)
	out := Table[K, O]{
		updates: updates, closes: max(left.closes, right.closes),
		stores: append(left.stores[:len(left.stores):len(left.stores)], right.stores...),
		read:   func(in *Instance) reader[K, O] { return joinRows(left.read(in), right.read(in), rowOf) },
	}
	if materialized {
		b.own(n, store.spec)
		out.stores, out.read = []statestore.Spec{store.spec}, func(in *Instance) reader[K, O] { return store.open(in).reader }
	}
	merge := func(in *Instance) sink[K, change[O]] {
		next := updates.p.compile(in)
		if !materialized {
			return next
		}
		rows := store.open(in)
		return func(r Record[K, change[O]]) error {
			return updateRow(rows, in, n, next, r.Key, r.Timestamp, r.Headers, r.Value)
		}
	}
	joinSide(left, right, fromLeft, rowOf, merge)
	joinSide(right, left, fromRight, func(r R, hasR bool, l L, hasL bool) (O, bool) { return rowOf(l, hasL, r, hasR) }, merge)
	return out
}

// joinSide works out what a change of one table does to the result.
func joinSide[K, T, U, O any](t Table[K, T], others Table[K, U], n *node, rowOf func(T, bool, U, bool) (O, bool), merge func(*Instance) sink[K, change[O]]) {
	t.updates.p.children = append(t.updates.p.children, func(in *Instance) sink[K, change[T]] {
		other, next := others.read(in), merge(in)
		return func(r Record[K, change[T]]) error {
			if r.Value.stale {
				in.dropped(DropOutOfOrder)
				return nil
			}
			row, ts, ok, err := other.get(r.Key)
			if err != nil {
				return in.failure(n, Processing, err)
			}
			var c change[O]
			row = present(row, ok)
			c.new, c.hasNew = rowOf(present(r.Value.new, r.Value.hasNew), r.Value.hasNew, row, ok)
			c.old, c.hasOld = rowOf(present(r.Value.old, r.Value.hasOld), r.Value.hasOld, row, ok)
			if !c.hasNew && !c.hasOld {
				return nil
			}
			out := Record[K, change[O]]{Key: r.Key, Value: c, Timestamp: r.Timestamp, Headers: r.Headers}
			if ok {
				out.Timestamp = max(ts, r.Timestamp)
			}
			return next(out)
		}
	})
}

// joinRows reads a join that is not stored, through the two tables.
func joinRows[K, L, R, O any](left reader[K, L], right reader[K, R], rowOf func(L, bool, R, bool) (O, bool)) reader[K, O] {
	return reader[K, O]{get: func(k K) (o O, ts int64, ok bool, err error) {
		l, leftTime, hasL, err := left.get(k)
		if err != nil {
			return o, 0, false, err
		}
		r, rightTime, hasR, err := right.get(k)
		if err != nil {
			return o, 0, false, err
		}
		o, ok = rowOf(present(l, hasL), hasL, present(r, hasR), hasR)
		switch {
		case !hasR:
			ts = leftTime
		case !hasL:
			ts = rightTime
		default:
			ts = max(leftTime, rightTime)
		}
		return o, ts, ok, nil
	}}
}

// present returns v if it is there. Joiners are not to see the value of a row
// that a filter has taken away.
func present[T any](v T, ok bool) T {
	if !ok {
		var none T
		return none
	}
	return v
}
