package topology_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// feed gives records of the form value to one key at times in ms.
func feed(d *eostest.Driver, topic string, values map[int64]string, times ...int64) {
	for _, at := range times {
		eostest.Send(d, textTopic(topic), "k", values[at], time.UnixMilli(at))
	}
}

// The store has counted the record, and the window closed, before an operator
// behind refuses: neither may show afterwards.
func TestAFailedRecordLeavesNoState(t *testing.T) {
	rows := countRows("counts")
	for _, bad := range []string{"bad", "worse"} {
		t.Run(bad, func(t *testing.T) {
			d := driver(t, func(b *topology.Builder) {
				in := read(b, "in")
				topology.Count(topology.GroupByKey(in), rows).Changes().To(counts("out"))
				refuse(in)
			}, eostest.Errors())
			feed(d, "in", map[int64]string{1: "a", 2: bad, 3: "b"}, 1, 2, 3)
			n, ts, ok, err := rows.Open(d.Opener(rows)).Get("k")
			require.NoError(t, err)
			assert.True(t, ok)
			assert.Equal(t, int64(2), n)
			assert.Equal(t, int64(3), ts)
			assert.Len(t, eostest.Read(d, counts("out")), 2)
			assert.Len(t, d.Errors(), 1)
		})
	}
}

// A failed record does not close windows either: the time of the aggregation
// goes back with it, and so does what it had made come out.
func TestAFailedRecordMovesNoTime(t *testing.T) {
	for _, opts := range [][]topology.Option{nil, {topology.EmitFinal()}} {
		t.Run(fmt.Sprint(len(opts)), func(t *testing.T) {
			d := driver(t, func(b *topology.Builder) {
				in := read(b, "in")
				w := topology.CountWindows(topology.GroupByKey(in), topology.Tumbling(time.Minute), minutes("m", codec.Int64), opts...)
				w.Changes().To(minuteCounts("out"))
				refuse(in)
			}, eostest.Errors())
			feed(d, "in", map[int64]string{1: "a", 120_000: "bad", 2: "b"}, 1, 120_000, 2)
			assert.Len(t, d.Errors(), 1)
			assert.Zero(t, d.Dropped(topology.DropLate), "the window is still open")
			before := len(eostest.Read(d, minuteCounts("out")))
			feed(d, "in", map[int64]string{120_000: "c"}, 120_000)
			out := eostest.Read(d, minuteCounts("out"))
			require.Len(t, out, 1)
			if opts == nil {
				assert.Equal(t, 2, before)
				assert.Equal(t, int64(120_000), out[0].Key.Start)
			} else {
				assert.Zero(t, before)
				assert.Equal(t, int64(2), out[0].Value, "the window comes out when it really closes")
			}
		})
	}
}

// A punctuation that fails takes back what it stored.
func TestAFailedPunctuationLeavesNoState(t *testing.T) {
	kv := statestore.NewKV("kv", codec.String, codec.String)
	d := driver(t, func(b *topology.Builder) {
		topology.Process(read(b, "in"), func(ctx *topology.Context[string, string]) func(record) error {
			h := kv.Open(ctx)
			ctx.Schedule(time.Second, topology.WallClock, func(int64) error {
				if err := h.Put("tick", "1"); err != nil {
					return err
				}
				return errRefused
			})
			return func(r record) error { return h.Put(r.Key, r.Value) }
		}, topology.Stores(kv))
	}, eostest.Errors())
	eostest.Send(d, textTopic("in"), "a", "1", time.UnixMilli(1))
	d.AdvanceWallClock(time.Second)
	require.Len(t, d.Errors(), 1)
	h := kv.Open(d.Opener(kv))
	_, ok, err := h.Get("tick")
	require.NoError(t, err)
	assert.False(t, ok)
	_, ok, err = h.Get("a")
	require.NoError(t, err)
	assert.True(t, ok, "what was stored before stays")
}

// task is a sub-topology's instance as the runtime drives it.
type task struct {
	t     *testing.T
	topo  *topology.Topology
	state *statestore.State
	in    *topology.Instance
	base  statestore.Base
}

func newTask(t *testing.T, topo *topology.Topology) *task {
	base := statestore.NewMemory()
	k := &task{t: t, topo: topo, base: base, state: statestore.NewState(base)}
	k.open()
	return k
}

func (k *task) open() {
	in, err := k.topo.SubTopologies()[0].NewInstance(0, topology.Env{Now: func() int64 { return 0 }, State: k.state})
	require.NoError(k.t, err)
	k.in = in
}

