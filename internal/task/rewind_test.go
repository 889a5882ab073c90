package task_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
)

// ticking forwards every record and, with every punctuation of both clocks, its time.
func ticking(b *topology.Builder) {
	s := topology.From(b, text("a")).Merge(topology.From(b, text("b")))
	topology.Process(s, func(ctx *topology.Context[string, string]) func(record) error {
		tick := func(name string) func(int64) error {
			return func(now int64) error {
				return ctx.Forward(record{Key: "t", Value: fmt.Sprint(name, now), Timestamp: now})
			}
		}
		ctx.Schedule(10*time.Millisecond, topology.StreamTime, tick("s"))
		ctx.Schedule(100*time.Millisecond, topology.WallClock, tick("w"))
		return ctx.Forward
	}).To(text("out"))
}

func TestRewind(t *testing.T) {
	r := newRig(t, ticking, task.Config{MaxIdle: -1}, "a", "b")
	r.add("a", 0, 25, "a0")
	r.process(10)
	require.Equal(t, "a0 s25", r.take())
	r.now = r.now.Add(100 * time.Millisecond)
	require.NoError(t, r.task.Punctuate(r.emit))
	require.Equal(t, "w1000100", r.take())
	cut := r.cut()

	// What comes behind the cut is not part of it.
	r.add("a", 1, 41, "a1")
	r.process(10)
	require.Equal(t, "a1 s41", r.take())
	r.committed(cut)
	require.True(t, r.task.Moved())
	r.add("a", 2, 300, "a2")
	r.process(10)
	require.Equal(t, "a2 s300", r.take())
	r.now = r.now.Add(250 * time.Millisecond)
	require.NoError(t, r.task.Punctuate(r.emit))
	require.Equal(t, "w1000350", r.take())

	require.NoError(t, r.task.Rewind())
	require.EqualValues(t, 1, r.in("a").Position())
	require.EqualValues(t, 25, r.in("a").Time())
	require.False(t, r.task.Moved())
	require.Zero(t, r.task.Buffered())
	r.in("a").SetPosition(1, 25, -1) // as read back
	r.in("b").SetPosition(0, -1, -1)
	require.NoError(t, r.task.Punctuate(r.emit))
	require.Equal(t, "w1000350", r.take(), "the wall-clock punctuation of the abort comes again, once")
	r.add("a", 1, 26, "again")
	r.process(10)
	require.Equal(t, "again", r.take(), "stream time is 26: no punctuation is due before 30")
	r.add("a", 2, 30, "due")
	r.process(10)
	require.Equal(t, "due s30", r.take())
	require.NoError(t, r.task.Close())
}

// A partition that joins a running task brings its own time; the task's time and
// punctuations never go back, or some would come twice.
func TestAPartitionJoinsARunningTask(t *testing.T) {
	r := newRig(t, ticking, task.Config{MaxIdle: -1}, "a")
	r.add("a", 0, 15, "a0")
	r.process(10)
	require.Equal(t, "a0 s15", r.take())
	r.commit()
	r.add("a", 1, 1000, "a1")
	r.process(10)
	require.Equal(t, "a1 s1000", r.take())
	require.NoError(t, r.task.AddInput("b", "b", 0))
	r.in("b").SetPosition(5, 700, 5)
	r.add("a", 2, 1001, "a2")
	r.process(10)
	require.Equal(t, "a2", r.take(), "the punctuation at 1000 has been")
	r.add("a", 3, 1010, "a3")
	r.process(10)
	require.Equal(t, "a3 s1010", r.take())

	r.in("b").SetPosition(5, 5000, 5) // one that is ahead takes the task along
	r.add("a", 4, 1020, "a4")
	r.process(10)
	require.Equal(t, "a4 s5000", r.take())
}

// An input gets its position while a commit is under way that was sealed before:
// the commit says nothing about it, and an abort goes back to that position.
func TestPositionDuringACommit(t *testing.T) {
	r := newRig(t, ticking, task.Config{MaxIdle: -1}, "a")
	require.NoError(t, r.task.AddInput("b", "b", 0))
	require.False(t, r.task.Moved(), "an input without a position is no reason to commit")
	cut := r.cut()
	r.in("b").SetPosition(7, 70, 9)
	r.committed(cut)
	require.False(t, r.task.Moved())
	require.EqualValues(t, 7, r.in("b").Committed())
	require.NoError(t, r.task.Rewind())
	require.EqualValues(t, 7, r.in("b").Position())
	require.EqualValues(t, 70, r.in("b").Time())
}

// A restarted task goes on in the committed stream time.
func TestStreamTimeOfARestart(t *testing.T) {
	seen := []int64{}
	define := func(b *topology.Builder) {
		s := topology.From(b, text("a")).Merge(topology.From(b, text("b")))
		topology.Process(s, func(ctx *topology.Context[string, string]) func(record) error {
			return func(rec record) error { seen = append(seen, ctx.StreamTime()); return ctx.Forward(rec) }
		}).To(text("out"))
	}
	r := newRig(t, define, task.Config{MaxIdle: -1}, "a", "b")
	r.in("a").SetPosition(3, 900, -1)
	r.in("b").SetPosition(4, 400, -1)
	r.add("b", 4, 500, "x")
	r.process(10)
	require.Equal(t, []int64{900}, seen)
	require.NoError(t, r.task.Rewind())
	r.add("b", 4, 500, "x")
	r.process(10)
	require.Equal(t, []int64{900, 900}, seen)
}

func TestErrorOfEmitMovesNothing(t *testing.T) {
	r := newRig(t, copied, task.Config{}, "a")
	r.add("a", 0, 1, "x")
	r.emitErr = fmt.Errorf("no transaction")
	n, err := r.task.Process(10, r.emit)
	require.Zero(t, n)
	require.ErrorIs(t, err, r.emitErr)
	require.Zero(t, r.in("a").Position())
}

// The ring of a queue grows, wraps and shrinks in use without losing its order.
func TestQueueGrowsAndStays(t *testing.T) {
	r := newRig(t, copied, task.Config{}, "a")
	next := int64(0)
	for round := range 50 {
		for range 10 + 37*round%300 {
			r.add("a", next, next, fmt.Sprint(next))
			next++
		}
		r.process(5 + 91*round%250)
	}
	for r.process(100) > 0 {
	}
	require.Len(t, r.out, int(next))
	for i, o := range r.out {
		require.Equal(t, fmt.Sprint(i), string(o.Value))
		require.EqualValues(t, i, o.offset)
		require.Equal(t, "a", o.from)
	}
}
