package topology_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// Entries expire by stream time, so that records that are processed again find the same.
func TestEntriesExpireByStreamTime(t *testing.T) {
	seen := statestore.NewKV("seen", codec.String, codec.String, statestore.TTL(10*time.Millisecond))
	in, out := topology.NewTopic("in", codec.String, codec.String), topology.NewTopic("out", codec.String, codec.String)
	b := topology.NewBuilder()
	topology.Process(topology.From(b, in), func(ctx *topology.Context[string, string]) func(topology.Record[string, string]) error {
		store := seen.Open(ctx)
		return func(r topology.Record[string, string]) error {
			if _, ok, err := store.Get(r.Key); ok || err != nil {
				return err
			}
			if err := store.Put(r.Key, r.Value); err != nil {
				return err
			}
			return ctx.Forward(r)
		}
	}, topology.Stores(seen)).To(out)
	topo, err := b.Build()
	require.NoError(t, err)
	d := eostest.New(t, topo)
	var got []string
	for _, r := range []struct {
		value string
		ts    int64
	}{{"a", 100}, {"b", 105}, {"c", 111}, {"d", 108}, {"e", 200}} {
		d.SendRaw("in", topology.RawRecord{Key: []byte("k"), Value: []byte(r.value), Timestamp: r.ts})
	}
	for _, o := range d.ReadRaw("out") {
		got = append(got, string(o.Value))
	}
	require.Equal(t, []string{"a", "c", "e"}, got)
}
