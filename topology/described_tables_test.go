package topology_test

import (
	"maps"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

func textRows(name string) statestore.TimestampedKV[string, string] {
	return statestore.NewTimestampedKV(name, codec.String, codec.String)
}

func countRows(name string) statestore.TimestampedKV[string, int64] {
	return statestore.NewTimestampedKV(name, codec.String, codec.Int64)
}

// minutes declares a store for windows of a minute that are kept for three.
func minutes[V any](name string, value codec.Codec[V]) statestore.Window[string, V] {
	return statestore.NewWindow(name, codec.String, value, statestore.WindowConfig{Size: time.Minute, Retention: 3 * time.Minute})
}

func sessions[V any](name string, value codec.Codec[V]) statestore.Session[string, V] {
	return statestore.NewSession(name, codec.String, value, statestore.SessionConfig{Retention: 3 * time.Minute})
}

// minuteCounts is a topic of counts by minute.
func minuteCounts(name string) topology.Topic[codec.Windowed[string], int64] {
	return topology.NewTopic(name, codec.TimeWindowed(codec.String, time.Minute), codec.Int64)
}

func counts(name string) topology.Topic[string, int64] {
	return topology.NewTopic(name, codec.String, codec.Int64)
}

func empty() string                        { return "" }
func latest(_, v string) string            { return v }
func appended(_, v, acc string) string     { return acc + v }
func swapped(k, v string) (string, string) { return v, k }

var _ = alsoDescribed(map[string]func(*topology.Builder){
	"table-operators": func(b *topology.Builder) {
		t := topology.TableFrom(b, textTopic("in"), textRows("rows"))
		t.Filter(yes).Changes().To(textTopic("kept"))
		dropped := t.FilterNot(yes, topology.Materialized[string, string](textRows("dropped-rows")))
		topology.MapTableValues(dropped, same).Changes().To(textTopic("mapped"))
	},
	"table-named": func(b *topology.Builder) {
		t := topology.TableFrom(b, textTopic("in"), textRows("rows"), topology.Named("customers"))
		t.Filter(yes, topology.Named("active")).Changes(topology.Named("changes")).To(textTopic("out"))
	},
	"to-table": func(b *topology.Builder) {
		topology.ToTable(topology.MapValues(read(b, "in"), same), textRows("rows")).Changes().To(textTopic("out"))
	},
	"aggregations": func(b *topology.Builder) {
		g := topology.GroupByKey(read(b, "in"))
		topology.Count(g, countRows("counts")).Changes().To(counts("c"))
		topology.Reduce(g, latest, textRows("reduced")).Changes().To(textTopic("r"))
		topology.Aggregate(g, empty, appended, textRows("aggregated")).Changes().To(textTopic("a"))
	},
	"windows": func(b *topology.Builder) {
		g := topology.GroupByKey(read(b, "in"))
		topology.CountWindows(g, topology.Tumbling(time.Minute), minutes("minutes", codec.Int64)).Changes().To(minuteCounts("m"))
		slides := topology.ReduceWindows(g, topology.Sliding(time.Minute), latest, minutes("slides", codec.String))
		slides.Changes().To(topology.NewTopic("s", codec.TimeWindowed(codec.String, time.Minute), codec.String))
		s := topology.CountSessions(g, topology.SessionWindows(time.Minute), sessions("sessions", codec.Int64))
		s.Changes().To(topology.NewTopic("e", codec.SessionWindowed(codec.String), codec.Int64))
	},
	"group-table": func(b *topology.Builder) {
		t := topology.TableFrom(b, textTopic("in"), textRows("rows"))
		g := topology.GroupTable(t, swapped, textTopic("by-value"), topology.Named("by-value"))
		topology.CountTable(g, countRows("counts")).Changes().To(counts("out"))
	},
	"reduce-table": func(b *topology.Builder) {
		t := topology.TableFrom(b, textTopic("in"), textRows("rows"))
		g := topology.GroupTable(t, swapped, textTopic("by-value"), topology.Named("by-value"))
		topology.ReduceTable(g, latest, latest, textRows("reduced")).Changes().To(textTopic("out"))
	},
	"cogroup": func(b *topology.Builder) {
		x, y := topology.GroupByKey(read(b, "x")), topology.GroupByKey(read(b, "y"))
		c := topology.CogroupWith(topology.Cogroup(x, appended), y, appended)
		topology.AggregateCogroup(c, empty, textRows("both")).Changes().To(textTopic("out"))
	},
	"suppress": func(b *topology.Builder) {
		g := topology.GroupByKey(read(b, "in"))
		t := topology.CountWindows(g, topology.Tumbling(time.Minute), minutes("minutes", codec.Int64))
		hold := topology.NewBuffer("held-store", codec.TimeWindowed(codec.String, time.Minute), codec.Int64)
		topology.UntilWindowCloses(t, hold, topology.Named("held")).Changes().To(minuteCounts("out"))
	},
	"stores": func(b *topology.Builder) {
		seen := statestore.NewKV("seen", codec.String, codec.String)
		pass := func(ctx *topology.Context[string, string]) func(record) error { return ctx.Forward }
		for _, topic := range []string{"x", "y"} {
			topology.Process(read(b, topic), pass, topology.Stores(seen)).To(textTopic(topic + "-out"))
		}
	},
})

// alsoDescribed adds topologies to those of which testdata/describe has a file.
func alsoDescribed(more map[string]func(*topology.Builder)) struct{} {
	maps.Copy(described, more)
	return struct{}{}
}
