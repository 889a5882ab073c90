package topology

// Count counts the records of each key. Records with a null key or a null value
// are dropped, here and in [Reduce] and [Aggregate]. A row's timestamp is the
// largest of those of its records.
func Count[K, V any, S TableStore[K, int64]](g Grouped[K, V], store S, opts ...Option) Table[K, int64] {
	return aggregateRows(g, "KSTREAM-AGGREGATE-", counting[K, V](), keepIn[K, int64](store), opts)
}

// Reduce combines the values of each key: the first one is the result as it is,
// each further one is combined with the result so far. A nil result, of a type
// that has one, deletes the row. reduce must not modify its arguments.
func Reduce[K, V any, S TableStore[K, V]](g Grouped[K, V], reduce func(acc, v V) V, store S, opts ...Option) Table[K, V] {
	return aggregateRows(g, "KSTREAM-REDUCE-", reducing[K](reduce), keepIn[K, V](store), opts)
}

// Aggregate adds the values of each key to a result that begins as init gives
// it. A nil result, of a type that has one, deletes the row; the next value
// begins anew. add must not modify the result that it is given.
func Aggregate[K, V, A any, S TableStore[K, A]](g Grouped[K, V], init func() A, add func(k K, v V, acc A) A, store S, opts ...Option) Table[K, A] {
	return aggregateRows(g, "KSTREAM-AGGREGATE-", aggregating(init, add), keepIn[K, A](store), opts)
}

func aggregateRows[K, V, A any](g Grouped[K, V], prefix string, f fold[K, V, A], store rowStore[K, A], opts []Option) Table[K, A] {
	b := g.s.p.b
	n := b.add(processorNode, prefix, collect(opts), g.s.p.n)
	b.own(n, store.spec)
	out := newStream[K, change[A]](b, n)
	folding[K, V, A]{add: f.add}.into(g.s, n, rowIntake(store, n, out.p))
	return stored(store, out)
}

// rowIntake is KStreamAggregate.
func rowIntake[K, A any](store rowStore[K, A], n *node, out *publisher[K, change[A]]) func(*Instance) intake[K, A] {
	nilable := hasNil[A]()
	return func(in *Instance) intake[K, A] {
		rows, next := store.open(in), out.compile(in)
		return func(a addition[K, A]) (bool, error) {
			old, ts, has, err := rows.get(a.key)
			if err != nil {
				return false, err
			}
			if !has {
				ts = a.timestamp
			}
			c := change[A]{new: a.apply(old, has), old: old, hasOld: has}
			c.hasNew = bit(nilable, &c.new, nullValue) == 0
			return false, updateRow(rows, in, n, next, a.key, max(ts, a.timestamp), a.headers, c)
		}
	}
}
