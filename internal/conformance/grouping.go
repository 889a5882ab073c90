package conformance

import (
	"fmt"

	"github.com/eosproc/eosproc/topology"
)

type (
	grouping      = topology.Grouped[*string, *string]
	tableGrouping = topology.GroupedTable[*string, *string]
	cogrouping    = topology.Cogrouped[*string, *string]
)

// windowing is a grouping or a cogroup with windows.
type windowing struct {
	of     any
	window window
	opts   []topology.Option
}

type window struct {
	Type                                  string
	Size, Advance, Grace, Difference, Gap int64
}

// times are the windows of one of the types that are no sessions, and their size.
func (w window) times() (windows topology.Windows, size int64) {
	switch w.Type {
	case "hopping":
		return topology.Hopping(ms(w.Size), ms(w.Advance)).Grace(ms(w.Grace)), w.Size
	case "sliding":
		return topology.Sliding(ms(w.Difference)).Grace(ms(w.Grace)), w.Difference
	default:
		return topology.Tumbling(ms(w.Size)).Grace(ms(w.Grace)), w.Size
	}
}

func (w window) sessions() topology.Sessions {
	return topology.SessionWindows(ms(w.Gap)).Grace(ms(w.Grace))
}

var _ = register(map[string]func(*builder, *Node) error{
	"groupByKey": func(b *builder, n *Node) error {
		s, err := b.partitioned(n.From[0], n.ID)
		if err != nil {
			return err
		}
		return b.define(n.ID, topology.GroupByKey(s))
	},
	"groupBy":  groupBy,
	"windowBy": windowBy,
	"cogroup":  cogroup,
})

func groupBy(b *builder, n *Node) error {
	p := struct{ Key, Value string }{Value: "same"}
	if err := n.params(&p); err != nil {
		return err
	}
	key, err := keyFunction(p.Key)
	if err != nil {
		return err
	}
	value, err := valueFunction(p.Value)
	if err != nil {
		return err
	}
	from, err := b.only(n)
	if err != nil {
		return err
	}
	switch x := from.(type) {
	case stream:
		return b.define(n.ID, topology.GroupBy(x, key, textTopic(n.ID)))
	case table:
		group := func(k, v *string) (*string, *string) { return key(k, v), value(v) }
		return b.define(n.ID, topology.GroupTable(x, group, textTopic(n.ID)))
	default:
		return fmt.Errorf("%q is neither a stream nor a table", n.From[0])
	}
}

func windowBy(b *builder, n *Node) error {
	var p struct {
		Window window
		Emit   string
	}
	if err := n.params(&p); err != nil {
		return err
	}
	from, err := b.only(n)
	if err != nil {
		return err
	}
	w := windowing{of: from, window: p.Window}
	if p.Emit == "close" {
		w.opts = append(w.opts, topology.EmitFinal())
	}
	return b.define(n.ID, w)
}

func cogroup(b *builder, n *Node) error {
	var p struct{ Inputs []struct{ From, Fn string } }
	if err := n.params(&p); err != nil {
		return err
	}
	var c cogrouping
	for _, in := range p.Inputs {
		fn, err := combiner(in.Fn)
		if err != nil {
			return err
		}
		g, ok := b.made[in.From].(grouping)
		if !ok {
			return fmt.Errorf("%q is no grouping of a stream", in.From)
		}
		c = topology.CogroupWith(c, g, func(_, v, acc *string) *string { return fn(acc, v) })
	}
	return b.define(n.ID, c)
}
