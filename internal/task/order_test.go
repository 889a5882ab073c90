package task_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
)

func TestLowestHeadFirst(t *testing.T) {
	r := newRig(t, merged, task.Config{MaxIdle: -1}, "b", "a")
	r.add("a", 0, 10, "a10")
	r.add("a", 1, 5, "a5") // out of order within its partition: the order of the partition holds
	r.add("a", 2, 30, "a30")
	r.add("b", 0, 7, "b7")
	r.add("b", 1, 10, "b10")
	r.add("b", 2, 30, "b30")
	require.Equal(t, 6, r.process(100))
	require.Equal(t, "b7 a10 a5 b10 a30 b30", r.take(), "equal times: topic, then partition")
	require.Zero(t, r.process(100))
}

func TestTiesByPartition(t *testing.T) {
	r := newRig(t, copied, task.Config{MaxIdle: -1})
	for _, p := range []int32{2, 0, 1} {
		require.NoError(t, r.task.AddInput("a", "a", p))
		in := r.task.Input("a", p)
		in.SetPosition(0, -1, -1)
		raw := in.Add(0, -1)
		*raw = topology.RawRecord{Topic: "a", Partition: p, Timestamp: 1, Key: []byte("k"), Value: []byte{'0' + byte(p)}}
	}
	require.Equal(t, 3, r.process(10))
	require.Equal(t, "0 1 2", r.take())
	require.Error(t, r.task.AddInput("zzz", "zzz", 0))
	require.Nil(t, r.task.Input("zzz", 0))
}

func TestMaxIdle(t *testing.T) {
	const wait = 100 * time.Millisecond
	t.Run("negative never waits", func(t *testing.T) {
		r := newRig(t, merged, task.Config{MaxIdle: -1}, "a", "b")
		r.add("a", 0, 1, "a1")
		require.Equal(t, 1, r.process(10))
	})
	t.Run("zero waits for what the broker has", func(t *testing.T) {
		r := newRig(t, merged, task.Config{}, "a", "b")
		r.add("a", 0, 1, "a1")
		require.Zero(t, r.process(10), "the end of b is unknown")
		r.in("b").SetEnd(2)
		require.Zero(t, r.process(10), "b has records")
		r.add("b", 0, 0, "b0")
		require.Equal(t, 1, r.process(10))
		r.in("b").Pass(1) // the marker at the end
		require.Equal(t, 1, r.process(10), "b is caught up")
		require.Equal(t, "b0 a1", r.take())
		_, ok := r.task.WakeAt()
		require.False(t, ok)
	})
	t.Run("positive waits for what may come", func(t *testing.T) {
		r := newRig(t, merged, task.Config{MaxIdle: wait}, "a", "b")
		r.in("b").SetEnd(0)
		r.add("a", 0, 1, "a1")
		require.Zero(t, r.process(10))
		at, ok := r.task.WakeAt()
		require.True(t, ok)
		require.Equal(t, r.now.Add(wait), at)
		r.now = r.now.Add(wait - 1)
		require.Zero(t, r.process(10))
		r.now = at
		require.Equal(t, 1, r.process(10))
		_, ok = r.task.WakeAt()
		require.False(t, ok, "nothing waits: a wake-up would turn the loop into a busy one")

		// b stays idle, and a is not made to wait again for each record.
		r.add("a", 1, 2, "a2")
		require.Equal(t, 1, r.process(10))
		// b has got something: the next wait is a full one.
		r.in("b").SetEnd(1)
		r.add("b", 0, 3, "b3")
		r.in("a").SetEnd(2)
		require.Zero(t, r.process(10))
		r.now = r.now.Add(wait)
		require.Equal(t, 1, r.process(10))
		r.add("a", 2, 4, "a4")
		require.Zero(t, r.process(10))
		at, _ = r.task.WakeAt()
		require.Equal(t, r.now.Add(wait), at)
	})
}

