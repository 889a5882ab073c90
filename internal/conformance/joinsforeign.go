package conformance

import "github.com/eosproc/eosproc/topology"

var _ = register(map[string]func(*builder, *Node) error{
	"joinForeignKey": func(b *builder, n *Node) error {
		var p joinParams
		join, err := joined(n, &p)
		if err != nil {
			return err
		}
		left, right, err := b.tables(n)
		if err != nil {
			return err
		}
		through := topology.ForeignKeys[*string, *string, *string, *string]{Name: n.ID, Key: texts, Left: texts, Foreign: texts, Right: texts}
		foreign := func(_, v *string) (*string, bool) {
			fk := beforeColon(v)
			return fk, fk != nil
		}
		store := newRows(b, storeName(n, p.Store), texts)
		if p.Kind == "left" {
			return b.define(n.ID, topology.LeftJoinForeignKey(left, right, foreign, through, optional(join), store))
		}
		return b.define(n.ID, topology.JoinForeignKey(left, right, foreign, through, join, store))
	},
})
