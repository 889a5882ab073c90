package task

import (
	"fmt"

	"github.com/eosproc/eosproc/topology"
)

// Cut is a task's state at the moment a commit was sealed.
type Cut struct {
	t        *Task
	snapshot topology.Snapshot
	inputs   []inputCut
}

type inputCut struct {
	q          *queue
	next, time int64
}

// Cut notes what a commit that is sealed now covers, and gives log what it has
// changed in stores.
func (t *Task) Cut(log Log) (Cut, error) {
	if err := t.seal(log); err != nil {
		return Cut{}, fmt.Errorf("seal task %s: %w", t.id, err)
	}
	c := Cut{t: t, snapshot: t.in.Snapshot(), inputs: make([]inputCut, 0, len(t.queues))}
	for _, q := range t.queues {
		// An input that gets its position while the commit is under way is not part of it.
		if q.next >= 0 {
			c.inputs = append(c.inputs, inputCut{q, q.next, q.time})
		}
	}
	return c, nil
}

// Committed makes the cut what a later [Task.Rewind] goes back to. An error means
// that the stores could not take it: the task must not go on with them.
func (c Cut) Committed(logged Logged) error {
	if err := c.commitState(logged); err != nil {
		return err
	}
	c.t.committed = c.snapshot
	for _, in := range c.inputs {
		in.q.committed, in.q.committedTime = in.next, in.time
		for offset := range in.q.refused {
			if offset < in.next {
				delete(in.q.refused, offset)
			}
		}
	}
	return nil
}

// Moved reports whether the task is ahead of its last commit: a commit would not be empty.
func (t *Task) Moved() bool {
	if t.state != nil && t.state.Moved() {
		return true
	}
	for _, q := range t.queues {
		if q.next != q.committed {
			return true
		}
	}
	return false
}
