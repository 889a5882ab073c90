package conformance

import (
	"fmt"

	"github.com/eosproc/eosproc/topology"
)

var _ = register(map[string]func(*builder, *Node) error{
	"stream": func(b *builder, n *Node) error {
		var p struct{ Topic string }
		if err := n.params(&p); err != nil {
			return err
		}
		if _, ok := b.sources[p.Topic]; !ok {
			b.sources[p.Topic] = topology.From(b.Builder, textTopic(p.Topic))
		}
		return b.define(n.ID, b.sources[p.Topic])
	},
	"to": func(b *builder, n *Node) error {
		var p struct{ Topic string }
		if err := n.params(&p); err != nil {
			return err
		}
		from, err := b.only(n)
		if err != nil {
			return err
		}
		switch s := from.(type) {
		case stream:
			s.To(textTopic(p.Topic))
		case table:
			s.Changes().To(textTopic(p.Topic))
		case windowedStream:
			s.To(b.windowedTopic(p.Topic))
		case windowedTable:
			s.Changes().To(b.windowedTopic(p.Topic))
		default:
			return fmt.Errorf("%q is neither a stream nor a table", n.From[0])
		}
		return nil
	},
	"map": stateless(func(s stream, p params) (stream, error) {
		key, err := keyFunction(p.Key)
		if err != nil {
			return s, err
		}
		value, err := valueFunction(p.Value)
		return topology.Map(s, func(k, v *string) (*string, *string) { return key(k, v), value(v) }), err
	}),
	"flatMap": stateless(func(s stream, p params) (stream, error) {
		f, err := flatMapFunction(p.Fn)
		return topology.FlatMap(s, f), err
	}),
	"flatMapValues": stateless(func(s stream, p params) (stream, error) {
		f, err := flatMapValuesFunction(p.Fn)
		return topology.FlatMapValues(s, f), err
	}),
	"peek":        stateless(func(s stream, _ params) (stream, error) { return s.Peek(func(record) {}), nil }),
	"repartition": stateless(func(s stream, p params) (stream, error) { return s.Repartition(textTopic(p.ID), p.through...), nil }),
	"merge":       merge,
	"split":       split,
})

type params struct {
	ID, Pred, Fn, Key, Value string
	through                  []topology.Option
}

// stateless makes an operator of one stream in and one out.
func stateless(make func(stream, params) (stream, error)) func(*builder, *Node) error {
	return func(b *builder, n *Node) error {
		var p params
		if err := n.params(&p); err != nil {
			return err
		}
		p.through = b.through(n.ID)
		in, err := b.input(n)
		if err != nil {
			return err
		}
		out, err := make(in, p)
		if err != nil {
			return err
		}
		b.rekeyed[n.ID] = n.Op != "repartition" && (b.rekeyed[n.From[0]] || n.Op == "map" || n.Op == "flatMap")
		return b.define(n.ID, out)
	}
}

func merge(b *builder, n *Node) error {
	var all stream
	for i, id := range n.From {
		s, err := b.stream(id)
		if err != nil {
			return err
		}
		if i == 0 {
			all = s
		} else {
			all = all.Merge(s)
		}
		b.rekeyed[n.ID] = b.rekeyed[n.ID] || b.rekeyed[id]
	}
	return b.define(n.ID, all)
}

func split(b *builder, n *Node) error {
	var p struct {
		Branches []struct{ ID, Pred string }
		Default  string
	}
	if err := n.params(&p); err != nil {
		return err
	}
	in, err := b.input(n)
	if err != nil {
		return err
	}
	s := in.Split()
	for _, branch := range p.Branches {
		holds, err := predicate(branch.Pred)
		if err != nil {
			return err
		}
		b.rekeyed[branch.ID] = b.rekeyed[n.From[0]]
		if err := b.define(branch.ID, s.Branch(holds)); err != nil {
			return err
		}
	}
	if p.Default == "" {
		return nil
	}
	b.rekeyed[p.Default] = b.rekeyed[n.From[0]]
	return b.define(p.Default, s.Default())
}
