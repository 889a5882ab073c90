package topology_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

func TestBuildRefuses(t *testing.T) {
	tests := map[string]struct {
		define func(*topology.Builder)
		want   string
	}{
		"nothing":             {func(*topology.Builder) {}, "the topology has no operators"},
		"one name twice":      {func(b *topology.Builder) { read(b, "a", topology.Named("x")).Filter(yes, topology.Named("x")) }, `two operators are named "x"`},
		"a name with a space": {func(b *topology.Builder) { read(b, "a", topology.Named("my source")) }, `name "my source"`},
		"a topic twice":       {func(b *topology.Builder) { read(b, "a"); read(b, "a") }, `topic "a" is read by KSTREAM-SOURCE-0000000000 and KSTREAM-SOURCE-0000000001`},
		"no topics":           {func(b *topology.Builder) { topology.FromTopics[string, string](b, nil) }, "has no topics"},
		"no topic name":       {func(b *topology.Builder) { read(b, "") }, "a topic needs a name"},
		"a wrong topic name":  {func(b *topology.Builder) { read(b, "in").To(textTopic("a/b")) }, `topic name "a/b"`},
		"a dot":               {func(b *topology.Builder) { read(b, "..") }, `topic name ".."`},
		"no codec": {func(b *topology.Builder) {
			topology.From(b, topology.Topic[string, string]{Name: "a", Key: codec.String})
		}, `topic "a" needs a key codec and a value codec`},
		"a wrong pattern":      {func(b *topology.Builder) { topology.FromPattern(b, "(", codec.String, codec.String) }, `topic pattern "("`},
		"a pattern, no codec":  {func(b *topology.Builder) { topology.FromPattern[string, string](b, "a", nil, nil) }, "needs a key codec"},
		"no chooser":           {func(b *topology.Builder) { read(b, "a").ToChosen(codec.String, codec.String, nil) }, "a chooser"},
		"a copy onto itself":   {func(b *topology.Builder) { read(b, "a").To(textTopic("a")) }, "endless loop"},
		"a second default":     {func(b *topology.Builder) { s := read(b, "a").Split(); s.Default(); s.Default(topology.Named("x")) }, "two default branches"},
		"branch after default": {func(b *topology.Builder) { s := read(b, "a").Split(); s.Default(); s.Branch(yes) }, "after the default branch"},
		"one repartition twice": {func(b *topology.Builder) {
			s := read(b, "a")
			s.Repartition(textTopic("r"))
			s.Repartition(textTopic("r"))
		}, `repartition "r": r-repartition-source already reads "r-repartition"`},
		"negative partitions": {func(b *topology.Builder) { read(b, "a").Repartition(textTopic("r"), topology.Partitions(-1)) }, "-1 partitions"},
		"another's extractor": {func(b *topology.Builder) {
			read(b, "a", topology.Timestamps(topology.FailOnInvalidTimestamp[int64, string]))
		}, "the timestamp extractor is a"},
		"partitions of a filter": {func(b *topology.Builder) { read(b, "a").Filter(yes, topology.Partitions(3)) }, "KSTREAM-FILTER-0000000001: the option Partitions does not apply"},
		"timestamps of a sink": {func(b *topology.Builder) {
			read(b, "a").To(textTopic("b"), topology.Timestamps(topology.FailOnInvalidTimestamp[string, string]))
		}, "the option Timestamps does not apply"},
		"start of a repartition": {func(b *topology.Builder) {
			read(b, "a").Repartition(textTopic("r"), topology.StartAt(topology.ResetLatest))
		}, "the option StartAt does not apply"},
		"streams of two builders": {func(b *topology.Builder) {
			read(b, "a").Merge(read(topology.NewBuilder(), "b")).To(textTopic("c"))
		}, "different builders"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b := topology.NewBuilder()
			tc.define(b)
			topo, err := b.Build()
			require.ErrorContains(t, err, tc.want)
			assert.Nil(t, topo)
			assert.Len(t, strings.Split(err.Error(), "\n"), 1, "one fault, one error")
		})
	}
}

