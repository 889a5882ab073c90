package topology

import (
	"bytes"
	"fmt"
)

// GroupedTable is a table whose rows are put into groups, ready to be aggregated
// by group.
type GroupedTable[K, V any] struct{ updates Stream[K, change[V]] }

// GroupTable puts each row of a table into a group, through an internal topic
// named as in [Stream.Repartition]. A row whose group or value is null is in no group.
//
// When a row changes, the aggregation takes its old value out of the old group
// and adds the new one to the new group: in two updates if the groups differ, in one
// if they are the same. Of a versioned table only the newest version of a key counts.
func GroupTable[K, V, K2, V2 any](t Table[K, V], group func(K, V) (K2, V2), through Topic[K2, V2], opts ...Option) GroupedTable[K2, V2] {
	b, o := t.b(), collect(opts)
	partitions := o.partitions
	o.partitions = 0
	n := b.add(processorNode, "KTABLE-SELECT-", o, t.node())
	if err := checkTopic(through); err != nil {
		b.fail(fmt.Errorf("%s: %w", n.name, err))
		return GroupedTable[K2, V2]{newStream[K2, change[V2]](b, n)}
	}
	nilKey, nilValue := hasNil[K2](), hasNil[V2]()
	topic := Topic[K2, change[V2]]{through.Name, through.Key, changeCodec[V2]{through.Value}}
	moves := attach(t.updates, n, func(in *Instance, next sink[K2, change[V2]]) sink[K, change[V]] {
		place := func(k K, v V) (K2, V2, bool) {
			k2, v2 := group(k, v)
			return k2, v2, bit(nilKey, &k2, nullKey)|bit(nilValue, &v2, nullValue) == 0
		}
		var oldBytes, newBytes []byte
		same := func(a, b K2) (eq bool, err error) {
			if oldBytes, err = through.Key.Append(oldBytes[:0], a); err != nil {
				return false, err
			}
			if newBytes, err = through.Key.Append(newBytes[:0], b); err != nil {
				return false, err
			}
			return bytes.Equal(oldBytes, newBytes), nil
		}
		return func(r Record[K, change[V]]) error {
			if r.Value.stale {
				in.dropped(DropOutOfOrder)
				return nil
			}
			var from, to Record[K2, change[V2]]
			from.Timestamp, from.Headers = r.Timestamp, r.Headers
			to.Timestamp, to.Headers = r.Timestamp, r.Headers
			if r.Value.hasOld {
				from.Key, from.Value.old, from.Value.hasOld = place(r.Key, r.Value.old)
			}
			if r.Value.hasNew {
				to.Key, to.Value.new, to.Value.hasNew = place(r.Key, r.Value.new)
			}
			if from.Value.hasOld && to.Value.hasNew {
				eq, err := same(from.Key, to.Key)
				if err != nil {
					return in.failure(n, Production, fmt.Errorf("encode key for topic %s: %w", through.Name, err))
				}
				if eq {
					to.Value.old, to.Value.hasOld = from.Value.old, true
					return next(to)
				}
			}
			if from.Value.hasOld {
				if err := next(from); err != nil {
					return err
				}
			}
			if to.Value.hasNew {
				return next(to)
			}
			return nil
		}
	})
	return GroupedTable[K2, V2]{throughTopic(moves, topic, partitions)}
}

// throughTopic sends updates through an internal topic, with a sink and a source
// that are numbered, as Kafka Streams does for tables.
func throughTopic[K, V any](s Stream[K, V], t Topic[K, V], partitions int) Stream[K, V] {
	b := s.p.b
	spec := &repartitionSpec{name: t.Name + "-repartition", partitions: partitions}
	if other, ok := b.topics[spec.name]; ok {
		b.fail(fmt.Errorf("repartition %q: %s already reads %q; names must differ", t.Name, other, spec.name))
	}
	to := b.add(sinkNode, "KSTREAM-SINK-", options{}, s.p.n)
	to.sink = &sinkSpec{topic: spec.name, repartition: spec}
	s.p.children = append(s.p.children, func(in *Instance) sink[K, V] {
		e := newEncoder(in, to, t.Key, t.Value)
		physical := in.env.InternalTopic(spec.name)
		return func(r Record[K, V]) error { return e.emit(&r, physical, AnyPartition) }
	})
	from := b.add(sourceNode, "KSTREAM-SOURCE-", options{})
	from.source = &sourceSpec{topics: []string{spec.name}, repartition: spec, reset: ResetEarliest}
	b.topics[spec.name] = from.name
	return source(b, from, options{}, func(string) Topic[K, V] { return t })
}

// CountTable counts the rows of each group. A group that has lost all of its
// rows stays with a count of 0, as in Kafka Streams.
func CountTable[K, V any, S TableStore[K, int64]](g GroupedTable[K, V], store S, opts ...Option) Table[K, int64] {
	take := func(_ K, _ V, n int64) int64 { return n - 1 }
	return aggregateTable(g, "KTABLE-AGGREGATE-", counting[K, V]().add, take, keepIn[K, int64](store), opts)
}

// ReduceTable combines the values of each group's rows: add takes a value in,
// except the first, which is the result as it is, and subtract takes one out. A nil
// result, of a type that has one, deletes the group.
func ReduceTable[K, V any, S TableStore[K, V]](g GroupedTable[K, V], add, subtract func(acc, v V) V, store S, opts ...Option) Table[K, V] {
	take := func(_ K, v, acc V) V { return subtract(acc, v) }
	return aggregateTable(g, "KTABLE-REDUCE-", reducing[K](add).add, take, keepIn[K, V](store), opts)
}

// AggregateTable adds the values of each group's rows to a result that begins as
// init gives it; subtract takes a value out. A nil result, of a type that has one,
// deletes the group. add and subtract must not modify the result that they are given.
func AggregateTable[K, V, A any, S TableStore[K, A]](g GroupedTable[K, V], init func() A, add, subtract func(k K, v V, acc A) A, store S, opts ...Option) Table[K, A] {
	return aggregateTable(g, "KTABLE-AGGREGATE-", aggregating(init, add).add, subtract, keepIn[K, A](store), opts)
}

// aggregateTable is KTableAggregate and KTableReduce: the old value is taken out
// of a result that is there, then the new one added.
func aggregateTable[K, V, A any](g GroupedTable[K, V], prefix string, add func(K, V, A, bool) A, subtract func(K, V, A) A, store rowStore[K, A], opts []Option) Table[K, A] {
	b := g.updates.p.b
	n := b.add(processorNode, prefix, collect(opts), g.updates.p.n)
	b.own(n, store.spec)
	nilable := hasNil[A]()
	return stored(store, attach(g.updates, n, func(in *Instance, next sink[K, change[A]]) sink[K, change[V]] {
		rows := store.open(in)
		return func(r Record[K, change[V]]) error {
			old, ts, has, err := rows.get(r.Key)
			if err != nil {
				return in.failure(n, Processing, err)
			}
			c := change[A]{new: old, hasNew: has, old: old, hasOld: has}
			if r.Value.hasOld && has {
				c.new = subtract(r.Key, r.Value.old, c.new)
				c.hasNew = bit(nilable, &c.new, nullValue) == 0
			}
			if r.Value.hasNew {
				c.new = add(r.Key, r.Value.new, c.new, c.hasNew)
				c.hasNew = bit(nilable, &c.new, nullValue) == 0
			}
			if !has {
				ts = r.Timestamp
			}
			return updateRow(rows, in, n, next, r.Key, max(ts, r.Timestamp), r.Headers, c)
		}
	}))
}