func (k *task) process(value string, at int64) int {
	s, ok := k.in.Open("in")
	require.True(k.t, ok)
	require.NoError(k.t, k.in.Process(s, &topology.RawRecord{Topic: "in", Key: []byte("k"), Value: []byte(value), Timestamp: at}))
	return len(k.in.Outputs())
}

func (k *task) commit() topology.Snapshot {
	require.NoError(k.t, k.state.Seal(func(statestore.ChangelogRecord) error { return nil }))
	require.NoError(k.t, k.state.Commit(nil))
	return k.in.Snapshot()
}

// abort makes the task as it was at its last commit.
func (k *task) abort(committed topology.Snapshot) {
	k.state.Abort()
	require.NoError(k.t, k.in.Close())
	k.open()
	k.in.Restore(committed)
}

// An abort takes back results, times, buffers and what has come out.
func TestAbortTakesStateAndTimesBack(t *testing.T) {
	windows := func(b *topology.Builder, opts ...topology.Option) topology.Table[codec.Windowed[string], int64] {
		return topology.CountWindows(topology.GroupByKey(read(b, "in")), topology.Tumbling(time.Minute), minutes("m", codec.Int64), opts...)
	}
	tests := map[string]func(*topology.Builder){
		"update": func(b *topology.Builder) { windows(b).Changes().To(minuteCounts("out")) },
		"final":  func(b *topology.Builder) { windows(b, topology.EmitFinal()).Changes().To(minuteCounts("out")) },
		"suppress": func(b *topology.Builder) {
			hold := topology.NewBuffer("hold", codec.TimeWindowed(codec.String, time.Minute), codec.Int64)
			topology.UntilWindowCloses(windows(b), hold).Changes().To(minuteCounts("out"))
		},
		"sessions": func(b *topology.Builder) {
			s := topology.CountSessions(topology.GroupByKey(read(b, "in")), topology.SessionWindows(time.Second), sessions("s", codec.Int64), topology.EmitFinal())
			s.Changes().To(topology.NewTopic("out", codec.SessionWindowed(codec.String), codec.Int64))
		},
	}
	for name, define := range tests {
		t.Run(name, func(t *testing.T) {
			k := newTask(t, build(t, define))
			first := k.process("a", 1)
			committed := k.commit()
			assert.Equal(t, int64(1), committed.StreamTime)
			run := func() (outputs []int) {
				for _, at := range []int64{2, 130_000, 3} {
					outputs = append(outputs, k.process("b", at))
				}
				return outputs
			}
			want := run()
			k.abort(committed)
			assert.Equal(t, int64(1), k.in.StreamTime())
			assert.Equal(t, want, run(), "the same again, beside %d before", first)
			again := k.commit()
			k.abort(again)
			assert.Equal(t, int64(130_000), k.in.StreamTime())
			assert.Zero(t, k.process("late", 4), "the times of the operators are those of the commit")
		})
	}
}

