package topology_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/topology"
)

// The topics of the examples.
var (
	lines   = topology.NewTopic("lines", codec.String, codec.String)
	out     = topology.NewTopic("out", codec.String, codec.String)
	other   = topology.NewTopic("other", codec.String, codec.String)
	numbers = topology.NewTopic("numbers", codec.String, codec.Int64)
)

// drive builds a topology and makes a driver for it.
func drive(b *topology.Builder) *eostest.Driver {
	topo, err := b.Build()
	if err != nil {
		panic(err)
	}
	return eostest.New(nil, topo)
}

// send gives the topic lines records of the form "key=value", one a millisecond.
func send(d *eostest.Driver, records ...string) {
	for i, r := range records {
		key, value, _ := strings.Cut(r, "=")
		eostest.Send(d, lines, key, value, time.UnixMilli(int64(i)))
	}
}

// show prints the records that were written to a topic.
func show[K, V any](d *eostest.Driver, t topology.Topic[K, V]) {
	for _, r := range eostest.Read(d, t) {
		fmt.Printf("%s: %v=%v at %d\n", t.Name, r.Key, r.Value, r.Timestamp)
	}
}

func ExampleStream_Filter() {
	b := topology.NewBuilder()
	topology.From(b, lines).Filter(func(_, v string) bool { return strings.HasPrefix(v, "ERROR") }).To(out)

	d := drive(b)
	send(d, "web=ok", "web=ERROR 500")
	show(d, out)
	// Output: out: web=ERROR 500 at 1
}

func ExampleStream_FilterNot() {
	b := topology.NewBuilder()
	topology.From(b, lines).FilterNot(func(_, v string) bool { return v == "" }).To(out)

	d := drive(b)
	send(d, "web=", "web=ok")
	show(d, out)
	// Output: out: web=ok at 1
}

func ExampleMap() {
	b := topology.NewBuilder()
	swapped := topology.Map(topology.From(b, lines), func(k, v string) (string, string) { return v, k })
	swapped.To(out)

	d := drive(b)
	send(d, "a=1")
	show(d, out)
	// Output: out: 1=a at 0
}

func ExampleMapValues() {
	b := topology.NewBuilder()
	lengths := topology.MapValues(topology.From(b, lines), func(v string) int64 { return int64(len(v)) })
	lengths.To(numbers)

	d := drive(b)
	send(d, "a=four", "b=")
	show(d, numbers)
	// Output:
	// numbers: a=4 at 0
	// numbers: b=0 at 1
}

func ExampleMapValuesWithKey() {
	b := topology.NewBuilder()
	topology.MapValuesWithKey(topology.From(b, lines), func(k, v string) string { return k + "/" + v }).To(out)

	d := drive(b)
	send(d, "a=1")
	show(d, out)
	// Output: out: a=a/1 at 0
}

func ExampleSelectKey() {
	b := topology.NewBuilder()
	byFirst := topology.SelectKey(topology.From(b, lines), func(_, v string) string { return v[:1] })
	byFirst.To(out)

	d := drive(b)
	send(d, "x=apple")
	show(d, out)
	// Output: out: a=apple at 0
}

func ExampleFlatMap() {
	b := topology.NewBuilder()
	words := topology.FlatMap(topology.From(b, lines), func(k, v string) []topology.Pair[string, string] {
		var out []topology.Pair[string, string]
		for _, w := range strings.Fields(v) {
			out = append(out, topology.Pair[string, string]{Key: w, Value: k})
		}
		return out
	})
	words.To(out)

	d := drive(b)
	send(d, "line 1=to be")
	show(d, out)
	// Output:
	// out: to=line 1 at 0
	// out: be=line 1 at 0
}

func ExampleFlatMapValues() {
	b := topology.NewBuilder()
	topology.FlatMapValues(topology.From(b, lines), strings.Fields).To(out)

	d := drive(b)
	send(d, "a=to be", "b=")
	show(d, out)
	// Output:
	// out: a=to at 0
	// out: a=be at 0
}

func ExampleStream_Peek() {
	b := topology.NewBuilder()
	topology.From(b, lines).Peek(func(r record) { fmt.Println("seen:", r.Value) }).To(out)

	d := drive(b)
	send(d, "a=1")
	show(d, out)
	// Output:
	// seen: 1
	// out: a=1 at 0
}

func ExampleStream_ForEach() {
	b := topology.NewBuilder()
	topology.From(b, lines).ForEach(func(r record) { fmt.Println(r.Key, r.Value, r.Time().Format(time.RFC3339Nano)) })

	send(drive(b), "a=1", "b=2")
	// Output:
	// a 1 1970-01-01T00:00:00Z
	// b 2 1970-01-01T00:00:00.001Z
}

func ExampleStream_Print() {
	b := topology.NewBuilder()
	topology.From(b, lines).Print(os.Stdout, "lines")

	d := drive(b)
	send(d, "a=1")
	eostest.SendRecord(d, lines, record{Key: "a"}.WithNullValue())
	// Output:
	// [lines]: a, 1
	// [lines]: a, null
}

func ExampleStream_Merge() {
	b := topology.NewBuilder()
	topology.From(b, lines).Merge(topology.From(b, other)).To(out)

	d := drive(b)
	send(d, "a=1")
	eostest.Send(d, other, "b", "2", time.UnixMilli(7))
	show(d, out)
	// Output:
	// out: a=1 at 0
	// out: b=2 at 7
}

func ExampleStream_Split() {
	b := topology.NewBuilder()
	split := topology.From(b, lines).Split()
	split.Branch(func(_, v string) bool { return v > "m" }).To(out)
	split.Default().To(other)

	d := drive(b)
	send(d, "a=apple", "a=zebra")
	show(d, out)
	show(d, other)
	// Output:
	// out: a=zebra at 1
	// other: a=apple at 0
}

