package topology

import "slices"

// Copartitioned returns the groups of source topics, by logical name, that the
// sub-topology's joins read together: all topics of a group must have the same number of
// partitions, internal ones included, or equal keys would not meet.
func (s *SubTopology) Copartitioned() [][]string {
	var groups [][]string
	for _, n := range s.nodes {
		if len(n.joined) == 0 {
			continue
		}
		groups = merged(groups, originsOf(n, nil, map[*node]bool{}))
	}
	for _, g := range groups {
		slices.Sort(g)
	}
	return groups
}

// originsOf appends the topics from which an operator's records come to its task.
func originsOf(n *node, topics []string, seen map[*node]bool) []string {
	if seen[n] {
		return topics
	}
	seen[n] = true
	if n.kind == sourceNode {
		topics = append(topics, n.source.topics...)
	}
	for _, from := range slices.Concat(n.parents, n.joined) {
		topics = originsOf(from, topics, seen)
	}
	return topics
}

// merged adds a group; those that share a topic with it become one with it.
func merged(groups [][]string, topics []string) [][]string {
	var apart [][]string
	for _, g := range groups {
		if !slices.ContainsFunc(g, func(t string) bool { return slices.Contains(topics, t) }) {
			apart = append(apart, g)
			continue
		}
		for _, t := range g {
			if !slices.Contains(topics, t) {
				topics = append(topics, t)
			}
		}
	}
	return append(apart, topics)
}