func TestTimestamps(t *testing.T) {
	extract := map[string]topology.TimestampExtractor[string, string]{
		"fail": topology.FailOnInvalidTimestamp[string, string], "skip": topology.SkipInvalidTimestamp[string, string],
		"partition time": topology.PartitionTimeOnInvalidTimestamp[string, string], "default": nil,
	}
	run := func(t *testing.T, name string, h task.Handlers) *rig {
		r := newRig(t, func(b *topology.Builder) {
			var opts []topology.Option
			if extract[name] != nil {
				opts = append(opts, topology.Timestamps(extract[name]))
			}
			topology.From(b, text("a"), opts...).To(text("out"))
		}, task.Config{Handlers: h}, "a")
		r.add("a", 0, 50, "x")
		r.add("a", 1, -1, "none")
		r.add("a", 2, 60, "y")
		return r
	}
	for _, name := range []string{"fail", "default"} {
		r := run(t, name, task.Handlers{})
		n, err := r.task.Process(10, r.emit)
		require.Equal(t, 1, n)
		require.ErrorIs(t, err, topology.ErrInvalidTimestamp)
		require.EqualValues(t, 1, r.in("a").Position())

		r = run(t, name, task.Handlers{Deserialization: task.Continue})
		require.Equal(t, 3, r.process(10))
		require.Equal(t, "x y", r.take())
		require.Equal(t, []task.Action{task.Continue}, r.failed)
	}
	r := run(t, "skip", task.Handlers{})
	require.Equal(t, 2, r.process(10))
	require.Equal(t, "x y", r.take())
	require.Equal(t, []string{topology.DropInvalidTimestamp}, r.dropped)
	require.EqualValues(t, 3, r.in("a").Position(), "what is skipped is done")

	r = run(t, "partition time", task.Handlers{})
	require.Equal(t, 3, r.process(10))
	require.EqualValues(t, 50, r.out[1].Timestamp)
	require.Equal(t, "x none y", r.take())
}

// Only bad records: the position moves to the end all the same (F4, L35).
func TestSkippedToTheEnd(t *testing.T) {
	r := newRig(t, func(b *topology.Builder) {
		topology.From(b, text("a"), topology.Timestamps(topology.SkipInvalidTimestamp[string, string])).To(text("out"))
	}, task.Config{}, "a")
	for i := range int64(10) {
		r.add("a", i, -1, "x")
	}
	require.Zero(t, r.process(100))
	require.EqualValues(t, 10, r.in("a").Position())
	require.True(t, r.task.Moved())
}

// The committed time of a partition is that of the records that are done: a head
// that waits is read again, and must not count as seen by then.
func TestPartitionTimeCountsWhatIsDone(t *testing.T) {
	r := newRig(t, merged, task.Config{}, "a", "b")
	r.in("a").SetEnd(1)
	r.in("b").SetEnd(2)
	r.add("a", 0, 1000, "a")
	r.add("b", 0, 10, "b")
	require.Equal(t, 1, r.process(10))
	require.EqualValues(t, 10, r.in("b").Time())
	require.EqualValues(t, -1, r.in("a").Time())
	require.EqualValues(t, 0, r.in("a").Position())
}

func TestPositions(t *testing.T) {
	r := newRig(t, copied, task.Config{}, "a")
	in := r.in("a")
	in.SetPosition(10, 500, 40)
	require.EqualValues(t, 10, in.Position())
	require.EqualValues(t, 500, in.Time())
	lag, ok := in.Lag()
	require.True(t, ok)
	require.EqualValues(t, 30, lag)
	require.False(t, r.task.Moved())

	r.add("a", 12, 1, "x") // a gap: compacted, or aborted
	in.Pass(13)            // a marker
	in.Pass(14)
	r.add("a", 20, 2, "y")
	in.Pass(21)
	require.EqualValues(t, 10, in.Position(), "nothing is done")
	require.Equal(t, 2, in.Buffered())
	require.Equal(t, 1, r.process(1))
	require.EqualValues(t, 13, in.Position())
	require.Equal(t, 1, r.process(1))
	require.EqualValues(t, 22, in.Position(), "markers behind the last record are done with it")
	in.Pass(30)
	require.EqualValues(t, 31, in.Position(), "an idle transactional input moves on")
	require.EqualValues(t, 7, in.LeaderEpoch())
	require.True(t, r.task.Moved())
	r.commit()
	require.False(t, r.task.Moved())
	require.EqualValues(t, 31, in.Committed())
}
