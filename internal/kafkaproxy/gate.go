package kafkaproxy

import "sync"

// gate holds up frames while it is shut.
type gate struct {
	mu   sync.Mutex
	open chan struct{} // closed while the gate is open; nil means open
}

// set shuts or opens the gate; setting the state it has is harmless.
func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case shut && g.open == nil:
		g.open = make(chan struct{})
	case !shut && g.open != nil:
		close(g.open)
		g.open = nil
	}
}

// pass waits until the gate is open or stop closes; it says which.
func (g *gate) pass(stop <-chan struct{}) bool {
	for {
		g.mu.Lock()
		open := g.open
		g.mu.Unlock()
		if open == nil {
			return true
		}
		select {
		case <-open:
		case <-stop:
			return false
		}
	}
}
