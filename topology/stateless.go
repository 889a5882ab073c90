package topology

import "errors"

// Filter keeps the records for which keep holds.
func (s Stream[K, V]) Filter(keep func(K, V) bool, opts ...Option) Stream[K, V] {
	return filter(s, keep, true, opts)
}

// FilterNot keeps the records for which drop does not hold.
func (s Stream[K, V]) FilterNot(drop func(K, V) bool, opts ...Option) Stream[K, V] {
	return filter(s, drop, false, opts)
}

func filter[K, V any](s Stream[K, V], pred func(K, V) bool, want bool, opts []Option) Stream[K, V] {
	n := s.p.b.add(processorNode, "KSTREAM-FILTER-", collect(opts), s.p.n)
	holds := holdsFor(pred)
	return attach(s, n, func(_ *Instance, next sink[K, V]) sink[K, V] {
		return func(r Record[K, V]) error {
			if holds(&r) != want {
				return nil
			}
			return next(r)
		}
	})
}

// holdsFor applies the null rule to a predicate: it holds for no null value
// that its type cannot express.
func holdsFor[K, V any](pred func(K, V) bool) func(*Record[K, V]) bool {
	if hasNil[V]() {
		return func(r *Record[K, V]) bool { return pred(r.Key, r.Value) }
	}
	return func(r *Record[K, V]) bool { return r.null&nullValue == 0 && pred(r.Key, r.Value) }
}

// Peek calls fn for each record and passes it on. The effects of fn are outside
// of the transaction: they happen again when the record is processed again.
func (s Stream[K, V]) Peek(fn func(Record[K, V]), opts ...Option) Stream[K, V] {
	n := s.p.b.add(processorNode, "KSTREAM-PEEK-", collect(opts), s.p.n)
	return attach(s, n, func(_ *Instance, next sink[K, V]) sink[K, V] {
		return func(r Record[K, V]) error {
			fn(r)
			return next(r)
		}
	})
}

// ForEach calls fn for each record. Like [Stream.Peek], fn is outside of the transaction.
func (s Stream[K, V]) ForEach(fn func(Record[K, V]), opts ...Option) {
	n := s.p.b.add(processorNode, "KSTREAM-FOREACH-", collect(opts), s.p.n)
	attach(s, n, func(*Instance, sink[K, V]) sink[K, V] {
		return func(r Record[K, V]) error {
			fn(r)
			return nil
		}
	})
}

// Merge returns the records of both streams, as they arrive. Order between the
// two is not defined beyond that of the task's input. A stream merged with
// itself gives each record once, as in Kafka Streams.
func (s Stream[K, V]) Merge(other Stream[K, V], opts ...Option) Stream[K, V] {
	if other.p.b != s.p.b {
		s.p.b.fail(errors.New("merge: the streams are of different builders"))
		return s
	}
	from, parents := []*publisher[K, V]{s.p}, []*node{s.p.n}
	if other.p != s.p {
		from, parents = append(from, other.p), append(parents, other.p.n)
	}
	n := s.p.b.add(processorNode, "KSTREAM-MERGE-", collect(opts), parents...)
	out := newStream[K, V](s.p.b, n)
	for _, p := range from {
		p.children = append(p.children, func(in *Instance) sink[K, V] { return out.p.compile(in) })
	}
	return out
}

// Map makes a new key and a new value of each record.
func Map[K, V, K2, V2 any](s Stream[K, V], fn func(K, V) (K2, V2), opts ...Option) Stream[K2, V2] {
	n := s.p.b.add(processorNode, "KSTREAM-MAP-", collect(opts), s.p.n)
	needs, nilKey, nilValue := !hasNil[V](), hasNil[K2](), hasNil[V2]()
	return attach(s, n, func(in *Instance, next sink[K2, V2]) sink[K, V] {
		return func(r Record[K, V]) error {
			if needs && r.null&nullValue != 0 {
				return in.failure(n, Processing, ErrNullValue)
			}
			k, v := fn(r.Key, r.Value)
			return next(Record[K2, V2]{k, v, r.Timestamp, r.Headers, bit(nilKey, &k, nullKey) | bit(nilValue, &v, nullValue)})
		}
	})
}

