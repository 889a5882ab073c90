package topology_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

type (
	text   = topology.Stream[string, string]
	record = topology.Record[string, string]
)

func textTopic(name string) topology.Topic[string, string] {
	return topology.NewTopic(name, codec.String, codec.String)
}

func read(b *topology.Builder, topic string, opts ...topology.Option) text {
	return topology.From(b, textTopic(topic), opts...)
}

func yes(string, string) bool  { return true }
func same(v string) string     { return v }
func asKey(_, v string) string { return v }
func route(record) topology.Destination {
	return topology.Destination{Topic: "t", Partition: topology.AnyPartition}
}

// described holds, for each file of testdata/describe, the topology of which
// Kafka Streams 4.4.0 printed it.
var described = map[string]func(*topology.Builder){
	"copy": func(b *topology.Builder) { read(b, "in").To(textTopic("out")) },
	"all-operators": func(b *topology.Builder) {
		in := read(b, "in")
		s := in.Filter(yes).FilterNot(yes)
		s = topology.Map(s, func(k, v string) (string, string) { return k, v })
		s = topology.MapValues(s, same)
		s = topology.MapValuesWithKey(s, asKey)
		s = topology.SelectKey(s, asKey)
		s = topology.FlatMap(s, func(k, v string) []topology.Pair[string, string] { return nil })
		s = topology.FlatMapValues(s, strings.Fields)
		s = s.Peek(func(record) {})
		s = topology.Process(s, func(*topology.Context[string, string]) func(record) error {
			return func(record) error { return nil }
		})
		s.To(textTopic("out"))
		in.ForEach(func(record) {})
		in.Print(os.Stdout, "in")
	},
	"named": func(b *topology.Builder) {
		s := read(b, "in", topology.Named("orders")).Filter(yes, topology.Named("only-big"))
		s = topology.Map(s, func(k, v string) (string, string) { return k, v })
		s = topology.MapValues(s, same, topology.Named("cents"))
		s.Peek(func(record) {}).To(textTopic("out"), topology.Named("write"))
	},
	"fan-out": func(b *topology.Builder) {
		s := read(b, "in")
		topology.MapValues(s.Filter(yes), same).To(textTopic("a"))
		topology.MapValues(s, same).To(textTopic("b"))
		s.To(textTopic("c"))
		s.FilterNot(yes).Filter(yes).Filter(yes).Filter(yes).To(textTopic("d"))
		s.Peek(func(record) {}).To(textTopic("e"))
	},
	"branch": func(b *topology.Builder) {
		split := read(b, "in").Split()
		first, second, rest := split.Branch(yes), split.Branch(yes, topology.Named("second")), split.Default()
		first.To(textTopic("a"))
		topology.MapValues(second, same).To(textTopic("b"))
		rest.To(textTopic("c"))
	},
	"branch-named": func(b *topology.Builder) {
		split := read(b, "in").Split(topology.Named("by-size-"))
		first, second := split.Branch(yes, topology.Named("big")), split.Branch(yes)
		rest := split.Default(topology.Named("rest"))
		first.To(textTopic("a"))
		second.To(textTopic("b"))
		rest.Filter(yes).To(textTopic("c"))
	},
	"merge": func(b *topology.Builder) {
		x, y, z := read(b, "x"), read(b, "y"), read(b, "z")
		x.Merge(y.Filter(yes)).Merge(z, topology.Named("all")).To(textTopic("out"))
	},
	"diamond": func(b *topology.Builder) {
		s := read(b, "in")
		l, r := topology.MapValues(s.Filter(yes), same), s.FilterNot(yes)
		q := topology.MapValues(s, same).Peek(func(record) {})
		l.Merge(r).Merge(q).To(textTopic("out"))
		l.To(textTopic("left"))
	},
	"repartition": func(b *topology.Builder) {
		s := topology.SelectKey(read(b, "in"), asKey).Repartition(textTopic("by-user"))
		topology.MapValues(s, same).To(textTopic("out"))
	},
	"repartition-twice": func(b *topology.Builder) {
		s := topology.SelectKey(read(b, "in"), asKey)
		r := s.Repartition(textTopic("first"), topology.Partitions(4))
		topology.SelectKey(r, asKey).Repartition(textTopic("a-second")).To(textTopic("out"))
		s.To(textTopic("direct"))
	},
	"multi-topic": func(b *topology.Builder) {
		topics := []topology.Topic[string, string]{textTopic("zebra"), textTopic("ant"), textTopic("bee")}
		topology.FromTopics(b, topics).To(textTopic("out"))
	},
	"pattern": func(b *topology.Builder) {
		topology.FromPattern(b, "logs-.*", codec.String, codec.String).Filter(yes).To(textTopic("all-logs"))
	},
	"dynamic-sink": func(b *topology.Builder) { read(b, "in").ToChosen(codec.String, codec.String, route) },
	"several-sources": func(b *topology.Builder) {
		read(b, "zz", topology.Named("zulu")).To(textTopic("z-out"))
		read(b, "mm").To(textTopic("m-out"))
		read(b, "aa", topology.Named("alpha")).To(textTopic("a-out"))
		topology.FromPattern(b, "p-.*", codec.String, codec.String, topology.Named("Bravo")).To(textTopic("p-out"))
	},
	"wide": func(b *topology.Builder) {
		s := read(b, "in")
		var all text
		for i := range 9 {
			x := s.Filter(yes)
			for range i * 5 % 4 {
				x = topology.MapValues(x, same)
			}
			if i%3 == 0 {
				x.To(textTopic(fmt.Sprintf("out-%d", i)))
			}
			if i == 0 {
				all = x
			} else {
				all = all.Merge(x)
			}
		}
		all.To(textTopic("all"))
	},
	"wide-named": func(b *topology.Builder) {
		s := read(b, "in")
		var merged text
		for i, name := range []string{"kilo", "alpha", "mike", "echo", "zulu", "bravo", "tango", "delta"} {
			f := s.Filter(yes, topology.Named(name))
			for j := range i * 3 % 5 {
				f = topology.MapValues(f, same, topology.Named(fmt.Sprintf("%s-%d", name, j)))
			}
			f.To(textTopic("out-" + name))
			switch {
			case i == 0:
				merged = f
			case i%2 == 0:
				merged = merged.Merge(f, topology.Named("merge-"+name))
			}
		}
		merged.To(textTopic("merged"))
	},
}

func build(t testing.TB, define func(*topology.Builder)) *topology.Topology {
	t.Helper()
	b := topology.NewBuilder()
	define(b)
	topo, err := b.Build()
	require.NoError(t, err)
	return topo
}

// The files hold what Kafka Streams 4.4.0 prints for the same topologies; only
// the name of the chooser in dynamic-sink.txt is ours, since Kafka prints a Java
// object there.
func TestDescribeIsKafkasText(t *testing.T) {
	files, err := filepath.Glob("testdata/describe/*.txt")
	require.NoError(t, err)
	require.Len(t, files, len(described))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Contains(t, described, name)
			assert.Equal(t, string(want), build(t, described[name]).Describe())
		})
	}
}
