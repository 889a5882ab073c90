package conformance

import (
	"fmt"

	"github.com/eosproc/eosproc/topology"
)

var _ = register(map[string]func(*builder, *Node) error{
	"tagTime": func(b *builder, n *Node) error {
		var p struct{ Time string }
		if err := n.params(&p); err != nil {
			return err
		}
		in, err := b.input(n)
		if err != nil {
			return err
		}
		return b.define(n.ID, topology.Process(in, func(ctx *topology.Context[*string, *string]) func(record) error {
			now := ctx.StreamTime
			if p.Time == "wall" {
				now = ctx.WallTime
			}
			return func(r record) error {
				if r.Value != nil {
					r = r.WithValue(text(fmt.Sprintf("%s@%d", *r.Value, now())))
				}
				return ctx.Forward(r)
			}
		}, topology.Named(n.ID)))
	},
})
