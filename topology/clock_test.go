package topology_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/topology"
)

// ticking forwards a record "now" at every punctuation, and no records.
func ticking(s text, every time.Duration, clock topology.Clock) text {
	return topology.Process(s, func(ctx *topology.Context[string, string]) func(record) error {
		ctx.Schedule(every, clock, func(now int64) error {
			if _, ok := ctx.Source(); ok {
				return fmt.Errorf("a punctuation has no record")
			}
			return ctx.Forward(record{Key: "k", Value: fmt.Sprint(now), Timestamp: now})
		})
		return func(record) error { return nil }
	})
}

// The first call comes with the first record, the next at the smallest multiple
// of the interval beyond; many missed turns make one call.
func TestStreamTimePunctuation(t *testing.T) {
	d := driver(t, func(b *topology.Builder) {
		ticking(read(b, "in"), 10*time.Millisecond, topology.StreamTime).To(textTopic("out"))
	})
	for _, step := range []struct {
		at   int64
		want string
	}{{3, "3"}, {9, ""}, {10, "10"}, {5, ""}, {19, ""}, {47, "47"}, {49, ""}, {50, "50"}, {50, ""}} {
		eostest.Send(d, textTopic("in"), "k", "v", time.UnixMilli(step.at))
		assert.Equal(t, step.want, values(d, "out"), "at %d", step.at)
	}
	d.AdvanceWallClock(time.Hour)
	assert.Empty(t, values(d, "out"), "the wall clock does not move stream time")
}

func TestWallClockPunctuation(t *testing.T) {
	d := driver(t, func(b *topology.Builder) {
		ticking(read(b, "in"), 10*time.Millisecond, topology.WallClock).To(textTopic("out"))
	},
		eostest.WallClock(time.UnixMilli(100)))
	for _, step := range []struct {
		by   int64
		want string
	}{{9, ""}, {1, "110"}, {5, ""}, {30, "145"}, {4, ""}, {1, "150"}} {
		d.AdvanceWallClock(time.Duration(step.by) * time.Millisecond)
		assert.Equal(t, step.want, values(d, "out"), "after %d ms", step.by)
	}
	eostest.Send(d, textTopic("in"), "k", "v", time.UnixMilli(1e6))
	assert.Empty(t, values(d, "out"), "records do not move the wall clock")
}

// The processors behind a pattern have their clocks before a topic is there.
func TestAPatternsProcessorsBeginAtOnce(t *testing.T) {
	d := driver(t, func(b *topology.Builder) {
		s := topology.FromPattern(b, "x-.*", textTopic("x").Key, textTopic("x").Value)
		ticking(s, 10*time.Millisecond, topology.WallClock).To(textTopic("out"))
	})
	d.AdvanceWallClock(10 * time.Millisecond)
	assert.Equal(t, "10", values(d, "out"))
}

func TestCancelledPunctuation(t *testing.T) {
	calls := 0
	d := driver(t, func(b *topology.Builder) {
		topology.Process(read(b, "in"), func(ctx *topology.Context[string, string]) func(record) error {
			var cancel func()
			cancel = ctx.Schedule(time.Millisecond, topology.WallClock, func(int64) error {
				if calls++; calls == 2 {
					cancel()
				}
				return nil
			})
			return ctx.Forward
		})
	})
	for range 5 {
		d.AdvanceWallClock(time.Millisecond)
	}
	assert.Equal(t, 2, calls)
}

// A record with the largest possible timestamp must not keep the task busy for ever.
func TestPunctuationAtTheEndOfTime(t *testing.T) {
	d := driver(t, func(b *topology.Builder) { ticking(read(b, "in"), time.Hour, topology.StreamTime).To(textTopic("out")) })
	eostest.Send(d, textTopic("in"), "k", "v", time.UnixMilli(5))
	d.SendRaw("in", topology.RawRecord{Timestamp: math.MaxInt64})
	assert.Equal(t, fmt.Sprint("5 ", int64(math.MaxInt64)), values(d, "out"))
}

// failing forwards and then fails at its second and panics at its third call.
func failing(s text, clock topology.Clock) text {
	return topology.Process(s, func(ctx *topology.Context[string, string]) func(record) error {
		calls := 0
		ctx.Schedule(time.Millisecond, clock, func(now int64) error {
			calls++
			err := ctx.Forward(record{Key: "k", Value: fmt.Sprint("tick-", calls), Timestamp: now})
			switch calls {
			case 2:
				return errRefused
			case 3:
				panic("too bad")
			}
			return err
		})
		return ctx.Forward
	}, topology.Named("ticker"))
}

// What a failing punctuation forwarded is taken back; the record that set it off stands.
func TestAFailedPunctuationLeavesNothing(t *testing.T) {
	for name, clock := range map[string]topology.Clock{"stream": topology.StreamTime, "wall": topology.WallClock} {
		t.Run(name, func(t *testing.T) {
			d := driver(t, func(b *topology.Builder) { failing(read(b, "in"), clock).To(textTopic("out")) }, eostest.Errors())
			want := ""
			for i := range 4 {
				if clock == topology.StreamTime {
					eostest.Send(d, textTopic("in"), "k", fmt.Sprint("r", i), time.UnixMilli(int64(i)))
					want = "r0 tick-1 r1 r2 r3 tick-4"
				} else {
					d.AdvanceWallClock(time.Millisecond)
					want = "tick-1 tick-4"
				}
			}
			assert.Equal(t, want, values(d, "out"))
			errs := d.Errors()
			require.Len(t, errs, 2)
			assert.EqualError(t, errs[0], "processing of punctuation in ticker: refused")
			assert.ErrorIs(t, errs[1], topology.ErrPanic)
			var re *topology.RecordError
			require.ErrorAs(t, errs[1], &re)
			assert.Equal(t, "ticker", re.Node)
			assert.Empty(t, re.Topic)
			assert.NotEmpty(t, re.Stack)
		})
	}
}

// After an abort a task goes on in a new instance: punctuations are due when
// they were at the snapshot, also behind one that was cancelled.
func TestPunctuationsAreRestored(t *testing.T) {
	topo := build(t, func(b *topology.Builder) {
		s := topology.Process(read(b, "in"), func(ctx *topology.Context[string, string]) func(record) error {
			cancel := ctx.Schedule(time.Millisecond, topology.StreamTime, func(int64) error { return nil })
			return func(r record) error {
				cancel()
				return ctx.Forward(r)
			}
		})
		ticking(s, 100*time.Millisecond, topology.StreamTime).To(textTopic("out"))
	})
	env := topology.Env{Now: func() int64 { return 0 }}
	process := func(in *topology.Instance, ms int64) (ticks int) {
		s, ok := in.Open("in")
		require.True(t, ok)
		require.NoError(t, in.Process(s, &topology.RawRecord{Topic: "in", Value: []byte("v"), Timestamp: ms}))
		return len(in.Outputs())
	}
	first, err := topo.SubTopologies()[0].NewInstance(0, env)
	require.NoError(t, err)
	assert.Equal(t, 1, process(first, 150), "the first record")
	snapshot := first.Snapshot()
	assert.Equal(t, 1, process(first, 200))

	second, err := topo.SubTopologies()[0].NewInstance(0, env)
	require.NoError(t, err)
	second.Restore(snapshot)
	assert.Equal(t, int64(150), second.StreamTime())
	assert.Equal(t, 0, process(second, 160), "not due again")
	assert.Equal(t, 1, process(second, 200))
}
