package conformance

import (
	"fmt"
	"time"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

type context = topology.Context[*string, *string]

type processorParams struct {
	Store, Time   string
	Within, Every int64
	Reset         bool
}

var _ = register(map[string]func(*builder, *Node) error{
	"tagTime":         processor(tagTime),
	"dedupe":          processor(dedupe),
	"punctuateTotals": processor(punctuateTotals),
})

type kv = statestore.KV[*string, *string]

// processor makes an operator of a processor, which may use a store.
func processor(make func(p processorParams, store kv) func(*context) func(record) error) func(*builder, *Node) error {
	return func(b *builder, n *Node) error {
		var p processorParams
		if err := n.params(&p); err != nil {
			return err
		}
		in, err := b.input(n)
		if err != nil {
			return err
		}
		b.rekeyed[n.ID] = true
		store := newKV(b, storeName(n, p.Store))
		return b.define(n.ID, topology.Process(in, make(p, store), topology.Named(n.ID), topology.Stores(store)))
	}
}

func tagTime(p processorParams, _ kv) func(*context) func(record) error {
	return func(ctx *context) func(record) error {
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
	}
}

// dedupe keeps the time of the last record of each key that was forwarded.
func dedupe(p processorParams, store kv) func(*context) func(record) error {
	return func(ctx *context) func(record) error {
		times := store.Open(ctx)
		return func(r record) error {
			if r.Key == nil {
				return nil
			}
			last, ok, err := times.Get(r.Key)
			if err != nil || ok && r.Timestamp < num(last)+p.Within {
				return err
			}
			if err := times.Put(r.Key, number(r.Timestamp)); err != nil {
				return err
			}
			return ctx.Forward(r)
		}
	}
}

// punctuateTotals keeps a total of each key and forwards all of them at times.
func punctuateTotals(p processorParams, store kv) func(*context) func(record) error {
	return func(ctx *context) func(record) error {
		totals := store.Open(ctx)
		clock := topology.StreamTime
		if p.Time == "wall" {
			clock = topology.WallClock
		}
		ctx.Schedule(time.Duration(p.Every)*time.Millisecond, clock, func(now int64) error {
			for e, err := range statestore.All(totals) {
				if err != nil {
					return err
				}
				if err := ctx.Forward(record{Key: e.Key, Value: e.Value, Timestamp: now}); err != nil {
					return err
				}
				if p.Reset {
					if err := totals.Delete(e.Key); err != nil {
						return err
					}
				}
			}
			return nil
		})
		return func(r record) error {
			if r.Key == nil {
				return nil
			}
			total, _, err := totals.Get(r.Key)
			if err != nil {
				return err
			}
			return totals.Put(r.Key, number(num(total)+num(r.Value)))
		}
	}
}
