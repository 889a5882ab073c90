package graphsvg

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"github.com/eosproc/eosproc/topology"
)

const (
	margin     = 16.0
	boxPadding = 16.0
	titleSpace = 22.0
	shapeH     = 34.0
)

// Render draws a topology. An empty graph gives an empty picture.
func Render(g topology.Graph) []byte {
	p := newPicture(g)
	var w bytes.Buffer
	fmt.Fprintf(&w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="Helvetica, Arial, sans-serif" font-size="11">`+"\n",
		p.w+2*margin, p.h+2*margin, p.w+2*margin, p.h+2*margin)
	w.WriteString(`<style>.op{fill:#fff}.entry{fill:#f3f4f6}.topic{fill:#dbeafe}.internal{fill:#eff6ff;stroke-dasharray:4 3}.store{fill:#dcfce7}` +
		`.op,.entry,.topic,.internal,.store{stroke:#555}.box{fill:#f8fafc;stroke:#cbd5e1}.edge{fill:none;stroke:#555}text{fill:#111}.title{fill:#475569}</style>` + "\n")
	w.WriteString(`<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>` + "\n")
	fmt.Fprintf(&w, `<rect width="%.0f" height="%.0f" fill="#fff"/>`+"\n", p.w+2*margin, p.h+2*margin)
	for _, b := range p.boxes {
		fmt.Fprintf(&w, `<rect class="box" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="8"/>`+"\n", b.at.x, b.at.y, b.w, b.h)
		fmt.Fprintf(&w, `<text class="title" x="%.1f" y="%.1f">%s</text>`+"\n", b.at.x+10, b.at.y+16, b.title)
	}
	for _, e := range g.Edges {
		p.edge(&w, e)
	}
	for _, s := range p.shapes {
		p.shape(&w, s)
	}
	w.WriteString("</svg>\n")
	return w.Bytes()
}

// edge draws a line of smooth bends from the lower side of one shape to the
// upper side of another, or the other way round for one that points up.
func (p *picture) edge(w *bytes.Buffer, e topology.GraphEdge) {
	from, to := p.centres[e.From], p.centres[e.To]
	side := shapeH / 2
	if from.y > to.y {
		side = -side
	}
	path := append([]point{{from.x, from.y + side}}, p.bends[e]...)
	path = append(path, point{to.x, to.y - side})
	fmt.Fprintf(w, `<path class="edge" marker-end="url(#arrow)"`)
	if e.Both {
		w.WriteString(` marker-start="url(#arrow)" stroke-dasharray="4 3"`)
	}
	fmt.Fprintf(w, ` d="M%.1f %.1f`, path[0].x, path[0].y)
	for i, b := range path[1:] {
		a := path[i]
		middle := (a.y + b.y) / 2
		fmt.Fprintf(w, "C%.1f %.1f %.1f %.1f %.1f %.1f", a.x, middle, b.x, middle, b.x, b.y)
	}
	w.WriteString("\"/>\n")
}

var classes = map[topology.ShapeKind]string{
	topology.OperatorShape: "op", topology.EntryShape: "entry", topology.TopicShape: "topic",
	topology.InternalTopicShape: "internal", topology.PatternShape: "internal", topology.ChooserShape: "internal",
	topology.StoreShape: "store",
}

func (p *picture) shape(w *bytes.Buffer, s topology.GraphShape) {
	c, class, half := p.centres[s.ID], classes[s.Kind], width(s)/2
	x, y, h := c.x-half, c.y-shapeH/2, shapeH
	switch s.Kind {
	case topology.OperatorShape:
		fmt.Fprintf(w, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="5"/>`, class, x, y, 2*half, h)
	case topology.EntryShape:
		fmt.Fprintf(w, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f"/>`, class, x, y, 2*half, h, h/2)
	case topology.ChooserShape:
		fmt.Fprintf(w, `<path class="%s" d="M%.1f %.1fl10 %.1fh%.1fl10 %.1fl-10 %.1fh%.1fz"/>`, class, x, c.y, -h/2, 2*half-20, h/2, h/2, 20-2*half)
	default:
		fmt.Fprintf(w, `<path class="%s" d="M%.1f %.1fa%.1f 4 0 0 1 %.1f 0v%.1fa%.1f 4 0 0 1 %.1f 0z"/>`,
			class, x, y+4, half, 2*half, h-8, half, -2*half)
		fmt.Fprintf(w, `<path class="%s" d="M%.1f %.1fa%.1f 4 0 0 0 %.1f 0"/>`, class, x, y+4, half, 2*half)
	}
	fmt.Fprintf(w, `<text text-anchor="middle" x="%.1f" y="%.1f">`, c.x, c.y+5)
	// Writing to a bytes.Buffer cannot fail.
	_ = xml.EscapeText(w, []byte(s.Label))
	w.WriteString("</text>\n")
}

// width estimates the width of a label: viewers have different fonts, so it is
// that of a wide one.
func width(s topology.GraphShape) float64 { return max(48, 7.2*float64(len(s.Label))+22) }
