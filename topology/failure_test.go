package topology_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/topology"
)

var errRefused = errors.New("refused")

// refuse fails for the value "bad" and panics for the value "worse".
func refuse(s text) text {
	return topology.Process(s, func(ctx *topology.Context[string, string]) func(record) error {
		return func(r record) error {
			switch r.Value {
			case "bad":
				return errRefused
			case "worse":
				panic("too bad")
			}
			return ctx.Forward(r)
		}
	}, topology.Named("refuse"))
}

// values writes what came out, in order.
func values(d *eostest.Driver, topic string) string {
	var all []string
	for _, r := range eostest.Read(d, textTopic(topic)) {
		all = append(all, r.Value)
	}
	return strings.Join(all, " ")
}

// The first branch has emitted when the second fails: nothing of the record may
// stay, and nothing of its neighbours may go.
func TestAFailedRecordLeavesNothing(t *testing.T) {
	for _, bad := range []string{"bad", "worse"} {
		t.Run(bad, func(t *testing.T) {
			d := driver(t, func(b *topology.Builder) {
				s := topology.FlatMapValues(read(b, "in"), strings.Fields)
				s.To(textTopic("early"))
				s.Repartition(textTopic("again")).To(textTopic("behind"))
				refuse(s).To(textTopic("late"))
			}, eostest.Errors())
			for i, v := range []string{"a b", "c " + bad + " d", "e"} {
				eostest.Send(d, textTopic("in"), "k", v, time.UnixMilli(int64(i)))
			}
			assert.Equal(t, "a b e", values(d, "early"))
			assert.Equal(t, "a b e", values(d, "behind"))
			assert.Equal(t, "a b e", values(d, "late"))
			assert.Len(t, d.Errors(), 1)
		})
	}
}

func TestAFailureNamesRecordAndOperator(t *testing.T) {
	number := topology.NewTopic("in", codec.Int64, codec.Int64)
	null := func(r record) topology.Destination { return topology.Destination{Topic: "no/topic"} }
	tests := map[string]struct {
		define func(*topology.Builder)
		value  string
		stage  topology.Stage
		node   string
		is     error
		stack  bool
	}{
		"decode": {func(b *topology.Builder) {
			topology.From(b, number, topology.Named("read")).To(topology.NewTopic("out", codec.Int64, codec.Int64))
		}, "x", topology.Deserialization, "read", codec.ErrMalformed, false},
		"process": {func(b *topology.Builder) { refuse(read(b, "in")).Filter(yes).To(textTopic("out")) }, "bad", topology.Processing, "refuse", errRefused, false},
		"inner of two processors": {func(b *topology.Builder) {
			outer := topology.Process(read(b, "in"), func(ctx *topology.Context[string, string]) func(record) error { return ctx.Forward }, topology.Named("outer"))
			refuse(outer).To(textTopic("out"))
		}, "bad", topology.Processing, "refuse", errRefused, false},
		"panic": {func(b *topology.Builder) { refuse(read(b, "in")) }, "worse", topology.Processing, "", topology.ErrPanic, true},
		"encode": {func(b *topology.Builder) {
			s := topology.MapValues(read(b, "in"), func(string) func() { return func() {} })
			s.To(topology.NewTopic("out", codec.String, codec.JSON[func()]()), topology.Named("write"))
		}, "x", topology.Production, "write", nil, false},
		"topic name": {func(b *topology.Builder) {
			read(b, "in").ToChosen(codec.String, codec.String, null, topology.Named("write"))
		}, "x", topology.Production, "write", nil, false},
		"print": {func(b *topology.Builder) { read(b, "in").Print(brokenWriter{}, "x", topology.Named("print")) }, "x", topology.Processing, "print", errRefused, false},
		"timestamp": {func(b *topology.Builder) {
			read(b, "in", topology.Named("read"), topology.Timestamps(func(record, int64) (int64, bool, error) { return 0, false, errRefused })).To(textTopic("out"))
		}, "x", topology.Deserialization, "read", errRefused, false},
		"panic in the timestamp extractor": {func(b *topology.Builder) {
			read(b, "in", topology.Named("read"), topology.Timestamps(func(record, int64) (int64, bool, error) { panic("no time") })).To(textTopic("out"))
		}, "x", topology.Deserialization, "read", topology.ErrPanic, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			d := driver(t, tc.define, eostest.Errors())
			d.SendRaw("in", topology.RawRecord{Key: []byte("12345678"), Value: []byte(tc.value), Timestamp: 1})
			errs := d.Errors()
			require.Len(t, errs, 1)
			var re *topology.RecordError
			require.ErrorAs(t, errs[0], &re)
			assert.Equal(t, tc.stage, re.Stage)
			assert.Equal(t, tc.node, re.Node)
			assert.Equal(t, "in", re.Topic)
			assert.Equal(t, int64(0), re.Offset)
			if tc.is != nil {
				assert.ErrorIs(t, errs[0], tc.is)
			}
			assert.Equal(t, tc.stack, len(re.Stack) > 0)
			assert.NotContains(t, errs[0].Error(), "12345678", "the content of a record is no part of an error")
			assert.Contains(t, errs[0].Error(), "in-0@0")
		})
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errRefused }

func TestAConstructorMayPanic(t *testing.T) {
	closed := false
	topo := build(t, func(b *topology.Builder) {
		topology.Process(read(b, "in"), func(ctx *topology.Context[string, string]) func(record) error {
			ctx.OnClose(func() { closed = true })
			ctx.Schedule(0, topology.WallClock, func(int64) error { return nil })
			return ctx.Forward
		}, topology.Named("hasty"))
	})
	_, err := topo.SubTopologies()[0].NewInstance(3, topology.Env{Now: func() int64 { return 0 }})
	require.ErrorIs(t, err, topology.ErrPanic)
	assert.ErrorContains(t, err, "make task 0_3")
	assert.ErrorContains(t, err, "hasty schedules a punctuation every 0 ms")
	assert.True(t, closed, "what was opened is closed")
}
