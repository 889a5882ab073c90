package task_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
)

type record = topology.Record[string, string]

func text(name string) topology.Topic[string, string] {
	return topology.NewTopic(name, codec.String, codec.String)
}

// emitted is an output with the input record that caused it.
type emitted struct {
	topology.Output
	from   string
	offset int64
}

func (e emitted) String() string { return string(e.Value) }

// rig is one task with a clock of its own and notes of all that it does.
type rig struct {
	t       *testing.T
	task    *task.Task
	cfg     *task.Config
	now     time.Time
	out     []emitted
	dropped []string
	failed  []task.Action
	retried int
	emitErr error
	logged  []change
	ends    map[string]int64
}

// change is a record for the changelog of a store.
type change struct {
	store string
	topology.Output
}

func newRig(t *testing.T, define func(*topology.Builder), cfg task.Config, topics ...string) *rig {
	b := topology.NewBuilder()
	define(b)
	topo, err := b.Build()
	require.NoError(t, err)
	require.Len(t, topo.SubTopologies(), 1)
	r := &rig{t: t, now: time.UnixMilli(1_000_000)}
	cfg.ApplicationID = "app"
	cfg.Now = func() time.Time { return r.now }
	cfg.Observe = task.Observer{
		Dropped: func(_ topology.TaskID, reason string) { r.dropped = append(r.dropped, reason) },
		Failed:  func(_ topology.TaskID, a task.Action, _ *topology.RecordError) { r.failed = append(r.failed, a) },
		Retried: func(topology.TaskID) { r.retried++ },
	}
	r.cfg = &cfg
	r.task, err = task.New(topo.SubTopologies()[0], 0, r.cfg)
	require.NoError(t, err)
	for _, topic := range topics {
		require.NoError(t, r.task.AddInput(topic, topic, 0))
		r.in(topic).SetPosition(0, -1, -1)
	}
	return r
}

func copied(b *topology.Builder) { topology.From(b, text("a")).To(text("out")) }

func merged(b *topology.Builder) {
	topology.From(b, text("a")).Merge(topology.From(b, text("b"))).To(text("out"))
}

func (r *rig) in(topic string) *task.Input { return r.task.Input(topic, 0) }

// add puts a record into the queue of a topic.
func (r *rig) add(topic string, offset, ms int64, value string) {
	raw := r.in(topic).Add(offset, 7)
	raw.Topic, raw.Partition, raw.Offset, raw.Timestamp = topic, 0, offset, ms
	raw.Key, raw.Value = []byte("k"), []byte(value)
}

// cut seals; what it logs of stores is kept in r.logged.
func (r *rig) cut() task.Cut {
	c, err := r.task.Cut(func(store string, o topology.Output) error {
		r.logged = append(r.logged, change{store, o})
		return nil
	})
	require.NoError(r.t, err)
	return c
}

// committed ends a commit; each changelog ends at r.ends.
func (r *rig) committed(c task.Cut) {
	require.NoError(r.t, c.Committed(func(store string) (int64, bool) { next, ok := r.ends[store]; return next, ok }))
}

func (r *rig) commit() { r.committed(r.cut()) }

func (r *rig) emit(in *task.Input, offset int64, outputs []topology.Output) error {
	if r.emitErr != nil {
		return r.emitErr
	}
	for _, o := range outputs {
		from := ""
		if in != nil {
			from = in.Topic()
		}
		r.out = append(r.out, emitted{o, from, offset})
	}
	return nil
}

func (r *rig) process(limit int) int {
	n, err := r.task.Process(limit, r.emit)
	require.NoError(r.t, err)
	return n
}

// take returns the values emitted since the last call.
func (r *rig) take() string {
	s := fmt.Sprint(r.out)
	r.out = nil
	return s[1 : len(s)-1]
}
