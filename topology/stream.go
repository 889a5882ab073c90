package topology

// sink takes a record of a stream.
type sink[K, V any] func(Record[K, V]) error

// Stream is an unbounded sequence of records. It is a handle: copying it does
// not copy the stream, and using it twice gives every record to both uses, in
// the order in which they were defined.
type Stream[K, V any] struct{ p *publisher[K, V] }

// publisher is the typed half of an operator with successors.
type publisher[K, V any] struct {
	b        *Builder
	n        *node
	children []func(*Instance) sink[K, V]
}

func newStream[K, V any](b *Builder, n *node) Stream[K, V] {
	return Stream[K, V]{&publisher[K, V]{b: b, n: n}}
}

// compile makes the function that gives a record to all children. A node with
// several parents is compiled once per instance, or a processor behind a merge
// would have a state per parent.
func (p *publisher[K, V]) compile(in *Instance) sink[K, V] {
	if done, ok := in.compiled[p.n]; ok {
		return done.(sink[K, V])
	}
	outs := make([]sink[K, V], len(p.children))
	for i, c := range p.children {
		outs[i] = c(in)
	}
	var s sink[K, V]
	switch len(outs) {
	case 0:
		s = func(Record[K, V]) error { return nil }
	case 1:
		s = outs[0]
	default:
		s = func(r Record[K, V]) error {
			for _, out := range outs {
				if err := out(r); err != nil {
					return err
				}
			}
			return nil
		}
	}
	in.compiled[p.n] = s
	return s
}

// attach adds an operator behind the stream. make runs once per task.
func attach[K, V, K2, V2 any](s Stream[K, V], n *node, make func(in *Instance, next sink[K2, V2]) sink[K, V]) Stream[K2, V2] {
	out := newStream[K2, V2](s.p.b, n)
	s.p.children = append(s.p.children, func(in *Instance) sink[K, V] {
		return make(in, out.p.compile(in))
	})
	return out
}
