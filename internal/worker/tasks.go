package worker

import (
	"cmp"
	"slices"

	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
	"github.com/eosproc/eosproc/txn"
)

// taskTable holds the tasks of a worker and finds the input of a partition.
type taskTable struct {
	byID    map[topology.TaskID]*task.Task
	ordered []*task.Task
	inputs  map[string]map[int32]*task.Input
}

func newTaskTable() *taskTable {
	return &taskTable{byID: map[topology.TaskID]*task.Task{}, inputs: map[string]map[int32]*task.Input{}}
}

func (tt *taskTable) all() []*task.Task { return tt.ordered }

func (tt *taskTable) input(topic string, partition int32) *task.Input {
	return tt.inputs[topic][partition]
}

func (tt *taskTable) add(t *task.Task) {
	tt.byID[t.ID()] = t
	tt.ordered = append(tt.ordered, t)
	slices.SortFunc(tt.ordered, func(a, b *task.Task) int {
		return cmp.Or(cmp.Compare(a.ID().SubTopology, b.ID().SubTopology), cmp.Compare(a.ID().Partition, b.ID().Partition))
	})
}

func (tt *taskTable) attach(t *task.Task, topic, logical string, partition int32) error {
	if tt.input(topic, partition) != nil {
		return nil
	}
	if err := t.AddInput(topic, logical, partition); err != nil {
		return err
	}
	if tt.inputs[topic] == nil {
		tt.inputs[topic] = map[int32]*task.Input{}
	}
	tt.inputs[topic][partition] = t.Input(topic, partition)
	return nil
}

func (tt *taskTable) remove(t *task.Task) {
	delete(tt.byID, t.ID())
	tt.ordered = slices.DeleteFunc(tt.ordered, func(x *task.Task) bool { return x == t })
	for _, in := range t.Inputs() {
		delete(tt.inputs[in.Topic()], in.Partition())
	}
}

func (tt *taskTable) ids() []topology.TaskID {
	out := make([]topology.TaskID, len(tt.ordered))
	for i, t := range tt.ordered {
		out[i] = t.ID()
	}
	return out
}

// offsets returns the positions of all inputs whose position is known (R6),
// by topic and partition.
func (tt *taskTable) offsets() []txn.Offset {
	var out []txn.Offset
	for _, t := range tt.ordered {
		for _, in := range t.Inputs() {
			if in.Position() < 0 {
				continue
			}
			out = append(out, txn.Offset{Topic: in.Topic(), Partition: in.Partition(), Next: in.Position(), LeaderEpoch: in.LeaderEpoch(), StreamTime: in.Time()})
		}
	}
	slices.SortFunc(out, func(a, b txn.Offset) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return out
}

func (tt *taskTable) moved() bool {
	return slices.ContainsFunc(tt.ordered, (*task.Task).Moved)
}
