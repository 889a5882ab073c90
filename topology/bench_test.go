package topology_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

// fourHops is source → three MapValues → sink.
func fourHops[K any](t testing.TB, key codec.Codec[K]) (process func()) {
	in, out := topology.NewTopic("in", key, codec.Int64), topology.NewTopic("out", key, codec.Int64)
	inc := func(v int64) int64 { return v + 1 }
	topo := build(t, func(b *topology.Builder) {
		s := topology.From(b, in)
		for range 3 {
			s = topology.MapValues(s, inc)
		}
		s.To(out)
	})
	instance, err := topo.SubTopologies()[0].NewInstance(0, topology.Env{Now: func() int64 { return 0 }})
	require.NoError(t, err)
	source, ok := instance.Open("in")
	require.True(t, ok)
	r := topology.RawRecord{Topic: "in", Key: make([]byte, 8), Value: make([]byte, 8), Timestamp: 5}
	return func() {
		if err := instance.Process(source, &r); err != nil {
			t.Fatal(err)
		}
		if o := instance.Outputs(); len(o) != 1 || o[0].Value[7] != 3 {
			t.Fatalf("wrong outputs: %v", o)
		}
	}
}

func BenchmarkFourHops(b *testing.B) {
	b.Run("int64", func(b *testing.B) { benchmark(b, fourHops(b, codec.Int64)) })
	b.Run("bytes", func(b *testing.B) { benchmark(b, fourHops(b, codec.Bytes)) })
}

func benchmark(b *testing.B, process func()) {
	b.ReportAllocs()
	for b.Loop() {
		process()
	}
}

// A record costs no allocation of its own: only the arena of the encoded bytes,
// one chunk for thousands of records.
func TestARecordAllocatesNothing(t *testing.T) {
	process := fourHops(t, codec.Int64)
	process() // the first one makes the arena
	assert.Zero(t, testing.AllocsPerRun(1000, process))
	process = fourHops(t, codec.Bytes)
	process()
	assert.Zero(t, testing.AllocsPerRun(1000, process))
}
