package topology

import "fmt"

// fold says how records become results: it is all that Count, Reduce and
// Aggregate differ in. A result that is a nil deletes.
type fold[K, V, A any] struct {
	// add puts a value into a result; there is none yet if has is false.
	add func(k K, v V, acc A, has bool) A
	// merge puts the result of one session into that of another. Only sessions need it.
	merge func(k K, acc A, has bool, other A) A
	// blind says that add does not look at the value.
	blind bool
}

func counting[K, V any]() fold[K, V, int64] {
	return fold[K, V, int64]{
		add:   func(_ K, _ V, n int64, _ bool) int64 { return n + 1 },
		merge: func(_ K, n int64, _ bool, other int64) int64 { return n + other },
		blind: true,
	}
}

func reducing[K, V any](reduce func(acc, v V) V) fold[K, V, V] {
	return fold[K, V, V]{
		add: func(_ K, v, acc V, has bool) V {
			if !has {
				return v
			}
			return reduce(acc, v)
		},
		merge: func(_ K, acc V, has bool, other V) V {
			if !has {
				return other
			}
			return reduce(acc, other)
		},
	}
}

func aggregating[K, V, A any](init func() A, add func(K, V, A) A) fold[K, V, A] {
	return fold[K, V, A]{add: func(k K, v V, acc A, has bool) A {
		if !has {
			acc = init()
		}
		return add(k, v, acc)
	}}
}

func merging[K, A any](init func() A, merge func(k K, a, b A) A) func(K, A, bool, A) A {
	return func(k K, acc A, has bool, other A) A {
		if !has {
			acc = init()
		}
		return merge(k, acc, other)
	}
}

// addition is a record on its way into results; apply gives the result with it.
// Its value's type does not show, so that the inputs of a cogroup can differ in it.
type addition[K, A any] struct {
	key       K
	timestamp int64
	headers   Headers
	apply     func(acc A, has bool) A
}

// intake takes a record into the results. late is true if it was too late for all of them.
type intake[K, A any] func(addition[K, A]) (late bool, err error)

// folding says of one input of an aggregation how its records are taken in.
type folding[K, V, A any] struct {
	add   func(k K, v V, acc A, has bool) A
	nulls bool // records with a null value are taken in
	late  *publisher[K, V]
}

// into attaches the intake of node n, which open makes in each task, behind a stream.
func (f folding[K, V, A]) into(s Stream[K, V], n *node, open func(*Instance) intake[K, A]) {
	s.p.children = append(s.p.children, func(in *Instance) sink[K, V] {
		take := open(in)
		late := func(Record[K, V]) error { return nil }
		if f.late != nil {
			late = f.late.compile(in)
		}
		// One closure for all records: a record does not meet the operator again
		// before it has left it.
		var at Record[K, V]
		apply := func(acc A, has bool) A { return f.add(at.Key, at.Value, acc, has) }
		return func(r Record[K, V]) error {
			switch {
			case r.null&nullKey != 0:
				in.dropped(DropNullKey)
				return nil
			case r.null&nullValue != 0 && !f.nulls:
				in.dropped(DropNullValue)
				return nil
			}
			at = r
			tooLate, err := take(addition[K, A]{r.Key, r.Timestamp, r.Headers, apply})
			if err != nil {
				return in.failure(n, Processing, err)
			}
			if tooLate {
				in.dropped(DropLate)
				return late(r)
			}
			return nil
		}
	})
}

// Late gives the records that a windowed aggregation drops because all of their
// windows are closed to a stream, which *to is from then on:
//
//	var late topology.Stream[string, int64]
//	topology.CountWindows(g, windows, store, topology.Late(&late))
//	late.To(tooLate)
//
// They count as dropped nevertheless.
func Late[K, V any](to *Stream[K, V]) Option { return func(o *options) { o.late = to } }

// lateOf takes the option Late out of the options. The stream's operator is named after n.
func lateOf[K, V any](o *options) func(b *Builder, n *node) *publisher[K, V] {
	given := o.late
	o.late = nil
	return func(b *Builder, n *node) *publisher[K, V] {
		if given == nil {
			return nil
		}
		to, ok := given.(*Stream[K, V])
		if !ok || to == nil {
			b.fail(fmt.Errorf("%s: the stream of late records is a %T, it has to be a %T", n.name, given, to))
			return nil
		}
		*to = newStream[K, V](b, b.addNamed(processorNode, n.name+"-late", n))
		return to.p
	}
}
