package eosproc

import (
	"sync"
	"time"

	"github.com/eosproc/eosproc/internal/worker"
)

// monitor derives the application's state from those of its workers.
type monitor struct {
	worker.Observer
	app *App

	mu      sync.Mutex
	current State
	workers map[int]worker.State
}

func newMonitor(a *App) *monitor {
	return &monitor{Observer: worker.Unobserved{}, app: a, current: Created, workers: map[int]worker.State{}}
}

// State implements [worker.Observer].
func (m *monitor) State(index int, s worker.State) {
	m.Observer.State(index, s)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.workers[index] = s
	m.set(m.derive())
}

// derive follows Kafka Streams: running when all workers run.
func (m *monitor) derive() State {
	running := 0
	for _, s := range m.workers {
		switch s {
		case worker.PendingShutdown, worker.Dead:
			return PendingShutdown
		case worker.Running:
			running++
		}
	}
	if running == m.app.settings.Threads {
		return Running
	}
	return Rebalancing
}

func (m *monitor) ended(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.set(Error)
		return
	}
	m.set(NotRunning)
}

func (m *monitor) set(to State) {
	from := m.current
	if from == to {
		return
	}
	m.current = to
	m.app.log.Info("state", "from", string(from), "to", string(to), "at", time.Now().UTC().Format(time.RFC3339Nano))
	if m.app.onState != nil {
		m.app.onState(from, to)
	}
}

func (m *monitor) state() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.current
}
