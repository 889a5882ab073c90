package worker

import (
	"sync/atomic"

	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
	"github.com/eosproc/eosproc/txn"
)

// cut is the state of all tasks at the moment a transaction was sealed.
type cut struct {
	tasks []taskCut
}

type taskCut struct {
	task.Cut
	changelogs map[string]*changelogEnd // by store
}

// changelogEnd learns how far a transaction has written a changelog, from the
// producer's goroutine. Each transaction has its own: what the next one writes
// meanwhile is not part of this one.
type changelogEnd struct{ next atomic.Int64 }

// cutTasks takes the cut of all tasks and adds to the open transaction what their
// stores have to write to their changelogs.
func (w *Worker) cutTasks() (*cut, error) {
	c := &cut{tasks: make([]taskCut, len(w.tasks.all()))}
	for i, t := range w.tasks.all() {
		part := &c.tasks[i]
		var err error
		part.Cut, err = t.Cut(func(store string, o topology.Output) error {
			end := part.changelogs[store]
			if end == nil {
				if part.changelogs == nil {
					part.changelogs = map[string]*changelogEnd{}
				}
				end = &changelogEnd{}
				part.changelogs[store] = end
			}
			return w.emitter.change(end, &o)
		})
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// applied makes the cut what a rewind goes back to. An error is one of the disk.
func (c *cut) applied() error {
	for i := range c.tasks {
		part := &c.tasks[i]
		err := part.Committed(func(store string) (int64, bool) {
			end := part.changelogs[store]
			if end == nil {
				return 0, false
			}
			return end.next.Load(), true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// nothingCut is the payload of a commit that no task has to hear of.
var nothingCut = &cut{}

func cutOf(n *txn.Sealed) *cut { return n.Payload.(*cut) }
