package metrics

import (
	"sync"

	"github.com/eosproc/eosproc/internal/worker"
	"github.com/eosproc/eosproc/topology"
)

// owned is what each worker has, to tell what moves away.
type owned struct {
	mu     sync.Mutex
	states map[int]worker.State
	tasks  map[int]map[topology.TaskID]bool
	names  map[topology.TaskID]string // labels, made once
}

func newOwned() owned {
	return owned{states: map[int]worker.State{}, tasks: map[int]map[topology.TaskID]bool{}, names: map[topology.TaskID]string{}}
}

// state notes a worker's state and returns the one before, empty at first.
func (o *owned) state(index int, s worker.State) worker.State {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.states[index]
	o.states[index] = s
	return before
}

func (o *owned) name(id topology.TaskID) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	name, ok := o.names[id]
	if !ok {
		name = id.String()
		o.names[id] = name
	}
	return name
}

// assign notes a worker's tasks and returns the labels of those that no worker
// has any more. A task may move between two workers of one process.
func (o *owned) assign(index int, ids []topology.TaskID) (gone []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.tasks[index]
	now := make(map[topology.TaskID]bool, len(ids))
	for _, id := range ids {
		now[id] = true
	}
	o.tasks[index] = now
	for id := range before {
		if name, named := o.names[id]; named && !o.held(id) {
			gone = append(gone, name)
			delete(o.names, id)
		}
	}
	return gone
}

func (o *owned) held(id topology.TaskID) bool {
	for _, tasks := range o.tasks {
		if tasks[id] {
			return true
		}
	}
	return false
}
