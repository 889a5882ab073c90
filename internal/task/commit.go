package task

import "github.com/eosproc/eosproc/topology"

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

// Cut notes what a commit that is sealed now covers.
func (t *Task) Cut() Cut {
	c := Cut{t: t, snapshot: t.in.Snapshot(), inputs: make([]inputCut, 0, len(t.queues))}
	for _, q := range t.queues {
		// An input that gets its position while the commit is under way is not part of it.
		if q.next >= 0 {
			c.inputs = append(c.inputs, inputCut{q, q.next, q.time})
		}
	}
	return c
}

// Committed makes the cut what a later [Task.Rewind] goes back to.
func (c Cut) Committed() {
	c.t.committed = c.snapshot
	for _, in := range c.inputs {
		in.q.committed, in.q.committedTime = in.next, in.time
		for offset := range in.q.refused {
			if offset < in.next {
				delete(in.q.refused, offset)
			}
		}
	}
}

// Moved reports whether the task is ahead of its last commit: a commit would not be empty.
func (t *Task) Moved() bool {
	for _, q := range t.queues {
		if q.next != q.committed {
			return true
		}
	}
	return false
}
