package topology

import (
	"fmt"

	"github.com/eosproc/eosproc/statestore"
)

// Table is a keyed collection that changes: a row is what its key's last update
// says, and a null value deletes it. Like [Stream] it is a handle.
//
// Every update carries the row's old value, so that an operator behind can take
// it back. A table that operators made of another one ([Table.Filter],
// [MapTableValues]) is not stored unless the option [Materialized] says so: its
// rows are then worked out from those of the table before it when they are read.
type Table[K, V any] struct {
	updates Stream[K, change[V]]
	read    func(*Instance) reader[K, V]
	// stores are what read opens: an operator that reads the table must name them.
	stores []statestore.Spec
	// closes is how long, in ms, after its window's end a row may still change; -1 in a table without windows.
	closes int64
}

// change is one update of a row. Which of its values are there is told by its
// bits, also for types that have a nil.
type change[V any] struct {
	new, old       V
	hasNew, hasOld bool
	// stale marks an update of a versioned table that is older than its key's newest version.
	stale bool
}

// reader reads the rows of a table within a task.
type reader[K, V any] struct {
	// get returns a row and its timestamp in ms.
	get func(K) (v V, ts int64, ok bool, err error)
	// asOf returns the row as it was at a time; nil if the table keeps no versions.
	asOf func(k K, at int64) (v V, ts int64, ok bool, err error)
}

// TableFrom reads a topic as a table. Records with a null key are dropped. The
// topic also serves as the changelog of the store, if topic and store have the
// same codecs and the option [Timestamps] is not given.
//
// With Named it is two operators, <name>-source and <name>.
func TableFrom[K, V any, S TableStore[K, V]](b *Builder, t Topic[K, V], store S, opts ...Option) Table[K, V] {
	o, rows := collect(opts), keepIn[K, V](store)
	from := options{timestamps: o.timestamps, reset: o.reset}
	if o.name != "" {
		from.name = o.name + "-source"
	}
	s := From(b, t, func(to *options) { *to = from })
	if rows.spec.Logging().Enabled && o.timestamps == nil && sameCodec(t.Key, rows.key) && sameCodec(t.Value, rows.value) {
		s.p.n.source.changelogOf = rows.spec.Name()
	}
	o.timestamps, o.reset = nil, ResetDefault
	return tableOf(s, b.add(processorNode, "KTABLE-SOURCE-", o, s.p.n), rows)
}

// ToTable makes a table of a stream: each record sets its key's row, a null value
// deletes it. Records with a null key are dropped.
func ToTable[K, V any, S TableStore[K, V]](s Stream[K, V], store S, opts ...Option) Table[K, V] {
	n := s.p.b.add(processorNode, "KSTREAM-TOTABLE-", collect(opts), s.p.n)
	return tableOf(s, n, keepIn[K, V](store))
}

// tableOf is KTableSource.
func tableOf[K, V any](s Stream[K, V], n *node, store rowStore[K, V]) Table[K, V] {
	s.p.b.own(n, store.spec)
	return stored(store, attach(s, n, func(in *Instance, next sink[K, change[V]]) sink[K, V] {
		rows := store.open(in)
		return func(r Record[K, V]) error {
			if r.null&nullKey != 0 {
				in.dropped(DropNullKey)
				return nil
			}
			old, _, hasOld, err := rows.get(r.Key)
			if err != nil {
				return in.failure(n, Processing, err)
			}
			c := change[V]{new: r.Value, hasNew: r.null&nullValue == 0, old: old, hasOld: hasOld}
			return updateRow(rows, in, n, next, r.Key, r.Timestamp, r.Headers, c)
		}
	}))
}

// stored returns the table whose updates are kept in a store.
func stored[K, V any](store rowStore[K, V], updates Stream[K, change[V]]) Table[K, V] {
	return Table[K, V]{
		updates: updates, stores: []statestore.Spec{store.spec}, closes: -1,
		read: func(in *Instance) reader[K, V] { return store.open(in).reader },
	}
}

// Changes returns the table's updates as a stream; a deletion is a null value.
func (t Table[K, V]) Changes(opts ...Option) Stream[K, V] { return changes(t, opts) }

func changes[K, V any](t Table[K, V], opts []Option) Stream[K, V] {
	n := t.b().add(processorNode, "KTABLE-TOSTREAM-", collect(opts), t.node())
	return attach(t.updates, n, func(_ *Instance, next sink[K, V]) sink[K, change[V]] {
		return func(r Record[K, change[V]]) error {
			out := Record[K, V]{Key: r.Key, Value: r.Value.new, Timestamp: r.Timestamp, Headers: r.Headers}
			if !r.Value.hasNew {
				out.null = nullValue
			}
			return next(out)
		}
	})
}

func (t Table[K, V]) b() *Builder { return t.updates.p.b }
func (t Table[K, V]) node() *node { return t.updates.p.n }

