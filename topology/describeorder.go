package topology

import (
	"cmp"
	"slices"
)

// Kafka Streams prints the nodes of a sub-topology by falling size, the number
// of paths that begin at a node, then by name. The neighbours of a node lie in
// a Java TreeSet with the same order, but they are put there while the sizes are
// still growing, in the order of a Java HashMap, and never move again. Their
// order is thus neither by size nor by name, and can only be had by doing the
// same (InternalTopologyBuilder#describeSubtopology). Sorting by final sizes
// would be ten lines, and differ from Kafka's text in every second topology.

// description is one node on its way into the text.
type description struct {
	node                     *node
	size                     int32 // wraps, as Java's int does
	predecessors, successors treeSet
}

// before is NODE_COMPARATOR.
func (d *description) before(e *description) bool {
	if d.size != e.size {
		return e.size-d.size < 0
	}
	return d.node.name < e.node.name
}

// describe connects the nodes and returns them in Kafka's order.
func describe(nodes []*node) []*description {
	all := make([]*description, len(nodes))
	byNode := map[*node]*description{}
	for i, n := range nodes {
		all[i] = &description{node: n, size: 1}
		byNode[n] = all[i]
	}
	name := func(d *description) string { return d.node.name }
	connected := map[*node][]*description{}
	for _, d := range hashOrder(all, name, grownCapacity(len(all))) {
		for _, parent := range d.node.parents {
			p := byNode[parent]
			d.predecessors.add(p)
			p.successors.add(d)
			connected[d.node] = append(connected[d.node], p)
			grow(all, connected, p, d.size)
		}
	}
	slices.SortFunc(all, func(a, b *description) int {
		if a.size != b.size {
			return cmp.Compare(b.size-a.size, 0)
		}
		return cmp.Compare(a.node.name, b.node.name)
	})
	return all
}

// grow adds delta to the size of from, and of all that lie before it once per
// path. Java walks every path, whose number doubles with each diamond; parents
// are defined before their children, so one pass backwards does the same.
func grow(all []*description, connected map[*node][]*description, from *description, delta int32) {
	add := map[*description]int32{from: delta}
	for _, d := range slices.Backward(all) {
		by := add[d]
		if by == 0 {
			continue
		}
		d.size += by
		for _, p := range connected[d.node] {
			add[p] += by
		}
	}
}

// hashOrder orders items as a Java HashMap of the given capacity that they are
// put into one after the other. Buckets with eight entries or more, which Java
// turns into trees, are beyond what names of operators bring about.
func hashOrder[T any](items []T, name func(T) string, capacity uint32) []T {
	out := slices.Clone(items)
	bucket := func(x T) uint32 {
		var h uint32
		for _, c := range []byte(name(x)) {
			h = 31*h + uint32(c)
		}
		return (h ^ h>>16) & (capacity - 1)
	}
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(bucket(a), bucket(b)) })
	return out
}

// grownCapacity is the capacity of a HashMap after n insertions.
func grownCapacity(n int) uint32 {
	c := uint32(16)
	for n > int(c)*3/4 {
		c *= 2
	}
	return c
}

// copiedCapacity is the capacity of a HashSet made from a collection of n.
func copiedCapacity(n int) uint32 {
	c := uint32(16)
	for int(c) < n*4/3+1 {
		c *= 2
	}
	return c
}