func TestBuildReportsAllFaults(t *testing.T) {
	b := topology.NewBuilder()
	read(b, "a b").Filter(yes, topology.Named("?")).To(textTopic(""))
	_, err := b.Build()
	for _, want := range []string{`topic name "a b"`, `name "?"`, "a topic needs a name"} {
		assert.ErrorContains(t, err, want)
	}
}

func TestSubTopologies(t *testing.T) {
	topo := build(t, func(b *topology.Builder) {
		s := read(b, "a", topology.StartAt(topology.ResetNone))
		s.Repartition(textTopic("r"), topology.Partitions(7)).Filter(yes).To(textTopic("x"))
		s.To(textTopic("y"))
		s.ToChosen(codec.String, codec.String, route)
		topology.FromPattern(b, "p-.*", codec.String, codec.String).Merge(read(b, "q")).To(textTopic("z"))
	})
	subs := topo.SubTopologies()
	require.Len(t, subs, 3)
	for i, s := range subs {
		assert.Equal(t, i, s.ID)
	}
	assert.Equal(t, []topology.SourceTopic{{Name: "a", Reset: topology.ResetNone}}, subs[0].Sources())
	topics, internal := subs[0].Sinks()
	assert.Equal(t, []string{"y"}, topics)
	assert.Equal(t, []string{"r-repartition"}, internal)
	assert.Equal(t, []topology.SourceTopic{{Name: "r-repartition", Internal: true, Partitions: 7, Reset: topology.ResetEarliest}}, subs[1].Sources())
	sources := subs[2].Sources()
	require.Len(t, sources, 2)
	assert.True(t, sources[0].Pattern.MatchString("p-1"))
	assert.False(t, sources[0].Pattern.MatchString("ap-1"), "a pattern is of whole names")
	assert.Equal(t, "q", sources[1].Name)
}

// The physical name of an internal topic comes from outside.
func TestInternalTopicNames(t *testing.T) {
	topo := build(t, func(b *topology.Builder) { read(b, "in").Repartition(textTopic("r")).To(textTopic("out")) })
	in, err := topo.SubTopologies()[0].NewInstance(0, topology.Env{
		Now:           func() int64 { return 0 },
		InternalTopic: func(name string) string { return "app-" + name },
	})
	require.NoError(t, err)
	s, ok := in.Open("in")
	require.True(t, ok)
	_, ok = in.Open("r-repartition")
	assert.False(t, ok, "another sub-topology reads it")
	require.NoError(t, in.Process(s, &topology.RawRecord{Topic: "in", Key: []byte("k")}))
	o := in.Outputs()
	require.Len(t, o, 1)
	assert.Equal(t, "app-r-repartition", o[0].Topic)
	assert.Equal(t, topology.AnyPartition, o[0].Partition)
	assert.Empty(t, in.Outputs())
}

func TestAProcessorSeesItsTask(t *testing.T) {
	topo := build(t, func(b *topology.Builder) {
		topology.Process(read(b, "in"), func(ctx *topology.Context[string, string]) func(record) error {
			return func(r record) error {
				at, ok := ctx.Source()
				assert.True(t, ok)
				assert.Equal(t, topology.Metadata{Topic: "in", Partition: 4, Offset: 17}, at)
				assert.Equal(t, topology.TaskID{SubTopology: 0, Partition: 4}, ctx.Task())
				assert.Equal(t, int64(99), ctx.WallTime())
				assert.Equal(t, int64(50), ctx.StreamTime(), "the record at hand counts")
				ctx.RequestCommit()
				return nil
			}
		})
	})
	in, err := topo.SubTopologies()[0].NewInstance(4, topology.Env{Now: func() int64 { return 99 }})
	require.NoError(t, err)
	assert.Equal(t, int64(-1), in.StreamTime())
	in.Restore(topology.NewSnapshot(30))
	assert.Equal(t, int64(30), in.StreamTime())
	s, _ := in.Open("in")
	require.NoError(t, in.Process(s, &topology.RawRecord{Topic: "in", Partition: 4, Offset: 17, Timestamp: 50}))
	assert.True(t, in.CommitRequested())
	assert.False(t, in.CommitRequested(), "asked once")
	assert.Equal(t, "0_4", in.ID().String())
	_, ok := in.NextPunctuation()
	assert.False(t, ok)
	assert.NoError(t, in.Close())
}
