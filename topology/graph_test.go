package topology_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

func pictured(b *topology.Builder) {
	in := topology.FromPattern(b, `logs-["<a>\\b#c&d].*`, codec.String, codec.String).Merge(read(b, "in"))
	in.Repartition(textTopic("by-user")).To(textTopic("out"))
	in.To(textTopic("out"))
	in.ToChosen(codec.String, codec.String, route)
}

func TestGraphTexts(t *testing.T) {
	g := build(t, pictured).Graph()
	for file, got := range map[string]string{"testdata/graph/graph.mmd": g.Mermaid(), "testdata/graph/graph.dot": g.DOT()} {
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), got)
	}
}

// A topic is one shape however often it is read and written, and every edge ends at shapes.
func TestGraphIsConnected(t *testing.T) {
	for name, define := range described {
		t.Run(name, func(t *testing.T) {
			g := build(t, define).Graph()
			shapes, labels := map[string]bool{}, map[string]bool{}
			for _, group := range append(g.Groups, g.Around) {
				for _, s := range group {
					assert.False(t, shapes[s.ID], "two shapes have the id %s", s.ID)
					assert.False(t, labels[s.Label], "two shapes are %s", s.Label)
					shapes[s.ID], labels[s.Label] = true, true
				}
			}
			for _, e := range g.Edges {
				assert.True(t, shapes[e.From] && shapes[e.To], "%v", e)
			}
		})
	}
}
