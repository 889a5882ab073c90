package topology

import (
	"fmt"
	"strings"
)

// Describe returns the topology as text, in the grammar and the order of
// Topology#describe() of Kafka Streams 4.4.0, so that tools which read Kafka's
// text read this one. Internal topics have their logical names, as there. A sink
// with a chooser shows the chooser's name where Kafka shows the class of its
// TopicNameExtractor.
func (t *Topology) Describe() string {
	var w strings.Builder
	w.WriteString("Topologies:\n ")
	for _, s := range t.subs {
		fmt.Fprintf(&w, "  Sub-topology: %d\n", s.ID)
		for _, d := range describe(s.nodes) {
			w.WriteString("    " + d.text() + "\n")
		}
		w.WriteString("\n")
	}
	return w.String()
}

func (d *description) text() string {
	head := d.node.name
	switch d.node.kind {
	case sourceNode:
		return fmt.Sprintf("Source: %s (topics: %s)\n      --> %s", head, d.node.source.text(), d.successors.text())
	case sinkNode:
		return fmt.Sprintf("Sink: %s (%s)\n      <-- %s", head, d.node.sink.text(), d.predecessors.text())
	default:
		return fmt.Sprintf("Processor: %s (stores: %s)\n      --> %s\n      <-- %s",
			head, bracketed(d.node.storeNames()), d.successors.text(), d.predecessors.text())
	}
}

func (s *sourceSpec) text() string {
	if s.pattern != nil {
		return s.patternText
	}
	return bracketed(s.topics)
}

func (s *sinkSpec) text() string {
	if s.topic == "" {
		return fmt.Sprintf("extractor class: %s", s.chooser)
	}
	return fmt.Sprintf("topic: %s", s.topic)
}

// bracketed writes names as a Java HashSet made from a collection prints itself.
func bracketed(names []string) string {
	ordered := hashOrder(names, func(s string) string { return s }, copiedCapacity(len(names)))
	return "[" + strings.Join(ordered, ", ") + "]"
}

// text writes the names of a node's neighbours.
func (t *treeSet) text() string {
	names := t.names(nil)
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
