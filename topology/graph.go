package topology

import (
	"fmt"
	"slices"
	"strings"
)

// Graph is a topology as a picture: its operators, grouped by sub-topology, and
// the topics and stores around them. Names are those of [Topology.Describe].
type Graph struct {
	// Groups holds the operators of each sub-topology.
	Groups [][]GraphShape
	// Around holds the topics and stores.
	Around []GraphShape
	Edges  []GraphEdge
}

// GraphShape is one thing in a picture.
type GraphShape struct {
	// ID is unique in its graph.
	ID    string
	Label string
	Kind  ShapeKind
}

// GraphEdge says that records go from one shape to another, by their ids.
type GraphEdge struct {
	From, To string
	// Both marks the edge of a store, which its operator reads and writes.
	Both bool
}

// ShapeKind says what a shape stands for.
type ShapeKind uint8

// The kinds of shapes.
const (
	OperatorShape ShapeKind = iota
	// EntryShape is a source or a sink.
	EntryShape
	TopicShape
	// InternalTopicShape is a repartition topic.
	InternalTopicShape
	// PatternShape is all topics that match a pattern.
	PatternShape
	// ChooserShape is the function that chooses a sink's topic.
	ChooserShape
	StoreShape
)

// Graph returns the topology as a picture.
func (t *Topology) Graph() Graph {
	g := Graph{}
	outside := map[string]string{} // kind and label → id
	place := func(kind ShapeKind, label string) string {
		key := fmt.Sprint(kind, label)
		id, ok := outside[key]
		if !ok {
			id = fmt.Sprintf("t%d", len(outside))
			outside[key] = id
			g.Around = append(g.Around, GraphShape{id, label, kind})
		}
		return id
	}
	for _, s := range t.subs {
		var group []GraphShape
		for _, n := range s.nodes {
			id := fmt.Sprintf("n%d", n.index)
			kind := EntryShape
			if n.kind == processorNode {
				kind = OperatorShape
			}
			group = append(group, GraphShape{id, n.name, kind})
			for _, p := range n.parents {
				g.Edges = append(g.Edges, GraphEdge{From: fmt.Sprintf("n%d", p.index), To: id})
			}
			for _, store := range n.storeNames() {
				g.Edges = append(g.Edges, GraphEdge{From: id, To: place(StoreShape, store), Both: true})
			}
			switch n.kind {
			case sourceNode:
				for _, label := range n.source.labels() {
					g.Edges = append(g.Edges, GraphEdge{From: place(n.source.shape(), label), To: id})
				}
			case sinkNode:
				g.Edges = append(g.Edges, GraphEdge{From: id, To: place(n.sink.shape(), n.sink.label())})
			}
		}
		g.Groups = append(g.Groups, group)
	}
	return g
}

func (s *sourceSpec) labels() []string {
	if s.pattern != nil {
		return []string{s.patternText}
	}
	return s.topics
}

func (s *sourceSpec) shape() ShapeKind {
	switch {
	case s.pattern != nil:
		return PatternShape
	case s.repartition != nil:
		return InternalTopicShape
	default:
		return TopicShape
	}
}

func (s *sinkSpec) label() string {
	if s.topic == "" {
		return s.chooser
	}
	return s.topic
}

func (s *sinkSpec) shape() ShapeKind {
	switch {
	case s.topic == "":
		return ChooserShape
	case s.repartition != nil:
		return InternalTopicShape
	default:
		return TopicShape
	}
}

// Mermaid returns the picture as a Mermaid flowchart, which GitHub, GitLab and
// many editors draw inside Markdown.
func (g Graph) Mermaid() string {
	var w strings.Builder
	w.WriteString("flowchart TB\n")
	for i, group := range g.Groups {
		fmt.Fprintf(&w, "  subgraph s%d[\"Sub-topology %d\"]\n", i, i)
		for _, x := range group {
			w.WriteString("    " + x.mermaid() + "\n")
		}
		w.WriteString("  end\n")
	}
	for _, x := range g.Around {
		w.WriteString("  " + x.mermaid() + "\n")
	}
	for _, e := range g.Edges {
		arrow := "-->"
		if e.Both {
			arrow = "<-.->"
		}
		fmt.Fprintf(&w, "  %s %s %s\n", e.From, arrow, e.To)
	}
	if dashed := g.dashed(); len(dashed) > 0 {
		w.WriteString("  classDef internal stroke-dasharray: 4 3\n")
		fmt.Fprintf(&w, "  class %s internal\n", strings.Join(dashed, ","))
	}
	return w.String()
}

// dashed returns the shapes that are no topics with one name of the user's.
func (g Graph) dashed() []string {
	var ids []string
	for _, x := range g.Around {
		if slices.Contains([]ShapeKind{InternalTopicShape, PatternShape, ChooserShape}, x.Kind) {
			ids = append(ids, x.ID)
		}
	}
	return ids
}

var mermaidEscapes = strings.NewReplacer(`"`, "#quot;", "#", "#35;", "&", "#amp;", "<", "#lt;", ">", "#gt;")

func (x GraphShape) mermaid() string {
	left, right := "[", "]"
	switch x.Kind {
	case EntryShape:
		left, right = "([", "])"
	case TopicShape, InternalTopicShape, PatternShape, StoreShape:
		left, right = "[(", ")]"
	case ChooserShape:
		left, right = "{{", "}}"
	}
	return fmt.Sprintf(`%s%s"%s"%s`, x.ID, left, mermaidEscapes.Replace(x.Label), right)
}

// DOT returns the picture in Graphviz's language.
func (g Graph) DOT() string {
	var w strings.Builder
	w.WriteString("digraph topology {\n")
	w.WriteString("  graph [rankdir=TB, fontname=\"Helvetica\", fontsize=12, nodesep=0.3, ranksep=0.4];\n")
	w.WriteString("  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=\"rounded,filled\", fillcolor=\"white\", color=\"#555555\"];\n")
	w.WriteString("  edge [color=\"#555555\", arrowsize=0.7];\n")
	for i, group := range g.Groups {
		fmt.Fprintf(&w, "  subgraph cluster_%d {\n    label=\"Sub-topology %d\"; style=\"rounded,filled\"; color=\"#cccccc\"; fillcolor=\"#f6f8fa\";\n", i, i)
		for _, x := range group {
			w.WriteString("    " + x.dot() + "\n")
		}
		w.WriteString("  }\n")
	}
	for _, x := range g.Around {
		w.WriteString("  " + x.dot() + "\n")
	}
	for _, e := range g.Edges {
		attributes := ""
		if e.Both {
			attributes = " [dir=both, style=dashed]"
		}
		fmt.Fprintf(&w, "  %s -> %s%s;\n", e.From, e.To, attributes)
	}
	w.WriteString("}\n")
	return w.String()
}

var dotEscapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)

func (x GraphShape) dot() string {
	look := ""
	switch x.Kind {
	case EntryShape:
		look = `, shape=oval, style="filled"`
	case TopicShape:
		look = `, shape=cylinder, style="filled", fillcolor="#dbeafe"`
	case InternalTopicShape:
		look = `, shape=cylinder, style="filled,dashed", fillcolor="#eff6ff"`
	case PatternShape:
		look = `, shape=cylinder, style="filled,dashed", fillcolor="#dbeafe"`
	case ChooserShape:
		look = `, shape=hexagon, style="filled,dashed", fillcolor="#dbeafe"`
	case StoreShape:
		look = `, shape=cylinder, style="filled", fillcolor="#dcfce7"`
	}
	return fmt.Sprintf(`%s [label="%s"%s];`, x.ID, dotEscapes.Replace(x.Label), look)
}
