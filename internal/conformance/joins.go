package conformance

import (
	"fmt"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// joinParams are the fields of joins.
type joinParams struct {
	Kind, Joiner, Store, Key string
	Before, After, Grace     *int64
}

var _ = register(map[string]func(*builder, *Node) error{
	"joinTable":  joinTable,
	"joinTables": joinTables,
	"joinStream": joinStream,
	"joinGlobal": joinGlobal,
	"globalTable": func(b *builder, n *Node) error {
		var p struct{ Topic string }
		if err := n.params(&p); err != nil {
			return err
		}
		return b.define(n.ID, topology.GlobalTableFrom(b.Builder, textTopic(p.Topic)))
	},
})

func joinTable(b *builder, n *Node) error {
	var p joinParams
	join, err := joined(n, &p)
	if err != nil {
		return err
	}
	left, err := b.joinable(n.From[0], n.ID, p.Kind == "left")
	if err != nil {
		return err
	}
	right, err := b.table(n.From[1])
	if err != nil {
		return err
	}
	var opts []topology.Option
	if p.Grace != nil {
		hold := topology.NewBuffer(n.ID+"-buffer", texts, texts, statestore.NotLogged())
		opts = append(opts, topology.JoinGrace(ms(*p.Grace), hold))
	}
	if p.Kind == "left" {
		return b.define(n.ID, topology.LeftJoin(left, right, optional(join), opts...))
	}
	return b.define(n.ID, topology.Join(left, right, join, opts...))
}

// tables returns the two tables that a node joins.
func (b *builder) tables(n *Node) (left, right table, err error) {
	if left, err = b.table(n.From[0]); err == nil {
		right, err = b.table(n.From[1])
	}
	return left, right, err
}

func joinTables(b *builder, n *Node) error {
	var p joinParams
	join, err := joined(n, &p)
	if err != nil {
		return err
	}
	left, right, err := b.tables(n)
	if err != nil {
		return err
	}
	opts := materialized(b, tableParams{Store: p.Store})
	switch p.Kind {
	case "left":
		return b.define(n.ID, topology.LeftJoinTables(left, right, optional(join), opts...))
	case "outer":
		return b.define(n.ID, topology.OuterJoinTables(left, right, either(join), opts...))
	default:
		return b.define(n.ID, topology.JoinTables(left, right, join, opts...))
	}
}

func joinStream(b *builder, n *Node) error {
	var p joinParams
	join, err := joined(n, &p)
	if err != nil {
		return err
	}
	left, err := b.joinable(n.From[0], n.ID+"-left", p.Kind != "inner")
	if err != nil {
		return err
	}
	right, err := b.joinable(n.From[1], n.ID+"-right", p.Kind == "outer")
	if err != nil {
		return err
	}
	within := topology.Within(0).Before(ms(*p.Before)).After(ms(*p.After)).Grace(ms(*p.Grace))
	stores := topology.NewJoinStores(n.ID, texts, texts, texts)
	switch p.Kind {
	case "left":
		return b.define(n.ID, topology.LeftJoinStreams(left, right, within, stores, optional(join)))
	case "outer":
		return b.define(n.ID, topology.OuterJoinStreams(left, right, within, stores, either(join)))
	default:
		return b.define(n.ID, topology.JoinStreams(left, right, within, stores, join))
	}
}

func joinGlobal(b *builder, n *Node) error {
	var p joinParams
	join, err := joined(n, &p)
	if err != nil {
		return err
	}
	key, err := keyFunction(p.Key)
	if err != nil {
		return err
	}
	left, err := b.stream(n.From[0])
	if err != nil {
		return err
	}
	right, ok := b.made[n.From[1]].(topology.GlobalTable[*string, *string])
	if !ok {
		return fmt.Errorf("%q is no global table", n.From[1])
	}
	if p.Kind == "left" {
		return b.define(n.ID, topology.LeftJoinGlobal(left, right, key, optional(join)))
	}
	return b.define(n.ID, topology.JoinGlobal(left, right, key, join))
}

// joinable returns a stream whose equal keys are together. With nullKeys records
// with a null key come along.
func (b *builder) joinable(id, through string, nullKeys bool) (stream, error) {
	s, err := b.stream(id)
	if err != nil || !b.rekeyed[id] {
		return s, err
	}
	var opts []topology.Option
	if nullKeys {
		opts = append(opts, topology.KeepNullKeys())
	}
	return s.Repartition(textTopic(through), opts...), nil
}

// through returns the options of an explicit repartition: Kafka Streams keeps null
// keys where a left join follows.
func (b *builder) through(id string) []topology.Option {
	for i := range b.nodes {
		var p joinParams
		n := &b.nodes[i]
		if n.Op == "joinTable" && n.From[0] == id && n.params(&p) == nil && p.Kind == "left" {
			return []topology.Option{topology.KeepNullKeys()}
		}
	}
	return nil
}

// table returns a table that a node takes its input from; a count as its text.
func (b *builder) table(id string) (table, error) {
	switch t := b.made[id].(type) {
	case table:
		return t, nil
	case topology.Table[*string, int64]:
		return topology.MapTableValues(t, number), nil
	default:
		return table{}, fmt.Errorf("%q is no table", id)
	}
}

// joined reads a join's fields and returns its joiner, to which a missing side is a nil.
func joined(n *Node, p *joinParams) (func(l, r *string) *string, error) {
	if err := n.params(p); err != nil {
		return nil, err
	}
	if len(n.From) != 2 {
		return nil, fmt.Errorf("takes two inputs, not %d", len(n.From))
	}
	switch p.Joiner {
	case "concat":
		side := func(v *string) string {
			if v == nil {
				return "-"
			}
			return *v
		}
		return func(l, r *string) *string { return text("(" + side(l) + "|" + side(r) + ")") }, nil
	case "sum":
		return func(l, r *string) *string { return number(num(l) + num(r)) }, nil
	default:
		return nil, unknown("joiner", p.Joiner)
	}
}

// optional makes a joiner of a left join.
func optional(join func(l, r *string) *string) func(l, r *string, ok bool) *string {
	return func(l, r *string, ok bool) *string { return join(l, given(r, ok)) }
}

// either makes a joiner of an outer join.
func either(join func(l, r *string) *string) func(l *string, hasL bool, r *string, hasR bool) *string {
	return func(l *string, hasL bool, r *string, hasR bool) *string { return join(given(l, hasL), given(r, hasR)) }
}

// given makes sure that a joiner is not told of a side that is not there.
func given(v *string, ok bool) *string {
	if ok == (v == nil) {
		panic(fmt.Sprintf("the value is %s, ok is %v", quoted(v), ok))
	}
	return v
}
