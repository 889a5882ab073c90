package eostest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

var totals = statestore.NewTimestampedKV("totals", codec.String, codec.Int64)

func totalsOf(b *topology.Builder) {
	add := func(sum, cents int64) int64 { return sum + cents }
	topology.Reduce(topology.GroupByKey(topology.From(b, orders)), add, totals).Changes().To(orders2)
}

func ExampleDriver_Opener() {
	b := topology.NewBuilder()
	totalsOf(b)
	topo, err := b.Build()
	if err != nil {
		panic(err)
	}

	d := eostest.New(nil, topo)
	eostest.Send(d, orders, "ann", 3, time.UnixMilli(5))
	eostest.Send(d, orders, "ann", 4, time.UnixMilli(6))
	cents, at, ok, err := totals.Open(d.Opener(totals)).Get("ann")
	fmt.Println(cents, at, ok, err)
	// Output: 7 6 true <nil>
}

func TestAStoreCanBeFilledBefore(t *testing.T) {
	d := driver(t, totalsOf)
	require.NoError(t, totals.Open(d.Opener(totals)).Put("ann", 100, 1))
	eostest.Send(d, orders, "ann", 5, at(2))
	out := eostest.Read(d, orders2)
	require.Len(t, out, 1)
	assert.Equal(t, int64(105), out[0].Value)
}

func TestAnUnknownStoreFailsTheTest(t *testing.T) {
	r := &recorder{}
	failures := r.run(func() {
		driver(r, totalsOf).Opener(statestore.NewKV("total", codec.String, codec.Int64))
	})
	require.Len(t, failures, 1)
	assert.Contains(t, failures[0], `no store "total"`)
}
