package topology

import (
	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// Cogrouped is several grouped streams that are aggregated into one result each
// key. It is made by [Cogroup] and [CogroupWith].
type Cogrouped[K, A any] struct{ inputs []cogroupInput[K, A] }

// cogroupInput is one stream, whose values' type does not show any more.
type cogroupInput[K, A any] struct {
	b      *Builder
	parent *node
	// into attaches the intake of node n; nulls allows records with a null value, where their type can show it.
	into func(n *node, init func() A, nulls bool, open func(*Instance) intake[K, A])
}

// Cogroup begins an aggregation of several streams with the first of them; add
// puts its values into the result.
func Cogroup[K, V, A any](g Grouped[K, V], add func(k K, v V, acc A) A) Cogrouped[K, A] {
	return CogroupWith(Cogrouped[K, A]{}, g, add)
}

// CogroupWith adds a further stream, whose values may be of another type.
func CogroupWith[K, V, A any](c Cogrouped[K, A], g Grouped[K, V], add func(k K, v V, acc A) A) Cogrouped[K, A] {
	into := func(n *node, init func() A, nulls bool, open func(*Instance) intake[K, A]) {
		folding[K, V, A]{add: aggregating(init, add).add, nulls: nulls && hasNil[V]()}.into(g.s, n, open)
	}
	inputs := c.inputs[:len(c.inputs):len(c.inputs)]
	return Cogrouped[K, A]{append(inputs, cogroupInput[K, A]{g.s.p.b, g.s.p.n, into})}
}

// AggregateCogroup aggregates without windows, as [Aggregate] does. A name given
// with [Named] is that of the operator behind those of the inputs.
func AggregateCogroup[K, A any, S TableStore[K, A]](c Cogrouped[K, A], init func() A, store S, opts ...Option) Table[K, A] {
	rows := keepIn[K, A](store)
	nodes, merge := cogroupNodes(c, opts)
	b := c.inputs[0].b
	b.own(nodes[0], rows.spec)
	out := newStream[K, change[A]](b, merge)
	for i, n := range nodes {
		c.inputs[i].into(n, init, false, rowIntake(rows, n, out.p))
	}
	shareStore(b, nodes)
	return stored(rows, out)
}

// AggregateCogroupWindows aggregates by window, as [AggregateWindows] does. Each
// input has a stream time of its own.
func AggregateCogroupWindows[K, A any](c Cogrouped[K, A], w Windows, init func() A, store statestore.Window[K, A], opts ...Option) Table[codec.Windowed[K], A] {
	nodes, merge := cogroupNodes(c, opts)
	b := c.inputs[0].b
	ownWindows(b, nodes[0], w, store, false)
	out := newStream[codec.Windowed[K], change[A]](b, merge)
	for i, n := range nodes {
		c.inputs[i].into(n, init, w.kind != slidingWindows, windowIntake(n, w, store, false, out.p))
	}
	shareStore(b, nodes)
	return windowTable(w, store, out)
}

// AggregateCogroupSessions aggregates by session, as [AggregateSessions] does. Each
// input has a stream time of its own.
func AggregateCogroupSessions[K, A any](c Cogrouped[K, A], s Sessions, init func() A, merge func(k K, a, b A) A, store statestore.Session[K, A], opts ...Option) Table[codec.Windowed[K], A] {
	nodes, behind := cogroupNodes(c, opts)
	b := c.inputs[0].b
	ownSessions(b, nodes[0], s, store, false)
	out := newStream[codec.Windowed[K], change[A]](b, behind)
	for i, n := range nodes {
		c.inputs[i].into(n, init, true, sessionIntake(n, s, merging(init, merge), store, false, out.p))
	}
	shareStore(b, nodes)
	return sessionTable(s, store, out)
}

// cogroupNodes makes the operator of each input, and the one behind them.
func cogroupNodes[K, A any](c Cogrouped[K, A], opts []Option) (inputs []*node, merge *node) {
	b := c.inputs[0].b
	for _, in := range c.inputs {
		inputs = append(inputs, b.add(processorNode, "COGROUPKSTREAM-AGGREGATE-", options{}, in.parent))
	}
	return inputs, b.add(processorNode, "COGROUPKSTREAM-MERGE-", collect(opts), inputs...)
}

// shareStore gives all inputs the stores of the first.
func shareStore(b *Builder, inputs []*node) {
	for _, n := range inputs[1:] {
		b.use(n, inputs[0].stores...)
	}
}