func TestBuildRefusesState(t *testing.T) {
	grouped := func(b *topology.Builder) topology.Grouped[string, string] { return topology.GroupByKey(read(b, "in")) }
	tests := map[string]struct {
		define func(*topology.Builder)
		want   string
	}{
		"one store for two": {func(b *topology.Builder) {
			g := grouped(b)
			topology.Count(g, countRows("c"))
			topology.Count(g, countRows("c"))
		}, `the store "c" is used by KSTREAM-AGGREGATE-0000000001 and KSTREAM-AGGREGATE-0000000002`},
		"two kinds of one name": {func(b *topology.Builder) {
			topology.Count(grouped(b), countRows("c"))
			kv := statestore.NewKV("c", codec.String, codec.String)
			topology.Process(read(b, "x"), func(ctx *topology.Context[string, string]) func(record) error { return ctx.Forward }, topology.Stores(kv))
		}, `the store "c" is a timestamped key-value store elsewhere, here a key-value store`},
		"a store without a name": {func(b *topology.Builder) { topology.Count(grouped(b), countRows("")) }, "a store needs a name"},
		"a store with a space":   {func(b *topology.Builder) { topology.Count(grouped(b), countRows("a b")) }, `store name "a b"`},
		"stores of a filter":     {func(b *topology.Builder) { read(b, "in").Filter(yes, topology.Stores(countRows("c"))) }, "the option Stores does not apply"},
		"a final count":          {func(b *topology.Builder) { topology.Count(grouped(b), countRows("c"), topology.EmitFinal()) }, "the option EmitFinal does not apply"},
		"another's table store": {func(b *topology.Builder) {
			t := topology.TableFrom(b, textTopic("in"), textRows("rows"))
			t.Filter(yes, topology.Materialized[string, int64](countRows("c")))
		}, "materialized: the store is a"},
		"another's late stream": {func(b *topology.Builder) {
			var late topology.Stream[string, int64]
			topology.CountWindows(grouped(b), topology.Tumbling(time.Minute), minutes("m", codec.Int64), topology.Late(&late))
		}, "the stream of late records is a"},
		"windows of no size": {func(b *topology.Builder) {
			topology.CountWindows(grouped(b), topology.Tumbling(0), minutes("m", codec.Int64))
		}, "windows of 0 ms"},
		"an advance too long": {func(b *topology.Builder) {
			topology.CountWindows(grouped(b), topology.Hopping(time.Minute, time.Hour), minutes("m", codec.Int64))
		}, "advance by 3600000 ms"},
		"another size": {func(b *topology.Builder) {
			topology.CountWindows(grouped(b), topology.Tumbling(time.Second), minutes("m", codec.Int64))
		}, "a store for windows of 60000 ms"},
		"a retention too short": {func(b *topology.Builder) {
			topology.CountWindows(grouped(b), topology.Tumbling(time.Minute).Grace(time.Hour), minutes("m", codec.Int64))
		}, "the store keeps windows for 180000 ms, 3660000 ms are needed"},
		"a negative grace": {func(b *topology.Builder) {
			topology.CountWindows(grouped(b), topology.Tumbling(time.Minute).Grace(-1*time.Second), minutes("m", codec.Int64))
		}, "a grace of -1000 ms"},
		"a final unlimited window": {func(b *topology.Builder) {
			topology.CountWindows(grouped(b), topology.Unlimited(time.UnixMilli(0)), minutes("m", codec.Int64), topology.EmitFinal())
		}, "no final result"},
		"sessions kept too short": {func(b *topology.Builder) {
			topology.CountSessions(grouped(b), topology.SessionWindows(time.Hour), sessions("s", codec.Int64))
		}, "the store keeps sessions for 180000 ms, 3600001 ms are needed"},
		"no windows to close": {func(b *topology.Builder) {
			key := codec.TimeWindowed(codec.String, time.Minute)
			t := topology.TableFrom(b, minuteCounts("in"), statestore.NewTimestampedKV("rows", key, codec.Int64))
			topology.UntilWindowCloses(t, topology.NewBuffer("hold", key, codec.Int64))
		}, "needs the table of a windowed aggregation"},
		"no buffer": {func(b *topology.Builder) {
			topology.UntilTimeLimit(topology.TableFrom(b, textTopic("in"), textRows("rows")), time.Second, topology.Buffer[string, string]{})
		}, "a buffer needs a name"},
		"one group topic twice": {func(b *topology.Builder) {
			t := topology.TableFrom(b, textTopic("in"), textRows("rows"))
			topology.GroupTable(t, swapped, textTopic("g"))
			topology.GroupTable(t, swapped, textTopic("g"))
		}, `already reads "g-repartition"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b := topology.NewBuilder()
			tc.define(b)
			_, err := b.Build()
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// What the runtime has to know of the stores of a sub-topology.
func TestStoresOfASubTopology(t *testing.T) {
	topo := build(t, func(b *topology.Builder) {
		t := topology.TableFrom(b, textTopic("in"), textRows("rows"))
		topology.CountTable(topology.GroupTable(t, swapped, textTopic("g")), countRows("counts"))
		topology.TableFrom(b, textTopic("other"), statestore.NewTimestampedKV("unlogged", codec.String, codec.String, statestore.NotLogged()))
	})
	subs := topo.SubTopologies()
	names := func(s *topology.SubTopology) (out []string) {
		for _, spec := range s.Stores() {
			out = append(out, spec.Name())
		}
		return out
	}
	assert.Equal(t, []string{"rows"}, names(subs[0]))
	assert.Equal(t, map[string]string{"rows": "in"}, subs[0].SourceChangelogs(), "the topic has what the changelog would have")
	assert.Equal(t, []string{"counts"}, names(subs[1]))
	assert.Empty(t, subs[1].SourceChangelogs())
	assert.Equal(t, []string{"unlogged"}, names(subs[2]))
	assert.Empty(t, subs[2].SourceChangelogs(), "there is no changelog")
	sources := subs[1].Sources()
	require.Len(t, sources, 1)
	assert.True(t, sources[0].Internal)
}
