package topology

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/eosproc/eosproc/statestore"
)

// SubTopology is a part of a topology whose operators are connected. Topics
// connect sub-topologies, so each can run on its own, once per partition.
type SubTopology struct {
	// ID is the number in task ids.
	ID    int
	nodes []*node
}

// SourceTopic is a topic that a sub-topology reads.
type SourceTopic struct {
	// Name is the logical name; an internal topic's lacks the application id.
	Name string
	// Pattern is set instead of Name for a source of all topics that match.
	Pattern *regexp.Regexp
	// Internal marks a repartition topic, which the application creates and purges.
	Internal bool
	// Partitions of an internal topic; 0 means as many as its largest upstream topic.
	Partitions int
	Reset      Reset
}

// Sources returns the topics that the sub-topology reads, in order of definition.
func (s *SubTopology) Sources() []SourceTopic {
	var out []SourceTopic
	for _, n := range s.nodes {
		if n.kind != sourceNode {
			continue
		}
		if n.source.pattern != nil {
			out = append(out, SourceTopic{Pattern: n.source.pattern, Reset: n.source.reset})
		}
		for _, name := range n.source.topics {
			st := SourceTopic{Name: name, Reset: n.source.reset}
			if r := n.source.repartition; r != nil {
				st.Internal, st.Partitions = true, r.partitions
			}
			out = append(out, st)
		}
	}
	return out
}

// Sinks returns the topics that the sub-topology writes by name; internal ones
// (with logical names) are told apart.
func (s *SubTopology) Sinks() (topics, internal []string) {
	for _, n := range s.nodes {
		switch {
		case n.kind != sinkNode || n.sink.topic == "":
		case n.sink.repartition != nil:
			internal = append(internal, n.sink.topic)
		default:
			topics = append(topics, n.sink.topic)
		}
	}
	return topics, internal
}

// Stores returns the stores of the sub-topology's operators, each once, in order of definition.
func (s *SubTopology) Stores() []statestore.Spec {
	var out []statestore.Spec
	seen := map[string]bool{}
	for _, n := range s.nodes {
		for _, spec := range n.stores {
			if !seen[spec.Name()] {
				seen[spec.Name()] = true
				out = append(out, spec)
			}
		}
	}
	return out
}

// SourceChangelogs returns, by store, the source topics that can serve as the
// store's changelog, because they hold the same records: those of [TableFrom].
// Such a store needs no topic of its own (topology.optimization of Kafka Streams).
func (s *SubTopology) SourceChangelogs() map[string]string {
	out := map[string]string{}
	for _, n := range s.nodes {
		if n.kind == sourceNode && n.source.changelogOf != "" {
			out[n.source.changelogOf] = n.source.topics[0]
		}
	}
	return out
}

// divide numbers the connected parts as Kafka Streams does
// (InternalTopologyBuilder#makeNodeGroups): by the first source of each.
func divide(nodes []*node) []*SubTopology {
	group := make([]int, len(nodes))
	for i := range group {
		group[i] = i
	}
	find := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	join := func(a, b int) { group[find(a)] = find(b) }
	byStore := map[string]int{}
	for _, n := range nodes {
		for _, p := range n.parents {
			join(n.index, p.index)
		}
		for _, s := range n.storeNames() {
			if other, ok := byStore[s]; ok {
				join(n.index, other)
			}
			byStore[s] = n.index
		}
	}

	byRoot := map[int]*SubTopology{}
	var subs []*SubTopology
	ordered := slices.Clone(nodes)
	slices.SortStableFunc(ordered, func(a, b *node) int { return cmp.Compare(rank(a), rank(b)) })
	for _, n := range ordered {
		root := find(n.index)
		if byRoot[root] == nil {
			byRoot[root] = &SubTopology{ID: len(subs)}
			subs = append(subs, byRoot[root])
		}
	}
	for _, n := range nodes {
		s := byRoot[find(n.index)]
		s.nodes = append(s.nodes, n)
	}
	return subs
}

func rank(n *node) int {
	if n.kind == sourceNode {
		return 0
	}
	return 1
}
