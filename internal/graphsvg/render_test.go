package graphsvg_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/graphsvg"
	"github.com/eosproc/eosproc/topology"
)

func text(name string) topology.Topic[string, string] {
	return topology.NewTopic(name, codec.String, codec.String)
}

func graph(t *testing.T) topology.Graph {
	t.Helper()
	b := topology.NewBuilder()
	yes := func(string, string) bool { return true }
	orders := topology.From(b, text("orders"), topology.Named("read-orders")).Filter(yes, topology.Named("valid"))
	logs := topology.FromPattern(b, "logs-<.*>&", codec.String, codec.String)
	orders.Merge(logs).To(text("all"))
	split := orders.Split(topology.Named("by-size-"))
	big := split.Branch(yes, topology.Named("big"))
	topology.MapValues(big, strings.ToUpper).To(text("big"))
	split.Default(topology.Named("rest")).Repartition(text("by-user")).Peek(func(topology.Record[string, string]) {}).To(text("orders-again"))
	back := topology.From(b, text("orders-again"))
	back.Filter(yes).To(text("big"))
	back.ToChosen(codec.String, codec.String, func(topology.Record[string, string]) topology.Destination {
		return topology.Destination{}
	})
	topo, err := b.Build()
	require.NoError(t, err)
	return topo.Graph()
}

// texts returns what a picture says; the test fails if it is not well formed.
func texts(t *testing.T, svg []byte) (texts []string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	inText := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err, "the picture is not well formed")
		switch x := token.(type) {
		case xml.StartElement:
			inText = x.Name.Local == "text"
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				texts = append(texts, string(x))
			}
		}
	}
}

func TestRenderShowsEveryName(t *testing.T) {
	g := graph(t)
	got := texts(t, graphsvg.Render(g))
	want := []string{"Sub-topology 0", "Sub-topology 1", "Sub-topology 2"}
	for _, group := range append(g.Groups, g.Around) {
		for _, s := range group {
			want = append(want, s.Label)
		}
	}
	assert.ElementsMatch(t, want, got)
	assert.Contains(t, got, "logs-<.*>&")
}

func TestRenderGivesTheSameBytes(t *testing.T) {
	first := graphsvg.Render(graph(t))
	for range 5 {
		require.Equal(t, string(first), string(graphsvg.Render(graph(t))))
	}
}

func TestRenderOfNothing(t *testing.T) {
	assert.Empty(t, texts(t, graphsvg.Render(topology.Graph{})))
}

// A topology that writes a topic which it reads has a cycle; it is drawn, and
// all that is drawn lies inside of the picture.
func TestRenderOfACycle(t *testing.T) {
	b := topology.NewBuilder()
	s := topology.From(b, text("a")).Filter(func(string, string) bool { return true })
	s.To(text("b"))
	topology.From(b, text("b")).Filter(func(string, string) bool { return true }).To(text("a"))
	topo, err := b.Build()
	require.NoError(t, err)
	svg := graphsvg.Render(topo.Graph())
	assert.Len(t, texts(t, svg), 2+6+2)
	assert.NotContains(t, string(svg), "NaN")
}
