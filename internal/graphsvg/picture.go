package graphsvg

import (
	"fmt"

	"github.com/eosproc/eosproc/topology"
)

// picture is where everything lies.
type picture struct {
	size
	boxes   []boxed
	shapes  []topology.GraphShape
	centres map[string]point
	bends   map[topology.GraphEdge][]point
}

// boxed is the frame around a sub-topology.
type boxed struct {
	size
	at    point
	title string
}

// newPicture lays out each sub-topology by itself, then the boxes around them
// together with the topics and stores.
func newPicture(g topology.Graph) *picture {
	p := &picture{centres: map[string]point{}, bends: map[topology.GraphEdge][]point{}}
	if len(g.Groups)+len(g.Around) == 0 {
		return p
	}
	owner := map[string]int{} // shape → item of the outer layout
	var sizes []size
	var inner []arranged
	for i, group := range g.Groups {
		a := within(g, group, p.bends)
		inner = append(inner, a)
		sizes = append(sizes, size{max(a.w+2*boxPadding, 110), a.h + 2*boxPadding + titleSpace})
		for _, s := range group {
			owner[s.ID] = i
		}
		p.shapes = append(p.shapes, group...)
	}
	for i, s := range g.Around {
		owner[s.ID] = len(g.Groups) + i
		sizes = append(sizes, size{width(s), shapeH})
	}
	p.shapes = append(p.shapes, g.Around...)

	var edges [][2]int
	var outer []topology.GraphEdge
	for _, e := range g.Edges {
		if owner[e.From] != owner[e.To] {
			edges = append(edges, [2]int{owner[e.From], owner[e.To]})
			outer = append(outer, e)
		}
	}
	all := arrange(sizes, edges, nil)
	p.size = all.size
	for i, group := range g.Groups {
		b := boxed{sizes[i], point{all.centres[i].x - sizes[i].w/2 + margin, all.centres[i].y - sizes[i].h/2 + margin}, fmt.Sprintf("Sub-topology %d", i)}
		p.boxes = append(p.boxes, b)
		by := point{b.at.x + (b.w-inner[i].w)/2, b.at.y + boxPadding + titleSpace}
		for k, s := range group {
			p.centres[s.ID] = moved(inner[i].centres[k], by)
		}
		for e, bends := range p.bends {
			if owner[e.From] == i && owner[e.To] == i {
				for k := range bends {
					bends[k] = moved(bends[k], by)
				}
			}
		}
	}
	for i, s := range g.Around {
		p.centres[s.ID] = moved(all.centres[len(g.Groups)+i], point{margin, margin})
	}
	for i, e := range outer {
		for _, b := range all.bends[i] {
			p.bends[e] = append(p.bends[e], moved(b, point{margin, margin}))
		}
	}
	return p
}

// within lays out one sub-topology: sources above, sinks below.
func within(g topology.Graph, group []topology.GraphShape, bends map[topology.GraphEdge][]point) arranged {
	place := map[string]int{}
	var sizes []size
	for i, s := range group {
		place[s.ID] = i
		sizes = append(sizes, size{width(s), shapeH})
	}
	var edges [][2]int
	var own []topology.GraphEdge
	parent := make([]bool, len(group))
	for _, e := range g.Edges {
		from, ok := place[e.From]
		to, ok2 := place[e.To]
		if ok && ok2 {
			edges, own = append(edges, [2]int{from, to}), append(own, e)
			parent[from] = true
		}
	}
	last := make([]bool, len(group))
	for i, s := range group {
		last[i] = s.Kind == topology.EntryShape && !parent[i] && len(edges) > 0
	}
	a := arrange(sizes, edges, last)
	for i, e := range own {
		bends[e] = a.bends[i]
	}
	return a
}

func moved(p, by point) point { return point{p.x + by.x, p.y + by.y} }
