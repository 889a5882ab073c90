package conformance

import (
	"fmt"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

type table = topology.Table[*string, *string]

// tableParams are the fields of operators that make tables.
type tableParams struct {
	Topic, Pred, Fn, Store string
	Versioned              int64
}

// storeName is the name of a node's store: its own, or one made of its id.
func storeName(n *Node, given string) string {
	if given != "" {
		return given
	}
	return n.ID + "-store"
}

func versions(name string, history int64) statestore.Versioned[*string, *string] {
	return statestore.NewVersioned(name, texts, texts, statestore.VersionedConfig{HistoryRetention: ms(history)})
}

var _ = register(map[string]func(*builder, *Node) error{
	"table": func(b *builder, n *Node) error {
		var p tableParams
		if err := n.params(&p); err != nil {
			return err
		}
		if name := storeName(n, p.Store); p.Versioned > 0 {
			return b.define(n.ID, topology.TableFrom(b.Builder, textTopic(p.Topic), versions(name, p.Versioned)))
		} else {
			return b.define(n.ID, topology.TableFrom(b.Builder, textTopic(p.Topic), newRows(b, name, texts)))
		}
	},
	"toTable": func(b *builder, n *Node) error {
		var p tableParams
		if err := n.params(&p); err != nil {
			return err
		}
		s, err := b.partitioned(n.From[0], n.ID)
		if err != nil {
			return err
		}
		if name := storeName(n, p.Store); p.Versioned > 0 {
			return b.define(n.ID, topology.ToTable(s, versions(name, p.Versioned)))
		} else {
			return b.define(n.ID, topology.ToTable(s, newRows(b, name, texts)))
		}
	},
	"toStream": func(b *builder, n *Node) error {
		from, err := b.only(n)
		if err != nil {
			return err
		}
		switch t := from.(type) {
		case table:
			return b.define(n.ID, t.Changes())
		case windowedTable:
			return b.define(n.ID, t.Changes())
		default:
			return fmt.Errorf("%q is no table", n.From[0])
		}
	},
	"filter":    filter(true),
	"filterNot": filter(false),
	"mapValues": func(b *builder, n *Node) error {
		var p tableParams
		if err := n.params(&p); err != nil {
			return err
		}
		fn, err := valueFunction(p.Fn)
		if err != nil {
			return err
		}
		from, err := b.only(n)
		if err != nil {
			return err
		}
		switch x := from.(type) {
		case stream:
			b.rekeyed[n.ID] = b.rekeyed[n.From[0]]
			return b.define(n.ID, topology.MapValues(x, fn))
		case windowedStream:
			return b.define(n.ID, topology.MapValues(x, fn))
		case table:
			return b.define(n.ID, topology.MapTableValues(x, fn, materialized(b, p)...))
		case windowedTable:
			return b.define(n.ID, topology.MapTableValues(x, fn))
		default:
			return fmt.Errorf("%q is neither a stream nor a table", n.From[0])
		}
	},
	"selectKey": func(b *builder, n *Node) error {
		var p tableParams
		if err := n.params(&p); err != nil {
			return err
		}
		from, err := b.only(n)
		if err != nil {
			return err
		}
		b.rekeyed[n.ID] = true
		if s, ok := from.(windowedStream); ok {
			fn, err := windowedKeyFunction(p.Fn)
			if err != nil {
				return err
			}
			return b.define(n.ID, topology.SelectKey(s, fn))
		}
		s, err := b.input(n)
		if err != nil {
			return err
		}
		fn, err := keyFunction(p.Fn)
		if err != nil {
			return err
		}
		return b.define(n.ID, topology.SelectKey(s, fn))
	},
})

func materialized(b *builder, p tableParams) []topology.Option {
	if p.Store == "" {
		return nil
	}
	return []topology.Option{topology.Materialized[*string, *string](newRows(b, p.Store, texts))}
}

func filter(want bool) func(*builder, *Node) error {
	return func(b *builder, n *Node) error {
		var p tableParams
		if err := n.params(&p); err != nil {
			return err
		}
		test, err := predicate(p.Pred)
		if err != nil {
			return err
		}
		windowed := func(_ windowedText, v *string) bool { return test(nil, v) }
		from, err := b.only(n)
		if err != nil {
			return err
		}
		switch x := from.(type) {
		case stream:
			b.rekeyed[n.ID] = b.rekeyed[n.From[0]]
			return b.define(n.ID, choose(want, x.Filter, x.FilterNot)(test))
		case windowedStream:
			return b.define(n.ID, choose(want, x.Filter, x.FilterNot)(windowed))
		case table:
			return b.define(n.ID, choose(want, x.Filter, x.FilterNot)(test, materialized(b, p)...))
		case windowedTable:
			return b.define(n.ID, choose(want, x.Filter, x.FilterNot)(windowed))
		default:
			return fmt.Errorf("%q is neither a stream nor a table", n.From[0])
		}
	}
}

func choose[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
