package eostest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/topology"
)

var (
	orders   = topology.NewTopic("orders", codec.String, codec.Int64)
	payments = topology.NewTopic("payments", codec.String, codec.String)
)

func paymentsOf(t eostest.T) *eostest.Driver {
	b := topology.NewBuilder()
	big := topology.From(b, orders).Filter(func(_ string, cents int64) bool { return cents >= 100 })
	topology.MapValues(big, func(cents int64) string { return fmt.Sprintf("%d.%02d €", cents/100, cents%100) }).To(payments)
	topo, err := b.Build()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return eostest.New(t, topo)
}

// A test of a topology, as it stands in a user's package.
func TestBigOrdersArePaid(t *testing.T) {
	d := paymentsOf(t)
	eostest.Send(d, orders, "ann", 1999, time.UnixMilli(5))
	eostest.Send(d, orders, "bob", 99, time.UnixMilli(6))

	got := eostest.Read(d, payments)
	if len(got) != 1 || got[0].Key != "ann" || got[0].Value != "19.99 €" || got[0].Timestamp != 5 {
		t.Errorf("payments: %v", got)
	}
}

func ExampleNew() {
	b := topology.NewBuilder()
	topology.From(b, orders).Filter(func(_ string, cents int64) bool { return cents >= 100 }).To(orders2)
	topo, err := b.Build()
	if err != nil {
		panic(err)
	}

	d := eostest.New(nil, topo) // in a test: eostest.New(t, topo)
	eostest.Send(d, orders, "ann", 1999, time.UnixMilli(5))
	eostest.Send(d, orders, "bob", 99, time.UnixMilli(6))
	for _, r := range eostest.Read(d, orders2) {
		fmt.Println(r.Key, r.Value, r.Timestamp)
	}
	// Output: ann 1999 5
}

var orders2 = topology.NewTopic("big-orders", codec.String, codec.Int64)

func ExampleDriver_AdvanceWallClock() {
	b := topology.NewBuilder()
	ticks := topology.Process(topology.From(b, orders), func(ctx *topology.Context[string, int64]) func(topology.Record[string, int64]) error {
		var sum int64
		ctx.Schedule(time.Minute, topology.WallClock, func(now int64) error {
			return ctx.Forward(topology.Record[string, int64]{Key: "sum", Value: sum, Timestamp: now})
		})
		return func(r topology.Record[string, int64]) error {
			sum += r.Value
			return nil
		}
	})
	ticks.To(orders2)
	topo, err := b.Build()
	if err != nil {
		panic(err)
	}

	d := eostest.New(nil, topo)
	eostest.Send(d, orders, "ann", 3, d.Now())
	eostest.Send(d, orders, "ann", 4, d.Now())
	fmt.Println(len(eostest.Read(d, orders2)))
	d.AdvanceWallClock(time.Minute)
	for _, r := range eostest.Read(d, orders2) {
		fmt.Println(r.Key, r.Value, r.Timestamp)
	}
	// Output:
	// 0
	// sum 7 60000
}

func ExampleErrors() {
	b := topology.NewBuilder()
	topology.From(b, orders).To(orders2)
	topo, err := b.Build()
	if err != nil {
		panic(err)
	}

	d := eostest.New(nil, topo, eostest.Errors())
	d.SendRaw("orders", topology.RawRecord{Key: []byte("ann"), Value: []byte("no number"), Timestamp: 5})
	for _, err := range d.Errors() {
		fmt.Println(err)
	}
	// Output: deserialization of orders-0@0 in KSTREAM-SOURCE-0000000000: decode value: decode int64: want 8 bytes, found 9 bytes
}
