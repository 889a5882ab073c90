package topology

import "fmt"

// Splitter divides a stream by predicates: each record goes to the first branch
// whose predicate holds, else to the default branch, else nowhere.
type Splitter[K, V any] struct {
	s        Stream[K, V]
	n        *node
	branches []branch[K, V]
	fallback *publisher[K, V]
}

type branch[K, V any] struct {
	holds func(*Record[K, V]) bool
	out   *publisher[K, V]
}

// Split begins a division of the stream; add branches with [Splitter.Branch]
// and [Splitter.Default].
func (s Stream[K, V]) Split(opts ...Option) *Splitter[K, V] {
	sp := &Splitter[K, V]{s: s}
	sp.n = s.p.b.add(processorNode, "KSTREAM-BRANCH-", collect(opts), s.p.n)
	s.p.children = append(s.p.children, sp.compile)
	return sp
}

// Branch adds a branch behind those added so far. A name given with [Named] is
// put behind the name of the split, as Kafka Streams does.
func (sp *Splitter[K, V]) Branch(holds func(K, V) bool, opts ...Option) Stream[K, V] {
	if sp.fallback != nil {
		sp.s.p.b.fail(fmt.Errorf("%s: a branch after the default branch is never reached", sp.n.name))
	}
	out := sp.child(len(sp.branches)+1, opts)
	sp.branches = append(sp.branches, branch[K, V]{holdsFor(holds), out.p})
	return out
}

// Default returns the stream of the records that no branch takes. It is named
// like a branch.
func (sp *Splitter[K, V]) Default(opts ...Option) Stream[K, V] {
	if sp.fallback != nil {
		sp.s.p.b.fail(fmt.Errorf("%s has two default branches", sp.n.name))
	}
	out := sp.child(0, opts)
	sp.fallback = out.p
	return out
}

// child makes the node of a branch, named by its place unless it has a name. As
// in Kafka Streams it uses up a number that does not show.
func (sp *Splitter[K, V]) child(place int, opts []Option) Stream[K, V] {
	o := collect(opts)
	if o.name == "" {
		o.name = fmt.Sprint(place)
	}
	o.name = sp.n.name + o.name
	b := sp.s.p.b
	return newStream[K, V](b, b.add(processorNode, "KSTREAM-BRANCHCHILD-", o, sp.n))
}

func (sp *Splitter[K, V]) compile(in *Instance) sink[K, V] {
	outs := make([]sink[K, V], len(sp.branches))
	for i, br := range sp.branches {
		outs[i] = br.out.compile(in)
	}
	rest := func(Record[K, V]) error { return nil }
	if sp.fallback != nil {
		rest = sp.fallback.compile(in)
	}
	return func(r Record[K, V]) error {
		for i := range sp.branches {
			if sp.branches[i].holds(&r) {
				return outs[i](r)
			}
		}
		return rest(r)
	}
}
