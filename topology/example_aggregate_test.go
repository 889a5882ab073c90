package topology_test

import (
	"fmt"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

const ms = time.Millisecond

// windowsOf declares a store for windows of a size.
func windowsOf[V any](size time.Duration, value codec.Codec[V]) statestore.Window[string, V] {
	return statestore.NewWindow("windows", codec.String, value, statestore.WindowConfig{Size: size, Retention: time.Hour})
}

// sessionsOf declares a store for sessions.
func sessionsOf[V any](value codec.Codec[V]) statestore.Session[string, V] {
	return statestore.NewSession("sessions", codec.String, value, statestore.SessionConfig{Retention: time.Hour})
}

// windowed is a topic of results of windows of a size.
func windowed[V any](size time.Duration, value codec.Codec[V]) topology.Topic[codec.Windowed[string], V] {
	return topology.NewTopic("windowed", codec.TimeWindowed(codec.String, size), value)
}

// sessionResults is a topic of results of sessions.
func sessionResults[V any](value codec.Codec[V]) topology.Topic[codec.Windowed[string], V] {
	return topology.NewTopic("sessions", codec.SessionWindowed(codec.String), value)
}

func longer(acc, v string) string {
	if len(v) > len(acc) {
		return v
	}
	return acc
}

func zero() int64                            { return 0 }
func addLength(_, v string, acc int64) int64 { return acc + int64(len(v)) }
func plus(_ string, a, b int64) int64        { return a + b }

func ExampleGroupByKey() {
	b := topology.NewBuilder()
	topology.Count(topology.GroupByKey(topology.From(b, lines)), totals).Changes().To(numbers)

	d := drive(b)
	send(d, "a=x", "b=y", "a=z")
	showChanges(d, numbers)
	// Output:
	// a=1
	// b=1
	// a=2
}

func ExampleGroupBy() {
	b := topology.NewBuilder()
	byWord := topology.NewTopic("by-word", codec.String, codec.String)
	words := topology.GroupBy(topology.From(b, lines), func(_, word string) string { return word }, byWord)
	topology.Count(words, totals).Changes().To(numbers)

	d := drive(b)
	send(d, "1=to", "2=be", "3=to")
	showChanges(d, numbers)
	// Output:
	// to=1
	// be=1
	// to=2
}

func ExampleCount() {
	b := topology.NewBuilder()
	topology.Count(topology.GroupByKey(topology.From(b, lines)), totals).Changes().To(numbers)

	d := drive(b)
	send(d, "a=x", "a=y")
	show(d, numbers)
	// Output:
	// numbers: a=1 at 0
	// numbers: a=2 at 1
}

func ExampleReduce() {
	b := topology.NewBuilder()
	topology.Reduce(topology.GroupByKey(topology.From(b, lines)), longer, rows).Changes().To(out)

	d := drive(b)
	send(d, "a=xx", "a=y", "a=zzz")
	showChanges(d, out)
	// Output:
	// a=xx
	// a=xx
	// a=zzz
}

func ExampleAggregate() {
	b := topology.NewBuilder()
	topology.Aggregate(topology.GroupByKey(topology.From(b, lines)), zero, addLength, totals).Changes().To(numbers)

	d := drive(b)
	send(d, "a=xx", "a=yyy")
	showChanges(d, numbers)
	// Output:
	// a=2
	// a=5
}

func ExampleCountWindows() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	topology.CountWindows(g, topology.Tumbling(2*ms), windowsOf(2*ms, codec.Int64)).Changes().To(windowed(2*ms, codec.Int64))

	d := drive(b)
	send(d, "a=x", "a=y", "a=z")
	showChanges(d, windowed(2*ms, codec.Int64))
	// Output:
	// {a 0 2}=1
	// {a 0 2}=2
	// {a 2 4}=1
}

func ExampleReduceWindows() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	topology.ReduceWindows(g, topology.Tumbling(2*ms), longer, windowsOf(2*ms, codec.String)).Changes().To(windowed(2*ms, codec.String))

	d := drive(b)
	send(d, "a=x", "a=yy", "a=z")
	showChanges(d, windowed(2*ms, codec.String))
	// Output:
	// {a 0 2}=x
	// {a 0 2}=yy
	// {a 2 4}=z
}