// Filter keeps the rows for which keep holds. It is not called for deletions.
func (t Table[K, V]) Filter(keep func(K, V) bool, opts ...Option) Table[K, V] {
	return mapTable(t, "KTABLE-FILTER-", opts, func(k K, v V) (V, bool) { return v, keep(k, v) })
}

// FilterNot keeps the rows for which drop does not hold. It is not called for deletions.
func (t Table[K, V]) FilterNot(drop func(K, V) bool, opts ...Option) Table[K, V] {
	return mapTable(t, "KTABLE-FILTER-", opts, func(k K, v V) (V, bool) { return v, !drop(k, v) })
}

// MapTableValues makes a new value of each row. A nil result, of a type that has
// one, means that there is no such row. fn is not called for deletions.
func MapTableValues[K, V, V2 any](t Table[K, V], fn func(V) V2, opts ...Option) Table[K, V2] {
	return MapTableValuesWithKey(t, func(_ K, v V) V2 { return fn(v) }, opts...)
}

// MapTableValuesWithKey is [MapTableValues] with a function that also sees the key.
func MapTableValuesWithKey[K, V, V2 any](t Table[K, V], fn func(K, V) V2, opts ...Option) Table[K, V2] {
	nilable := hasNil[V2]()
	return mapTable(t, "KTABLE-MAPVALUES-", opts, func(k K, v V) (V2, bool) {
		out := fn(k, v)
		return out, bit(nilable, &out, nullValue) == 0
	})
}

// mapTable is KTableFilter and KTableMapValues: fn says what becomes of a row,
// and whether there is one. An update from no row to no row is not passed on.
func mapTable[K, V, V2 any](t Table[K, V], prefix string, opts []Option, fn func(K, V) (V2, bool)) Table[K, V2] {
	b, o := t.b(), collect(opts)
	store, materialized := materializedIn[K, V2](b, &o)
	n := b.add(processorNode, prefix, o, t.node())
	if materialized {
		b.own(n, store.spec)
	}
	out := Table[K, V2]{stores: t.stores, closes: t.closes, read: func(in *Instance) reader[K, V2] { return mapRows(t.read(in), fn) }}
	updates := attach(t.updates, n, func(in *Instance, next sink[K, change[V2]]) sink[K, change[V]] {
		var rows rows[K, V2]
		if materialized {
			rows = store.open(in)
		}
		return func(r Record[K, change[V]]) error {
			c := change[V2]{stale: r.Value.stale}
			if r.Value.hasNew {
				c.new, c.hasNew = fn(r.Key, r.Value.new)
			}
			if materialized {
				var err error
				if c.old, _, c.hasOld, err = rows.get(r.Key); err != nil {
					return in.failure(n, Processing, err)
				}
			} else if r.Value.hasOld {
				c.old, c.hasOld = fn(r.Key, r.Value.old)
			}
			if !c.hasNew && !c.hasOld {
				return nil
			}
			if materialized {
				return updateRow(rows, in, n, next, r.Key, r.Timestamp, r.Headers, c)
			}
			return next(Record[K, change[V2]]{Key: r.Key, Value: c, Timestamp: r.Timestamp, Headers: r.Headers})
		}
	})
	if materialized {
		closes := out.closes
		out = stored(store, updates)
		out.closes = closes
	}
	out.updates = updates
	return out
}

// mapRows reads a table that is not stored, through the one that it is made of.
func mapRows[K, V, V2 any](from reader[K, V], fn func(K, V) (V2, bool)) reader[K, V2] {
	mapped := func(k K, v V, ts int64, ok bool, err error) (V2, int64, bool, error) {
		if err != nil || !ok {
			var none V2
			return none, 0, false, err
		}
		v2, ok := fn(k, v)
		return v2, ts, ok, nil
	}
	out := reader[K, V2]{get: func(k K) (V2, int64, bool, error) {
		v, ts, ok, err := from.get(k)
		return mapped(k, v, ts, ok, err)
	}}
	if from.asOf != nil {
		out.asOf = func(k K, at int64) (V2, int64, bool, error) {
			v, ts, ok, err := from.asOf(k, at)
			return mapped(k, v, ts, ok, err)
		}
	}
	return out
}

// Materialized keeps the rows of a table that operators made of another one in a
// store, so that they are worked out once and can be queried.
func Materialized[K, V any, S TableStore[K, V]](store S) Option {
	rows := keepIn[K, V](store)
	return func(o *options) { o.table = rows }
}

// materializedIn takes the option Materialized out of the options.
func materializedIn[K, V any](b *Builder, o *options) (rowStore[K, V], bool) {
	given := o.table
	o.table = nil
	store, ok := given.(rowStore[K, V])
	if !ok && given != nil {
		b.fail(fmt.Errorf("materialized: the store is a %T, the table needs a %T", given, store))
	}
	return store, ok
}
