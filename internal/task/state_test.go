package task_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

var sums = statestore.NewKV("sums", codec.String, codec.String)

// summing appends each value to what its key has, and fails on "bad" after it has stored it.
func summing(b *topology.Builder) {
	topology.Process(topology.From(b, text("a")), func(ctx *topology.Context[string, string]) func(record) error {
		store := sums.Open(ctx)
		ctx.Schedule(time.Second, topology.WallClock, func(int64) error { return store.Put("tick", "tock") })
		return func(r record) error {
			old, _, err := store.Get(r.Key)
			if err != nil {
				return err
			}
			if err := store.Put(r.Key, old+r.Value); err != nil {
				return err
			}
			if r.Value == "bad" {
				return errors.New("bad")
			}
			return ctx.Forward(r.WithValue(old + r.Value))
		}
	}, topology.Stores(sums)).To(text("out"))
}

func (r *rig) changes() string {
	var out []string
	for _, c := range r.logged {
		out = append(out, c.Topic+" "+string(c.Key)+"="+string(c.Value))
	}
	r.logged = nil
	return strings.Join(out, ", ")
}

func TestStoresCommitAndRewindWithTheTask(t *testing.T) {
	base := statestore.NewMemory()
	cfg := task.Config{State: func(topology.TaskID) (*statestore.State, error) { return statestore.NewState(base), nil }}
	r := newRig(t, summing, cfg, "a")
	position := func() map[string]int64 {
		p, err := base.Position()
		require.NoError(t, err)
		return p.Changelogs
	}
	r.add("a", 0, 1, "x")
	r.add("a", 1, 2, "y")
	require.Equal(t, 2, r.process(10))
	require.Equal(t, "x xy", r.take())
	first := r.cut()
	require.Equal(t, "app-sums-changelog k=xy", r.changes(), "one change for each key, in its final form")

	// The next transaction goes on over the sealed one, whose outcome is open.
	r.add("a", 2, 3, "z")
	r.process(10)
	require.Equal(t, "xyz", r.take())
	require.Empty(t, position(), "nothing is in the base before it is committed")
	r.ends = map[string]int64{"sums": 7}
	r.committed(first)
	require.Equal(t, map[string]int64{"sums": 7}, position())

	require.True(t, r.task.Moved())
	require.NoError(t, r.task.Rewind())
	r.in("a").SetPosition(2, 2, -1)
	require.False(t, r.task.Moved())
	r.add("a", 2, 3, "Z")
	r.process(10)
	require.Equal(t, "xyZ", r.take(), "what was not committed is gone, what was has stayed")

	r.cut()
	require.NoError(t, r.task.Rewind(), "sealed, and then aborted")
	r.in("a").SetPosition(2, 2, -1)
	r.add("a", 2, 3, "!")
	r.process(10)
	require.Equal(t, "xy!", r.take())
}

func TestAFailedRecordLeavesNothingInStores(t *testing.T) {
	r := newRig(t, summing, task.Config{Handlers: task.Handlers{Processing: task.Continue}}, "a")
	for i, v := range []string{"x", "bad", "y"} {
		r.add("a", int64(i), int64(i), v)
	}
	require.Equal(t, 3, r.process(10))
	require.Equal(t, "x xy", r.take())
}

// A punctuation without any input is a reason to commit, if it has stored something.
func TestAStoredPunctuationMovesTheTask(t *testing.T) {
	r := newRig(t, summing, task.Config{}, "a")
	require.False(t, r.task.Moved())
	r.now = r.now.Add(time.Second)
	require.NoError(t, r.task.Punctuate(r.emit))
	require.True(t, r.task.Moved())
	r.commit()
	require.Equal(t, "app-sums-changelog tick=tock", r.changes())
	require.False(t, r.task.Moved())
}

// The topic of a table is its changelog: nothing is written twice, and the
// position in it is that of the input.
func TestATableNeedsNoChangelogOfItsOwn(t *testing.T) {
	base := statestore.NewMemory()
	rows := statestore.NewTimestampedKV("rows", codec.String, codec.String)
	define := func(b *topology.Builder) { topology.TableFrom(b, text("a"), rows).Changes().To(text("out")) }
	r := newRig(t, define, task.Config{State: func(topology.TaskID) (*statestore.State, error) { return statestore.NewState(base), nil }}, "a")
	r.add("a", 4, 1, "x")
	r.process(10)
	require.Equal(t, "a", r.task.Changelog("rows"))
	r.commit()
	require.Empty(t, r.changes())
	p, err := base.Position()
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"rows": 5}, p.Changelogs)
}

func TestStoresThatCannotBeOpenedOrWritten(t *testing.T) {
	full := errors.New("disk full")
	b := topology.NewBuilder()
	summing(b)
	topo, err := b.Build()
	require.NoError(t, err)
	cfg := task.Config{Now: time.Now, State: func(topology.TaskID) (*statestore.State, error) { return nil, full }}
	_, err = task.New(topo.SubTopologies()[0], 0, &cfg)
	require.ErrorIs(t, err, full)
	require.ErrorContains(t, err, "0_0")

	broken := &brokenBase{Base: statestore.NewMemory(), err: full}
	r := newRig(t, summing, task.Config{State: func(topology.TaskID) (*statestore.State, error) { return statestore.NewState(broken), nil }}, "a")
	r.add("a", 0, 1, "x")
	r.process(10)
	err = r.cut().Committed(func(string) (int64, bool) { return 1, true })
	require.ErrorIs(t, err, full)
	require.EqualValues(t, 0, r.in("a").Committed(), "a commit that the stores could not take is not one to go back to")
}

type brokenBase struct {
	statestore.Base
	err error
}

func (b *brokenBase) Apply(*statestore.Changes) error { return b.err }