// MapValues makes a new value of each record; the key stays.
func MapValues[K, V, V2 any](s Stream[K, V], fn func(V) V2, opts ...Option) Stream[K, V2] {
	return mapValues(s, func(_ K, v V) V2 { return fn(v) }, opts)
}

// MapValuesWithKey is [MapValues] with a function that also sees the key.
func MapValuesWithKey[K, V, V2 any](s Stream[K, V], fn func(K, V) V2, opts ...Option) Stream[K, V2] {
	return mapValues(s, fn, opts)
}

func mapValues[K, V, V2 any](s Stream[K, V], fn func(K, V) V2, opts []Option) Stream[K, V2] {
	n := s.p.b.add(processorNode, "KSTREAM-MAPVALUES-", collect(opts), s.p.n)
	needs, nilValue := !hasNil[V](), hasNil[V2]()
	return attach(s, n, func(_ *Instance, next sink[K, V2]) sink[K, V] {
		return func(r Record[K, V]) error {
			out := Record[K, V2]{Key: r.Key, Timestamp: r.Timestamp, Headers: r.Headers, null: r.null}
			if !needs || r.null&nullValue == 0 {
				out.Value = fn(r.Key, r.Value)
				out.null = r.null&nullKey | bit(nilValue, &out.Value, nullValue)
			}
			return next(out)
		}
	})
}

// SelectKey gives each record a new key. The record keeps its partition until
// it is written to a topic: follow with [Stream.Repartition] before any
// operator that relies on equal keys being together.
func SelectKey[K, V, K2 any](s Stream[K, V], fn func(K, V) K2, opts ...Option) Stream[K2, V] {
	n := s.p.b.add(processorNode, "KSTREAM-KEY-SELECT-", collect(opts), s.p.n)
	needs, nilKey := !hasNil[V](), hasNil[K2]()
	return attach(s, n, func(in *Instance, next sink[K2, V]) sink[K, V] {
		return func(r Record[K, V]) error {
			if needs && r.null&nullValue != 0 {
				return in.failure(n, Processing, ErrNullValue)
			}
			k := fn(r.Key, r.Value)
			return next(Record[K2, V]{k, r.Value, r.Timestamp, r.Headers, r.null&nullValue | bit(nilKey, &k, nullKey)})
		}
	})
}

// Pair is a key and a value, as [FlatMap] makes them.
type Pair[K, V any] struct {
	Key   K
	Value V
}

// FlatMap makes any number of records of each record.
func FlatMap[K, V, K2, V2 any](s Stream[K, V], fn func(K, V) []Pair[K2, V2], opts ...Option) Stream[K2, V2] {
	n := s.p.b.add(processorNode, "KSTREAM-FLATMAP-", collect(opts), s.p.n)
	needs, nilKey, nilValue := !hasNil[V](), hasNil[K2](), hasNil[V2]()
	return attach(s, n, func(in *Instance, next sink[K2, V2]) sink[K, V] {
		return func(r Record[K, V]) error {
			if needs && r.null&nullValue != 0 {
				return in.failure(n, Processing, ErrNullValue)
			}
			for _, p := range fn(r.Key, r.Value) {
				null := bit(nilKey, &p.Key, nullKey) | bit(nilValue, &p.Value, nullValue)
				if err := next(Record[K2, V2]{p.Key, p.Value, r.Timestamp, r.Headers, null}); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

// FlatMapValues makes any number of records with the same key of each record.
func FlatMapValues[K, V, V2 any](s Stream[K, V], fn func(V) []V2, opts ...Option) Stream[K, V2] {
	n := s.p.b.add(processorNode, "KSTREAM-FLATMAPVALUES-", collect(opts), s.p.n)
	needs, nilValue := !hasNil[V](), hasNil[V2]()
	return attach(s, n, func(_ *Instance, next sink[K, V2]) sink[K, V] {
		return func(r Record[K, V]) error {
			if needs && r.null&nullValue != 0 {
				return nil
			}
			for _, v := range fn(r.Value) {
				null := r.null&nullKey | bit(nilValue, &v, nullValue)
				if err := next(Record[K, V2]{r.Key, v, r.Timestamp, r.Headers, null}); err != nil {
					return err
				}
			}
			return nil
		}
	})
}
