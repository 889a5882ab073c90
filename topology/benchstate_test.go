package topology_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// BenchmarkAggregations takes records of 1,000 keys through an aggregation, with
// a commit after each 10,000 records.
func BenchmarkAggregations(b *testing.B) {
	g := func(b *topology.Builder) topology.Grouped[string, string] { return topology.GroupByKey(read(b, "in")) }
	for name, define := range map[string]func(*topology.Builder){
		"count": func(b *topology.Builder) { topology.Count(g(b), countRows("c")).Changes().To(counts("out")) },
		"windows": func(b *topology.Builder) {
			topology.CountWindows(g(b), topology.Tumbling(time.Minute), minutes("m", codec.Int64)).Changes().To(minuteCounts("out"))
		},
		"final windows": func(b *topology.Builder) {
			topology.CountWindows(g(b), topology.Tumbling(time.Minute), minutes("m", codec.Int64), topology.EmitFinal()).Changes().To(minuteCounts("out"))
		},
		"sessions": func(b *topology.Builder) {
			topology.CountSessions(g(b), topology.SessionWindows(time.Second), sessions("s", codec.Int64)).Changes().To(sessionTopic("out"))
		},
		"sliding windows": func(b *topology.Builder) {
			topology.CountWindows(g(b), topology.Sliding(tick), ticks("s", codec.Int64)).Changes().To(tickTopic("out"))
		},
	} {
		b.Run(name, func(b *testing.B) {
			state := statestore.NewState(statestore.NewMemory())
			in, err := build(b, define).SubTopologies()[0].NewInstance(0, topology.Env{State: state})
			require.NoError(b, err)
			source, _ := in.Open("in")
			keys := make([][]byte, 1000)
			for i := range keys {
				keys[i] = []byte{'k', byte(i), byte(i >> 8)}
			}
			r := topology.RawRecord{Topic: "in", Value: []byte("v")}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				r.Key, r.Timestamp = keys[n%len(keys)], int64(n)
				if err := in.Process(source, &r); err != nil {
					b.Fatal(err)
				}
				in.Outputs()
				if n++; n%10_000 == 0 {
					require.NoError(b, state.Seal(func(statestore.ChangelogRecord) error { return nil }))
					require.NoError(b, state.Commit(nil))
				}
			}
		})
	}
}