func ExampleAggregateWindows() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	lengths := topology.AggregateWindows(g, topology.Tumbling(2*ms), zero, addLength, windowsOf(2*ms, codec.Int64))
	lengths.Changes().To(windowed(2*ms, codec.Int64))

	d := drive(b)
	send(d, "a=x", "a=yy")
	showChanges(d, windowed(2*ms, codec.Int64))
	// Output:
	// {a 0 2}=1
	// {a 0 2}=3
}

func ExampleHopping() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	topology.CountWindows(g, topology.Hopping(2*ms, ms), windowsOf(2*ms, codec.Int64)).Changes().To(windowed(2*ms, codec.Int64))

	d := drive(b)
	send(d, "a=x", "a=y")
	showChanges(d, windowed(2*ms, codec.Int64))
	// Output:
	// {a 0 2}=1
	// {a 0 2}=2
	// {a 1 3}=1
}

func ExampleSliding() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	topology.CountWindows(g, topology.Sliding(ms), windowsOf(ms, codec.Int64)).Changes().To(windowed(ms, codec.Int64))

	d := drive(b)
	send(d, "a=x", "a=y", "a=z")
	showChanges(d, windowed(ms, codec.Int64))
	// Output:
	// {a 0 1}=1
	// {a 0 1}=2
	// {a 1 2}=1
	// {a 1 2}=2
	// {a 2 3}=1
}

func ExampleUnlimited() {
	b := topology.NewBuilder()
	store := windowsOf(time.Hour, codec.Int64)
	w := topology.CountWindows(topology.GroupByKey(topology.From(b, lines)), topology.Unlimited(time.UnixMilli(1)), store)
	sinceThen := topology.SelectKey(w.Changes(), func(k codec.Windowed[string], _ int64) string { return k.Key })
	sinceThen.To(numbers)

	d := drive(b)
	send(d, "a=x", "a=y", "a=z") // the first one is earlier
	showChanges(d, numbers)
	// Output:
	// a=1
	// a=2
}

func ExampleEmitFinal() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	final := topology.CountWindows(g, topology.Tumbling(2*ms), windowsOf(2*ms, codec.Int64), topology.EmitFinal())
	final.Changes().To(windowed(2*ms, codec.Int64))

	d := drive(b)
	send(d, "a=x", "a=y", "b=z") // the third closes the window of the first two
	showChanges(d, windowed(2*ms, codec.Int64))
	// Output: {a 0 2}=2
}

func ExampleLate() {
	b := topology.NewBuilder()
	var late topology.Stream[string, string]
	topology.CountWindows(topology.GroupByKey(topology.From(b, lines)), topology.Tumbling(2*ms), windowsOf(2*ms, codec.Int64), topology.Late(&late))
	late.To(out)

	d := drive(b)
	send(d, "a=1", "a=2", "a=3")
	send(d, "a=again")
	show(d, out)
	fmt.Println(d.Dropped(topology.DropLate))
	// Output:
	// out: a=again at 0
	// 1
}

func ExampleSessionWindows() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	topology.CountSessions(g, topology.SessionWindows(ms), sessionsOf(codec.Int64)).Changes().To(sessionResults(codec.Int64))

	d := drive(b)
	send(d, "a=x", "a=y", "b=z")
	showChanges(d, sessionResults(codec.Int64))
	// Output:
	// {a 0 0}=1
	// {a 0 0} deleted
	// {a 0 1}=2
	// {b 2 2}=1
}

func ExampleCountSessions() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	topology.CountSessions(g, topology.SessionWindows(ms), sessionsOf(codec.Int64), topology.EmitFinal()).Changes().To(sessionResults(codec.Int64))

	d := drive(b)
	send(d, "a=x", "a=y", "b=1", "b=2")
	showChanges(d, sessionResults(codec.Int64))
	// Output: {a 0 1}=2
}

