package eostest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/topology"
)

type record = topology.Record[string, string]

func text(name string) topology.Topic[string, string] {
	return topology.NewTopic(name, codec.String, codec.String)
}

func driver(t eostest.T, define func(*topology.Builder), opts ...eostest.Option) *eostest.Driver {
	b := topology.NewBuilder()
	define(b)
	topo, err := b.Build()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return eostest.New(t, topo, opts...)
}

func at(ms int64) time.Time { return time.UnixMilli(ms) }

// recorder is a test whose failure is looked at instead of failing this one.
type recorder struct {
	failures []string
	cleanups []func()
}

func (r *recorder) Helper()                   {}
func (r *recorder) Cleanup(f func())          { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(f string, a ...any) { r.failures = append(r.failures, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatalf(f string, a ...any) { r.Errorf(f, a...); panic(r) }
func (r *recorder) run(f func()) (failures []string) {
	defer func() {
		if p := recover(); p != nil && p != r {
			panic(p)
		}
		failures = r.failures
	}()
	f()
	return r.failures
}

func TestTopicsAreLoopedBack(t *testing.T) {
	d := driver(t, func(b *topology.Builder) {
		in := topology.From(b, text("in"))
		in.Repartition(text("by-key")).To(text("mid"))
		topology.MapValues(topology.From(b, text("mid")), func(v string) string { return v + "!" }).To(text("out"))
	})
	eostest.Send(d, text("in"), "a", "1", at(7))
	want := record{Key: "a", Value: "1", Timestamp: 7}
	assert.Equal(t, []record{want}, eostest.Read(d, text("by-key-repartition")), "a repartition topic can be read by its logical name")
	assert.Equal(t, []record{want}, eostest.Read(d, text("mid")), "and so can a topic that is read as well")
	assert.Equal(t, []record{{Key: "a", Value: "1!", Timestamp: 7}}, eostest.Read(d, text("out")))
	assert.Empty(t, eostest.Read(d, text("out")), "what was read is gone")
}

func TestLowestTimestampFirst(t *testing.T) {
	d := driver(t, func(b *topology.Builder) {
		in := topology.From(b, text("in"))
		later := topology.Process(in, func(ctx *topology.Context[string, string]) func(record) error {
			return func(r record) error {
				r.Timestamp += 10
				return ctx.Forward(r)
			}
		})
		later.To(text("slow"))
		in.To(text("fast"))
		all := []topology.Topic[string, string]{text("slow"), text("fast")}
		topology.FromTopics(b, all).To(text("out"))
	})
	eostest.Send(d, text("in"), "a", "1", at(7))
	out := eostest.Read(d, text("out"))
	require.Len(t, out, 2)
	assert.Equal(t, int64(7), out[0].Timestamp, "although the other was sent first")
	assert.Equal(t, int64(17), out[1].Timestamp)
}

func TestNullAndHeadersPass(t *testing.T) {
	d := driver(t, func(b *topology.Builder) { topology.From(b, text("in")).To(text("out")) })
	headers := topology.Headers{{Key: "h", Value: []byte("1")}, {Key: "h"}}
	eostest.SendRecord(d, text("in"), record{Timestamp: 1, Headers: headers}.WithNullKey().WithNullValue())
	eostest.Send(d, text("in"), "", "", at(2))
	out := eostest.Read(d, text("out"))
	require.Len(t, out, 2)
	assert.True(t, out[0].KeyIsNull() && out[0].ValueIsNull())
	assert.Equal(t, headers, out[0].Headers)
	assert.False(t, out[1].KeyIsNull() || out[1].ValueIsNull(), "empty is not null")

	bytes := topology.NewTopic("in", codec.Bytes, codec.Bytes)
	eostest.Send(d, bytes, nil, []byte{}, at(3))
	raw := d.ReadRaw("out")
	require.Len(t, raw, 1)
	assert.Nil(t, raw[0].Key, "a nil of a type that has one is null")
	assert.Equal(t, []byte{}, raw[0].Value)
}

func TestZeroTimeIsTheWallClock(t *testing.T) {
	d := driver(t, func(b *topology.Builder) { topology.From(b, text("in")).To(text("out")) }, eostest.WallClock(at(500)))
	d.AdvanceWallClock(20 * time.Millisecond)
	eostest.Send(d, text("in"), "a", "1", time.Time{})
	assert.Equal(t, int64(520), eostest.Read(d, text("out"))[0].Timestamp)
	assert.Equal(t, at(520).UTC(), d.Now())
}

func TestTimestampExtractor(t *testing.T) {
	var partitionTimes []int64
	d := driver(t, func(b *topology.Builder) {
		topology.From(b, text("in"), topology.Timestamps(func(r record, partitionTime int64) (int64, bool, error) {
			partitionTimes = append(partitionTimes, partitionTime)
			return int64(len(r.Value)), r.Value != "", nil
		})).To(text("out"))
	})
	for _, v := range []string{"four", "", "six six", "1"} {
		eostest.Send(d, text("in"), "a", v, at(100))
	}
	var got []int64
	for _, r := range eostest.Read(d, text("out")) {
		got = append(got, r.Timestamp)
	}
	assert.Equal(t, []int64{4, 7, 1}, got)
	assert.Equal(t, []int64{-1, 4, 4, 7}, partitionTimes)
	assert.Equal(t, 1, d.Dropped(topology.DropInvalidTimestamp))
}

func TestFailuresFailTheTest(t *testing.T) {
	number := topology.NewTopic("in", codec.String, codec.Int64)
	define := func(b *topology.Builder) {
		topology.From(b, number).To(topology.NewTopic("out", codec.String, codec.Int64))
	}
	tests := map[string]struct {
		do   func(*eostest.Driver)
		want string
	}{
		"record":        {func(d *eostest.Driver) { eostest.Send(d, text("in"), "a", "x", at(1)) }, "decode value"},
		"no timestamp":  {func(d *eostest.Driver) { eostest.Send(d, number, "a", 1, at(-1)) }, "timestamp -1"},
		"unknown topic": {func(d *eostest.Driver) { eostest.Send(d, text("inn"), "a", "x", at(1)) }, `does not read topic "inn"`},
		"unreadable": {func(d *eostest.Driver) {
			eostest.Send(d, number, "a", 1, at(1))
			eostest.Read(d, topology.NewTopic("out", codec.String, codec.Bool))
		}, "decode value of topic out"},
		"not to be sent": {func(d *eostest.Driver) {
			eostest.Send(d, topology.NewTopic("in", codec.String, codec.JSON[func()]()), "a", func() {}, at(1))
		}, "encode value for topic in"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			failures := r.run(func() { tc.do(driver(r, define)) })
			require.Len(t, failures, 1)
			assert.Contains(t, failures[0], tc.want)
		})
	}
}

func TestAPanicShowsItsStack(t *testing.T) {
	r := &recorder{}
	failures := r.run(func() {
		d := driver(r, func(b *topology.Builder) { topology.From(b, text("in")).ForEach(func(record) { panic("boom") }) })
		eostest.Send(d, text("in"), "a", "x", at(1))
	})
	require.Len(t, failures, 1)
	assert.Contains(t, failures[0], "boom")
	assert.Contains(t, failures[0], "driver_test.go")
}

func TestFailuresCollected(t *testing.T) {
	d := driver(t, func(b *topology.Builder) {
		topology.From(b, topology.NewTopic("in", codec.String, codec.Int64)).To(topology.NewTopic("out", codec.String, codec.Int64))
	}, eostest.Errors())
	eostest.Send(d, text("in"), "a", "x", at(1))
	eostest.Send(d, topology.NewTopic("in", codec.String, codec.Int64), "a", 5, at(1))
	errs := d.Errors()
	require.Len(t, errs, 1)
	var re *topology.RecordError
	require.ErrorAs(t, errs[0], &re)
	assert.Equal(t, topology.Deserialization, re.Stage)
	assert.Equal(t, "in-0@0", fmt.Sprintf("%s-%d@%d", re.Topic, re.Partition, re.Offset))
	assert.Len(t, d.ReadRaw("out"), 1, "the next record is not affected")
	assert.Empty(t, d.Errors())
}

func TestInstancesAreClosed(t *testing.T) {
	closed, r := 0, &recorder{}
	d := driver(r, func(b *topology.Builder) {
		topology.Process(topology.From(b, text("in")), func(ctx *topology.Context[string, string]) func(record) error {
			ctx.OnClose(func() { closed++ })
			ctx.OnClose(func() { panic("cannot close") })
			return ctx.Forward
		}).To(text("out"))
	})
	eostest.Send(d, text("in"), "a", "x", at(1))
	assert.Zero(t, closed)
	for _, f := range r.cleanups {
		f()
	}
	assert.Equal(t, 1, closed)
	require.Len(t, r.failures, 1)
	assert.Contains(t, r.failures[0], "cannot close")
}

// Without the bound a topology that feeds itself would hang a user's test.
func TestATopologyThatFeedsItselfIsStopped(t *testing.T) {
	r := &recorder{}
	failures := r.run(func() {
		d := driver(r, func(b *topology.Builder) {
			yes := func(string, string) bool { return true }
			topology.From(b, text("a")).Filter(yes).To(text("a"))
		})
		eostest.Send(d, text("a"), "a", "x", at(1))
	})
	require.Len(t, failures, 1)
	assert.Contains(t, failures[0], "feeds itself")
}
