package graphsvg

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Whatever the graph, shapes do not overlap, lie within the picture, and edges
// point down unless they close a cycle.
func TestArrangeKeepsShapesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "shapes")
		sizes := make([]size, n)
		for i := range sizes {
			sizes[i] = size{float64(rapid.IntRange(10, 200).Draw(t, "width")), shapeH}
		}
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")}
		}), 0, 20).Draw(t, "edges")
		a := arrange(sizes, edges, nil)
		const rounding = 1e-6
		for i, c := range a.centres {
			if c.x-sizes[i].w/2 < -rounding || c.x+sizes[i].w/2 > a.w+rounding || c.y-shapeH/2 < -rounding || c.y+shapeH/2 > a.h+rounding {
				t.Fatalf("shape %d at %v lies outside of %v", i, c, a.size)
			}
			for j, d := range a.centres[:i] {
				if abs(c.y-d.y) < shapeH && abs(c.x-d.x) < (sizes[i].w+sizes[j].w)/2-rounding {
					t.Fatalf("shapes %d at %v and %d at %v overlap", i, c, j, d)
				}
			}
		}
		for i, e := range acyclic(n, edges) {
			if e[0] != e[1] && a.centres[e[0]].y >= a.centres[e[1]].y {
				t.Fatalf("edge %d, %v, does not point down", i, e)
			}
		}
	})
}

func abs(x float64) float64 { return max(x, -x) }

// An edge over several layers goes around what lies between.
func TestArrangeLeadsLongEdgesAround(t *testing.T) {
	sizes := []size{{100, shapeH}, {100, shapeH}, {100, shapeH}}
	a := arrange(sizes, [][2]int{{0, 1}, {1, 2}, {0, 2}}, nil)
	assert.Len(t, a.bends[2], 2)
	for _, b := range a.bends[2] {
		assert.Greater(t, abs(b.x-a.centres[1].x), 50.0)
	}
}