func ExampleStream_Repartition() {
	b := topology.NewBuilder()
	byWord := topology.SelectKey(topology.From(b, lines), func(_, v string) string { return v })
	byWord.Repartition(topology.NewTopic("by-word", codec.String, codec.String)).To(out)

	d := drive(b)
	send(d, "a=to", "b=be")
	show(d, out)
	// Output:
	// out: to=to at 0
	// out: be=be at 1
}

func ExampleStream_To() {
	b := topology.NewBuilder()
	topology.From(b, lines).To(out)

	d := drive(b)
	send(d, "a=1")
	show(d, out)
	// Output: out: a=1 at 0
}

func ExampleStream_ToChosen() {
	b := topology.NewBuilder()
	topology.From(b, lines).ToChosen(codec.String, codec.String, func(r record) topology.Destination {
		return topology.Destination{Topic: "of-" + r.Key, Partition: topology.AnyPartition}
	})

	d := drive(b)
	send(d, "ann=1", "bob=2")
	show(d, topology.NewTopic("of-bob", codec.String, codec.String))
	// Output: of-bob: bob=2 at 1
}

func ExampleFrom() {
	b := topology.NewBuilder()
	topology.From(b, lines, topology.Named("read-lines"), topology.StartAt(topology.ResetLatest)).To(out)

	d := drive(b)
	send(d, "a=1")
	show(d, out)
	// Output: out: a=1 at 0
}

func ExampleFromTopics() {
	b := topology.NewBuilder()
	topology.FromTopics(b, []topology.Topic[string, string]{lines, other}).To(out)

	d := drive(b)
	send(d, "a=1")
	eostest.Send(d, other, "b", "2", time.UnixMilli(5))
	show(d, out)
	// Output:
	// out: a=1 at 0
	// out: b=2 at 5
}

func ExampleFromPattern() {
	b := topology.NewBuilder()
	topology.FromPattern(b, "logs-.*", codec.String, codec.String).To(out)

	d := drive(b)
	eostest.Send(d, topology.NewTopic("logs-web", codec.String, codec.String), "a", "1", time.UnixMilli(5))
	show(d, out)
	// Output: out: a=1 at 5
}

// The running maximum, of all keys: a processor with a state of its own. Such a
// state is lost when its task moves; keep what must last in a store.
func ExampleProcess() {
	b := topology.NewBuilder()
	highest := topology.Process(topology.From(b, lines), func(ctx *topology.Context[string, string]) func(record) error {
		top := ""
		return func(r record) error {
			if r.Value <= top {
				return nil
			}
			top = r.Value
			return ctx.Forward(r)
		}
	})
	highest.To(out)

	d := drive(b)
	send(d, "a=3", "b=1", "c=5")
	show(d, out)
	// Output:
	// out: a=3 at 0
	// out: c=5 at 2
}

func ExampleContext_Schedule() {
	b := topology.NewBuilder()
	counts := topology.Process(topology.From(b, lines), func(ctx *topology.Context[string, int64]) func(record) error {
		var n int64
		ctx.Schedule(10*time.Millisecond, topology.StreamTime, func(now int64) error {
			return ctx.Forward(topology.Record[string, int64]{Key: "records", Value: n, Timestamp: now})
		})
		return func(record) error {
			n++
			return nil
		}
	})
	counts.To(numbers)

	d := drive(b)
	for _, ms := range []int64{3, 4, 9, 12, 45} {
		eostest.Send(d, lines, "a", "x", time.UnixMilli(ms))
	}
	show(d, numbers)
	// Output:
	// numbers: records=1 at 3
	// numbers: records=4 at 12
	// numbers: records=5 at 45
}

func ExampleTimestamps() {
	b := topology.NewBuilder()
	fromValue := func(r record, _ int64) (ms int64, take bool, err error) {
		t, err := time.Parse(time.RFC3339, r.Value)
		return t.UnixMilli(), err == nil, nil // skip what has no time
	}
	topology.From(b, lines, topology.Timestamps(fromValue)).To(out)

	d := drive(b)
	send(d, "a=1970-01-01T00:00:07Z", "b=yesterday")
	show(d, out)
	// Output: out: a=1970-01-01T00:00:07Z at 7000
}

func ExampleTopology_Describe() {
	b := topology.NewBuilder()
	topology.From(b, lines).Filter(func(_, v string) bool { return v != "" }, topology.Named("no-blanks")).To(out)
	topo, err := b.Build()
	if err != nil {
		panic(err)
	}
	fmt.Print(topo.Describe())
	// Output:
	// Topologies:
	//    Sub-topology: 0
	//     Source: KSTREAM-SOURCE-0000000000 (topics: [lines])
	//       --> no-blanks
	//     Processor: no-blanks (stores: [])
	//       --> KSTREAM-SINK-0000000002
	//       <-- KSTREAM-SOURCE-0000000000
	//     Sink: KSTREAM-SINK-0000000002 (topic: out)
	//       <-- no-blanks
}

func ExampleGraph_Mermaid() {
	b := topology.NewBuilder()
	topology.From(b, lines).To(out)
	topo, err := b.Build()
	if err != nil {
		panic(err)
	}
	fmt.Print(topo.Graph().Mermaid())
	// Output:
	// flowchart TB
	//   subgraph s0["Sub-topology 0"]
	//     n0(["KSTREAM-SOURCE-0000000000"])
	//     n1(["KSTREAM-SINK-0000000001"])
	//   end
	//   t0[("lines")]
	//   t1[("out")]
	//   t0 --> n0
	//   n0 --> n1
	//   n1 --> t1
}