func ExampleReduceSessions() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	topology.ReduceSessions(g, topology.SessionWindows(ms), longer, sessionsOf(codec.String), topology.EmitFinal()).Changes().To(sessionResults(codec.String))

	d := drive(b)
	send(d, "a=x", "a=yy", "b=1", "b=2")
	showChanges(d, sessionResults(codec.String))
	// Output: {a 0 1}=yy
}

func ExampleAggregateSessions() {
	b := topology.NewBuilder()
	g := topology.GroupByKey(topology.From(b, lines))
	s := topology.AggregateSessions(g, topology.SessionWindows(ms), zero, addLength, plus, sessionsOf(codec.Int64), topology.EmitFinal())
	s.Changes().To(sessionResults(codec.Int64))

	d := drive(b)
	send(d, "a=x", "a=yy", "b=1", "b=2")
	showChanges(d, sessionResults(codec.Int64))
	// Output: {a 0 1}=3
}

func ExampleUntilWindowCloses() {
	b := topology.NewBuilder()
	w := topology.CountWindows(topology.GroupByKey(topology.From(b, lines)), topology.Tumbling(2*ms), windowsOf(2*ms, codec.Int64))
	hold := topology.NewBuffer("hold", codec.TimeWindowed(codec.String, 2*ms), codec.Int64)
	topology.UntilWindowCloses(w, hold).Changes().To(windowed(2*ms, codec.Int64))

	d := drive(b)
	send(d, "a=x", "a=y", "b=z")
	showChanges(d, windowed(2*ms, codec.Int64))
	// Output: {a 0 2}=2
}

// twoInputs is a cogroup of lines and numbers.
func twoInputs(b *topology.Builder) topology.Cogrouped[string, int64] {
	c := topology.Cogroup(topology.GroupByKey(topology.From(b, lines)), addLength)
	n := topology.GroupByKey(topology.From(b, topology.NewTopic("amounts", codec.String, codec.Int64)))
	return topology.CogroupWith(c, n, func(_ string, n, acc int64) int64 { return acc + n })
}

func ExampleCogroup() {
	b := topology.NewBuilder()
	only := topology.Cogroup(topology.GroupByKey(topology.From(b, lines)), addLength)
	topology.AggregateCogroup(only, zero, totals).Changes().To(numbers)

	d := drive(b)
	send(d, "a=xx", "a=y")
	showChanges(d, numbers)
	// Output:
	// a=2
	// a=3
}

func ExampleCogroupWith() {
	b := topology.NewBuilder()
	topology.AggregateCogroup(twoInputs(b), zero, totals).Changes().To(numbers)

	d := drive(b)
	send(d, "a=xx")
	d.SendRaw("amounts", topology.RawRecord{Key: []byte("a"), Value: []byte{0, 0, 0, 0, 0, 0, 0, 40}})
	showChanges(d, numbers)
	// Output:
	// a=2
	// a=42
}

func ExampleAggregateCogroup() {
	b := topology.NewBuilder()
	topology.AggregateCogroup(twoInputs(b), zero, totals).Changes().To(numbers)

	d := drive(b)
	send(d, "a=xx", "b=y")
	showChanges(d, numbers)
	// Output:
	// a=2
	// b=1
}

func ExampleAggregateCogroupWindows() {
	b := topology.NewBuilder()
	w := topology.AggregateCogroupWindows(twoInputs(b), topology.Tumbling(2*ms), zero, windowsOf(2*ms, codec.Int64))
	w.Changes().To(windowed(2*ms, codec.Int64))

	d := drive(b)
	send(d, "a=xx", "a=y", "a=z")
	showChanges(d, windowed(2*ms, codec.Int64))
	// Output:
	// {a 0 2}=2
	// {a 0 2}=3
	// {a 2 4}=1
}

func ExampleAggregateCogroupSessions() {
	b := topology.NewBuilder()
	s := topology.AggregateCogroupSessions(twoInputs(b), topology.SessionWindows(ms), zero, plus, sessionsOf(codec.Int64))
	s.Changes().To(sessionResults(codec.Int64))

	d := drive(b)
	send(d, "a=xx", "a=y")
	showChanges(d, sessionResults(codec.Int64))
	// Output:
	// {a 0 0}=2
	// {a 0 0} deleted
	// {a 0 1}=3
}
