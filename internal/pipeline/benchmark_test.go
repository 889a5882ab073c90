package pipeline_test

import (
	"testing"

	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/topology"
)

// One record through a pipeline, from its bytes to its bytes.
func BenchmarkPipeline(b *testing.B) {
	value := []byte(`{"id":9007199254740993,"status":"PLACED","amount":500,"customer":"ada","items":[{"sku":"x","cents":250},{"sku":"y","cents":250}]}`)
	for _, c := range []struct{ name, steps string }{
		{"copy", "[{from: {topic: in, key: bytes, value: bytes}}, {to: out}]"},
		{"copy json", "[{from: in}, {to: out}]"},
		{"filter by header", "[{from: in}, {filter: headers.kind == nil}, {to: out}]"},
		{"filter", `[{from: in}, {filter: value.status == "PLACED" and value.amount > 0}, {to: out}]`},
		{"filter and map", `[{from: in}, {filter: value.status == "PLACED" and value.amount > 0}, {map: {key: value.customer, value: '{id: value.id, cents: value.amount}'}}, {to: out}]`},
	} {
		b.Run(c.name, func(b *testing.B) {
			topo, err := pipeline.Parse("p.yaml", []byte("topology: "+c.steps), pipeline.Options{}).Build()
			if err != nil {
				b.Fatal(err)
			}
			in, err := topo.SubTopologies()[0].NewInstance(0, topology.Env{Now: func() int64 { return 0 }})
			if err != nil {
				b.Fatal(err)
			}
			s, _ := in.Open("in")
			r := &topology.RawRecord{Topic: "in", Key: []byte("key"), Value: value, Timestamp: 1}
			b.ReportAllocs()
			b.SetBytes(int64(len(value)))
			for b.Loop() {
				if err := in.Process(s, r); err != nil {
					b.Fatal(err)
				}
				if len(in.Outputs()) != 1 {
					b.Fatal("no output")
				}
			}
		})
	}
}
