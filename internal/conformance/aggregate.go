package conformance

import (
	"fmt"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

// aggregateParams are the fields of aggregations.
type aggregateParams struct{ Store, Fn, Init, Merge, Subtractor string }

// functions are those that an aggregation names.
type functions struct {
	fn, merge, subtract func(acc, v *string) *string
}

func (p aggregateParams) functions() (f functions, err error) {
	if p.Fn != "" {
		if f.fn, err = combiner(p.Fn); err != nil {
			return f, err
		}
	}
	if p.Merge != "" {
		if f.merge, err = combiner(p.Merge); err != nil {
			return f, err
		}
	}
	if p.Subtractor != "" {
		f.subtract, err = subtractor(p.Subtractor)
	}
	return f, err
}

var _ = register(map[string]func(*builder, *Node) error{
	"count":     aggregation(count),
	"reduce":    aggregation(reduce),
	"aggregate": aggregation(aggregate),
	"suppress":  suppress,
})

// aggregation makes an aggregation of whatever is grouped.
func aggregation(make func(b *builder, of any, name string, p aggregateParams, f functions) any) func(*builder, *Node) error {
	return func(b *builder, n *Node) error {
		var p aggregateParams
		if err := n.params(&p); err != nil {
			return err
		}
		f, err := p.functions()
		if err != nil {
			return err
		}
		from, err := b.only(n)
		if err != nil {
			return err
		}
		made := make(b, from, storeName(n, p.Store), p, f)
		if made == nil {
			return fmt.Errorf("%q is no grouping", n.From[0])
		}
		return b.define(n.ID, made)
	}
}

func count(b *builder, of any, name string, _ aggregateParams, _ functions) any {
	switch g := of.(type) {
	case grouping:
		return topology.MapTableValues(topology.Count(g, newRows(b, name, codec.Int64)), number)
	case tableGrouping:
		return topology.MapTableValues(topology.CountTable(g, newRows(b, name, codec.Int64)), number)
	case windowing:
		in := g.of.(grouping)
		if g.window.Type == "session" {
			return topology.MapTableValues(topology.CountSessions(in, g.window.sessions(), newSessions(b, name, codec.Int64), g.opts...), number)
		}
		w, size := g.window.times()
		return topology.MapTableValues(topology.CountWindows(in, w, newWindows(b, name, codec.Int64, size), g.opts...), number)
	}
	return nil
}

func reduce(b *builder, of any, name string, _ aggregateParams, f functions) any {
	switch g := of.(type) {
	case grouping:
		return topology.Reduce(g, f.fn, newRows(b, name, texts))
	case tableGrouping:
		return topology.ReduceTable(g, f.fn, f.subtract, newRows(b, name, texts))
	case windowing:
		in := g.of.(grouping)
		if g.window.Type == "session" {
			return topology.ReduceSessions(in, g.window.sessions(), f.fn, newSessions(b, name, texts), g.opts...)
		}
		w, size := g.window.times()
		return topology.ReduceWindows(in, w, f.fn, newWindows(b, name, texts, size), g.opts...)
	}
	return nil
}

func aggregate(b *builder, of any, name string, p aggregateParams, f functions) any {
	init := func() *string { return text(p.Init) }
	add := func(_, v, acc *string) *string { return f.fn(acc, v) }
	merge := func(_, x, y *string) *string { return f.merge(x, y) }
	switch g := of.(type) {
	case grouping:
		return topology.Aggregate(g, init, add, newRows(b, name, texts))
	case tableGrouping:
		subtract := func(_, v, acc *string) *string { return f.subtract(acc, v) }
		return topology.AggregateTable(g, init, add, subtract, newRows(b, name, texts))
	case cogrouping:
		return topology.AggregateCogroup(g, init, newRows(b, name, texts))
	case windowing:
		c, cogrouped := g.of.(cogrouping)
		if g.window.Type == "session" {
			s, store := g.window.sessions(), newSessions(b, name, texts)
			if cogrouped {
				return topology.AggregateCogroupSessions(c, s, init, merge, store)
			}
			return topology.AggregateSessions(g.of.(grouping), s, init, add, merge, store, g.opts...)
		}
		w, size := g.window.times()
		store := newWindows(b, name, texts, size)
		if cogrouped {
			return topology.AggregateCogroupWindows(c, w, init, store)
		}
		return topology.AggregateWindows(g.of.(grouping), w, init, add, store, g.opts...)
	}
	return nil
}

func suppress(b *builder, n *Node) error {
	var p struct {
		Until             string
		Limit, MaxRecords int64
	}
	if err := n.params(&p); err != nil {
		return err
	}
	from, err := b.only(n)
	if err != nil {
		return err
	}
	closes := p.Until == "windowCloses"
	switch t := from.(type) {
	case table:
		if closes {
			return fmt.Errorf("%q has no windows", n.From[0])
		}
		return b.define(n.ID, topology.UntilTimeLimit(t, ms(p.Limit), topology.NewBuffer(n.ID, texts, texts).MaxRecords(p.MaxRecords)))
	case windowedTable:
		hold := topology.NewBuffer(n.ID, windowCodec, texts).MaxRecords(p.MaxRecords)
		if closes {
			return b.define(n.ID, topology.UntilWindowCloses(t, hold))
		}
		return b.define(n.ID, topology.UntilTimeLimit(t, ms(p.Limit), hold))
	default:
		return fmt.Errorf("%q is no table", n.From[0])
	}
}
