package graphsvg

import (
	"cmp"
	"slices"
)

// The distances of the picture, in pixels.
const (
	besideGap = 26.0
	belowGap  = 38.0
)

type point struct{ x, y float64 }

type size struct{ w, h float64 }

// arranged is a layout: the centres of the items, and for each edge the points
// between its ends through which it goes.
type arranged struct {
	size
	centres []point
	bends   [][]point
}

// arrange puts items into layers, each below those that point to it, after
// Sugiyama: break cycles, layer by the longest path, order by the mean of the
// neighbours, then give places. An edge over several layers becomes a chain of
// invisible items, so that it finds a way between the others.
func arrange(sizes []size, edges [][2]int, last []bool) arranged {
	g := &grid{sizes: slices.Clone(sizes)}
	forward := acyclic(len(sizes), edges)
	layer := layers(len(sizes), forward, last)
	chains := make([][]int, len(edges))
	for i, e := range forward {
		at := e[0]
		for l := layer[e[0]] + 1; l < layer[e[1]]; l++ {
			g.sizes = append(g.sizes, size{2, 0})
			layer = append(layer, l)
			x := len(g.sizes) - 1
			g.link(at, x)
			chains[i] = append(chains[i], x)
			at = x
		}
		g.link(at, e[1])
	}
	g.fill(layer)
	g.order()
	out := g.place()
	for i, e := range edges {
		var bends []point
		for _, x := range chains[i] {
			// Straight down beside the shapes of the layer; bent in between only.
			c, half := out.centres[x], g.heights[layer[x]]/2
			bends = append(bends, point{c.x, c.y - half}, point{c.x, c.y + half})
		}
		if forward[i] != e { // it points up, against the layers
			slices.Reverse(bends)
		}
		out.bends = append(out.bends, bends)
	}
	out.centres = out.centres[:len(sizes)]
	return out
}

// acyclic turns the edges around that close a cycle.
func acyclic(n int, edges [][2]int) [][2]int {
	out := slices.Clone(edges)
	const open, done = 1, 2
	state := make([]int, n)
	var visit func(int)
	visit = func(x int) {
		state[x] = open
		for i, e := range edges {
			if e[0] != x {
				continue
			}
			switch state[e[1]] {
			case open:
				out[i] = [2]int{e[1], e[0]}
			case done:
			default:
				visit(e[1])
			}
		}
		state[x] = done
	}
	for x := range n {
		if state[x] == 0 {
			visit(x)
		}
	}
	return out
}

// layers numbers the layers from the top. Items marked last go to the bottom.
func layers(n int, edges [][2]int, last []bool) []int {
	layer := make([]int, n)
	bottom := 0
	for range n { // at most n rounds, since there is no cycle
		changed := false
		for _, e := range edges {
			if e[0] != e[1] && layer[e[1]] <= layer[e[0]] {
				layer[e[1]], changed = layer[e[0]]+1, true
			}
		}
		if !changed {
			break
		}
	}
	for _, l := range layer {
		bottom = max(bottom, l)
	}
	for x := range n {
		if last != nil && last[x] {
			layer[x] = bottom
		}
	}
	return layer
}

// grid is the items by layer, from left to right.
type grid struct {
	sizes    []size
	up, down [][]int
	rows     [][]int
	heights  []float64
	column   []int
}

func (g *grid) link(from, to int) {
	for len(g.up) < len(g.sizes) {
		g.up, g.down = append(g.up, nil), append(g.down, nil)
	}
	if from != to {
		g.down[from], g.up[to] = append(g.down[from], to), append(g.up[to], from)
	}
}

func (g *grid) fill(layer []int) {
	for len(g.up) < len(g.sizes) {
		g.up, g.down = append(g.up, nil), append(g.down, nil)
	}
	g.column = make([]int, len(g.sizes))
	for x, l := range layer {
		for len(g.rows) <= l {
			g.rows = append(g.rows, nil)
		}
		g.column[x] = len(g.rows[l])
		g.rows[l] = append(g.rows[l], x)
	}
}

// order sorts each row by the mean column of its neighbours, down and up in turn.
func (g *grid) order() {
	for sweep := range 12 {
		near := g.up
		rows := slices.Clone(g.rows)
		if sweep%2 == 1 {
			near = g.down
			slices.Reverse(rows)
		}
		for _, row := range rows {
			weight := map[int]float64{}
			for _, x := range row {
				weight[x] = mean(near[x], float64(g.column[x]), func(y int) float64 { return float64(g.column[y]) })
			}
			slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(weight[a], weight[b]) })
			for i, x := range row {
				g.column[x] = i
			}
		}
	}
}

func mean(items []int, none float64, of func(int) float64) float64 {
	if len(items) == 0 {
		return none
	}
	sum := 0.0
	for _, x := range items {
		sum += of(x)
	}
	return sum / float64(len(items))
}

// place gives each item its centre: as near to the mean of its neighbours as
// its row allows.
func (g *grid) place() arranged {
	out := arranged{centres: make([]point, len(g.sizes))}
	y := 0.0
	for _, row := range g.rows {
		height, x := 0.0, 0.0
		for _, i := range row {
			height = max(height, g.sizes[i].h)
		}
		g.heights = append(g.heights, height)
		for _, i := range row {
			out.centres[i] = point{x + g.sizes[i].w/2, y + height/2}
			x += g.sizes[i].w + besideGap
		}
		y += height + belowGap
	}
	out.h = y - belowGap
	for range 24 {
		for _, row := range g.rows {
			g.spread(row, out.centres)
		}
	}
	left, right := out.centres[0].x, out.centres[0].x
	for i, c := range out.centres {
		left, right = min(left, c.x-g.sizes[i].w/2), max(right, c.x+g.sizes[i].w/2)
	}
	for i := range out.centres {
		out.centres[i].x -= left
	}
	out.w = right - left
	return out
}

// spread moves the items of a row to the places they want, keeping order and
// distance: the least squares solution, by merging neighbours that collide.
func (g *grid) spread(row []int, centres []point) {
	type block struct{ sum, n float64 }
	var blocks []block
	offsets := make([]float64, len(row))
	for k, i := range row {
		if k > 0 {
			offsets[k] = offsets[k-1] + g.sizes[row[k-1]].w/2 + besideGap + g.sizes[i].w/2
		}
		near := append(slices.Clone(g.up[i]), g.down[i]...)
		want := mean(near, centres[i].x, func(j int) float64 { return centres[j].x })
		b := block{want - offsets[k], 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].sum/blocks[len(blocks)-1].n > b.sum/b.n {
			top := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			b = block{b.sum + top.sum, b.n + top.n}
		}
		blocks = append(blocks, b)
	}
	k := 0
	for _, b := range blocks {
		for range int(b.n) {
			centres[row[k]].x = b.sum/b.n + offsets[k]
			k++
		}
	}
}
