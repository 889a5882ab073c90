package topology

import (
	"fmt"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// JoinStreams joins the records of two streams that have equal keys and whose
// timestamps are near enough. Whichever arrives last gives a result for each that it
// meets, in the order of their timestamps; a result's timestamp is the larger of the two, its
// headers are those of the record that arrived last. Records with a null key or value are dropped.
//
// Equal keys have to be in equal partitions, see [SubTopology.Copartitioned]. A
// stream may be joined with itself; a record then meets itself, too.
//
// It is five operators, as in Kafka Streams: with Named <name>-this-windowed,
// <name>-other-windowed, <name>-this-join, <name>-other-join and <name>-merge.
func JoinStreams[K, L, R, O any](left Stream[K, L], right Stream[K, R], w JoinWindows, stores JoinStores[K, L, R], join func(L, R) O, opts ...Option) Stream[K, O] {
	both := func(l L, _ bool, r R, _ bool) O { return join(l, r) }
	return joinStreams(left, right, w, stores, both, false, false, opts)
}

// LeftJoinStreams is [JoinStreams] for all left records: when the time of both streams, which is the
// largest timestamp so far, is beyond timestamp + after + grace of one that has met none,
// it comes out alone, with ok false and its own timestamp, without headers. A
// record with a null key, and one that is beyond its window when it arrives, comes out at once.
func LeftJoinStreams[K, L, R, O any](left Stream[K, L], right Stream[K, R], w JoinWindows, stores JoinStores[K, L, R], join func(l L, r R, ok bool) O, opts ...Option) Stream[K, O] {
	all := func(l L, _ bool, r R, hasR bool) O { return join(l, r, hasR) }
	return joinStreams(left, right, w, stores, all, true, false, opts)
}

// OuterJoinStreams is [LeftJoinStreams] for the records of both sides; those of
// the right come out alone beyond timestamp + before + grace. Those that are due together come out in the order
// of timestamps, right before left, then by the keys' bytes, then as they arrived.
func OuterJoinStreams[K, L, R, O any](left Stream[K, L], right Stream[K, R], w JoinWindows, stores JoinStores[K, L, R], join func(l L, hasL bool, r R, hasR bool) O, opts ...Option) Stream[K, O] {
	return joinStreams(left, right, w, stores, join, true, true, opts)
}

// joinStreams puts two of KStreamKStreamJoin together. A right join is the left one of the swapped streams.
func joinStreams[K, L, R, O any](left Stream[K, L], right Stream[K, R], w JoinWindows, stores JoinStores[K, L, R], join func(L, bool, R, bool) O, leftOuter, rightOuter bool, opts []Option) Stream[K, O] {
	b, o := left.p.b, collect(opts)
	names := func(suffix string) options {
		if o.name == "" {
			return options{}
		}
		return options{name: o.name + suffix}
	}
	thisSuffix, thisPrefix := "-this-join", "KSTREAM-JOINTHIS-"
	otherSuffix, otherPrefix := "-other-join", "KSTREAM-JOINOTHER-"
	shared := "-left-shared-join-store"
	if rightOuter {
		thisSuffix, thisPrefix, shared = "-outer-this-join", "KSTREAM-OUTERTHIS-", "-outer-shared-join-store"
	}
	if leftOuter {
		otherSuffix, otherPrefix = "-outer-other-join", "KSTREAM-OUTEROTHER-"
	}
	leftIn := b.add(processorNode, "KSTREAM-WINDOWED-", names("-this-windowed"), left.p.n)
	rightIn := b.add(processorNode, "KSTREAM-WINDOWED-", names("-other-windowed"), right.p.n)
	leftNode := b.add(processorNode, thisPrefix, names(thisSuffix), leftIn)
	rightNode := b.add(processorNode, otherPrefix, names(otherSuffix), rightIn)
	if o.name != "" {
		o.name += "-merge"
	}
	n := b.add(processorNode, "KSTREAM-MERGE-", o, leftNode, rightNode)
	leftNode.joined, rightNode.joined = []*node{rightIn}, []*node{leftIn}
	out := newStream[K, O](b, n)
	for _, err := range []error{stores.check(), w.check()} {
		if err != nil {
			b.fail(fmt.Errorf("%s: %w", n.name, err))
			return out
		}
	}

	leftStore := kept(stores.name+thisSuffix+"-store", stores.key, stores.left, w, stores.opts)
	rightStore := kept(stores.name+otherSuffix+"-store", stores.key, stores.right, w, stores.opts)
	b.own(leftIn, leftStore)
	b.own(rightIn, rightStore)
	b.use(leftNode, rightStore)
	b.use(rightNode, leftStore)
	ofLeft := streamSide[K, L, R, O]{
		node: leftNode, merge: n, out: out.p, side: leftSide, outer: leftOuter, otherOuter: rightOuter,
		before: w.before, after: w.after, own: leftStore, other: rightStore,
		join: func(l L, r R, ok bool) O { return join(l, true, r, ok) },
	}
	ofRight := streamSide[K, R, L, O]{
		node: rightNode, merge: n, out: out.p, side: rightSide, outer: rightOuter, otherOuter: leftOuter,
		before: w.after, after: w.before, own: rightStore, other: leftStore,
		join: func(r R, l L, ok bool) O { return join(l, ok, r, true) },
	}
	var open func(*Instance) *unmatched
	if leftOuter {
		spec := statestore.NewKV(stores.name+shared, codec.Bytes, codec.Bytes, stores.opts...)
		b.own(leftNode, spec)
		b.use(rightNode, spec)
		open = func(in *Instance) *unmatched {
			u := &unmatched{entries: spec.Open(in.env.State), next: in.localTime(leftNode), grace: w.grace}
			u.sides[leftSide] = waitingSide{w.after, ofLeft.alone(in)}
			u.sides[rightSide] = waitingSide{w.before, ofRight.alone(in)}
			return u
		}
	}
	ofLeft.into(left, open)
	ofRight.into(right, open)
	return out
}
