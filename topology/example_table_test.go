package topology_test

import (
	"fmt"
	"strconv"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// The stores of the examples.
var (
	rows   = statestore.NewTimestampedKV("rows", codec.String, codec.String)
	totals = statestore.NewTimestampedKV("totals", codec.String, codec.Int64)
)

// showChanges prints the updates of a table as they were written to a topic.
func showChanges[K, V any](d *eostest.Driver, t topology.Topic[K, V]) {
	for _, r := range eostest.Read(d, t) {
		if r.ValueIsNull() {
			fmt.Printf("%v deleted\n", r.Key)
		} else {
			fmt.Printf("%v=%v\n", r.Key, r.Value)
		}
	}
}

func ExampleTableFrom() {
	b := topology.NewBuilder()
	topology.TableFrom(b, lines, rows).Changes().To(out)

	d := drive(b)
	send(d, "ann=Berlin", "ann=Paris")
	showChanges(d, out)
	row, ts, _, _ := rows.Open(d.Opener(rows)).Get("ann")
	fmt.Println("row:", row, ts)
	// Output:
	// ann=Berlin
	// ann=Paris
	// row: Paris 1
}

func ExampleToTable() {
	b := topology.NewBuilder()
	cities := topology.MapValues(topology.From(b, lines), func(v string) string { return v[:1] })
	topology.ToTable(cities, rows).Changes().To(out)

	d := drive(b)
	send(d, "ann=Berlin")
	showChanges(d, out)
	// Output: ann=B
}

func ExampleTable_Changes() {
	b := topology.NewBuilder()
	topology.TableFrom(b, lines, rows).Changes().To(out)

	d := drive(b)
	send(d, "ann=Berlin")
	eostest.SendRecord(d, lines, topology.Record[string, string]{Key: "ann", Timestamp: 5}.WithNullValue())
	showChanges(d, out)
	// Output:
	// ann=Berlin
	// ann deleted
}

func ExampleTable_Filter() {
	b := topology.NewBuilder()
	table := topology.TableFrom(b, lines, rows)
	table.Filter(func(_, city string) bool { return city == "Berlin" }).Changes().To(out)

	d := drive(b)
	send(d, "ann=Berlin", "bob=Rome", "ann=Paris")
	showChanges(d, out)
	// Output:
	// ann=Berlin
	// ann deleted
}

func ExampleTable_FilterNot() {
	b := topology.NewBuilder()
	table := topology.TableFrom(b, lines, rows)
	table.FilterNot(func(_, city string) bool { return city == "Berlin" }).Changes().To(out)

	d := drive(b)
	send(d, "ann=Berlin", "bob=Rome")
	showChanges(d, out)
	// Output: bob=Rome
}

func ExampleMapTableValues() {
	b := topology.NewBuilder()
	table := topology.TableFrom(b, lines, rows)
	topology.MapTableValues(table, func(city string) int64 { return int64(len(city)) }).Changes().To(numbers)

	d := drive(b)
	send(d, "ann=Berlin")
	showChanges(d, numbers)
	// Output: ann=6
}

func ExampleMapTableValuesWithKey() {
	b := topology.NewBuilder()
	table := topology.TableFrom(b, lines, rows)
	topology.MapTableValuesWithKey(table, func(who, city string) string { return who + " in " + city }).Changes().To(out)

	d := drive(b)
	send(d, "ann=Berlin")
	showChanges(d, out)
	// Output: ann=ann in Berlin
}

func ExampleMaterialized() {
	lengths := statestore.NewTimestampedKV("lengths", codec.String, codec.Int64)
	b := topology.NewBuilder()
	topology.MapTableValues(topology.TableFrom(b, lines, rows), func(city string) int64 { return int64(len(city)) },
		topology.Materialized[string, int64](lengths))

	d := drive(b)
	send(d, "ann=Berlin")
	n, _, _, _ := lengths.Open(d.Opener(lengths)).Get("ann")
	fmt.Println(n)
	// Output: 6
}

// residents groups a table of people's cities by city.
func residents(b *topology.Builder) topology.GroupedTable[string, string] {
	byCity := topology.NewTopic("by-city", codec.String, codec.String)
	return topology.GroupTable(topology.TableFrom(b, lines, rows), func(who, city string) (string, string) { return city, who }, byCity)
}

func ExampleGroupTable() {
	b := topology.NewBuilder()
	topology.CountTable(residents(b), totals).Changes().To(numbers)

	d := drive(b)
	send(d, "ann=Berlin", "bob=Berlin", "ann=Rome")
	showChanges(d, numbers)
	// Output:
	// Berlin=1
	// Berlin=2
	// Berlin=1
	// Rome=1
}

func ExampleCountTable() {
	b := topology.NewBuilder()
	topology.CountTable(residents(b), totals).Changes().To(numbers)

	d := drive(b)
	send(d, "ann=Berlin", "ann=Rome")
	showChanges(d, numbers)
	// Output:
	// Berlin=1
	// Berlin=0
	// Rome=1
}

func ExampleReduceTable() {
	b := topology.NewBuilder()
	table := topology.MapTableValues(topology.TableFrom(b, lines, rows), func(v string) int64 {
		n, _ := strconv.ParseInt(v, 10, 64)
		return n
	})
	all := topology.NewTopic("all", codec.String, codec.Int64)
	g := topology.GroupTable(table, func(_ string, n int64) (string, int64) { return "sum", n }, all)
	plus := func(acc, n int64) int64 { return acc + n }
	minus := func(acc, n int64) int64 { return acc - n }
	topology.ReduceTable(g, plus, minus, totals).Changes().To(numbers)

	d := drive(b)
	send(d, "a=5", "b=7", "a=1")
	showChanges(d, numbers)
	// Output:
	// sum=5
	// sum=12
	// sum=8
}

func ExampleAggregateTable() {
	b := topology.NewBuilder()
	none := func() int64 { return 0 }
	plus := func(_, who string, acc int64) int64 { return acc + int64(len(who)) }
	minus := func(_, who string, acc int64) int64 { return acc - int64(len(who)) }
	topology.AggregateTable(residents(b), none, plus, minus, totals).Changes().To(numbers)

	d := drive(b)
	send(d, "ann=Berlin", "bo=Berlin", "ann=Rome")
	showChanges(d, numbers)
	// Output:
	// Berlin=3
	// Berlin=5
	// Berlin=2
	// Rome=3
}

func ExampleUntilTimeLimit() {
	b := topology.NewBuilder()
	hold := topology.NewBuffer("hold", codec.String, codec.String)
	topology.UntilTimeLimit(topology.TableFrom(b, lines, rows), 2*ms, hold).Changes().To(out)

	d := drive(b)
	send(d, "ann=Berlin", "ann=Paris", "bob=Rome")
	showChanges(d, out)
	// Output: ann=Paris
}

func ExampleNewBuffer() {
	b := topology.NewBuilder()
	hold := topology.NewBuffer("hold", codec.String, codec.String).MaxRecords(1)
	topology.UntilTimeLimit(topology.TableFrom(b, lines, rows), 100*ms, hold).Changes().To(out)

	d := drive(b)
	send(d, "ann=Berlin", "bob=Rome") // there is no place for bob
	showChanges(d, out)
	// Output: ann=Berlin
}

func ExampleStores() {
	seen := statestore.NewKV("seen", codec.String, codec.String)
	b := topology.NewBuilder()
	changed := topology.Process(topology.From(b, lines), func(ctx *topology.Context[string, string]) func(topology.Record[string, string]) error {
		seen := seen.Open(ctx)
		return func(r topology.Record[string, string]) error {
			if last, ok, err := seen.Get(r.Key); err != nil || ok && last == r.Value {
				return err
			}
			if err := seen.Put(r.Key, r.Value); err != nil {
				return err
			}
			return ctx.Forward(r)
		}
	}, topology.Stores(seen))
	changed.To(out)

	d := drive(b)
	send(d, "door=open", "door=open", "door=shut")
	show(d, out)
	// Output:
	// out: door=open at 0
	// out: door=shut at 2
}
