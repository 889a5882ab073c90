package demo

import "time"

// event is something that happened, with its time. Its JSON form is stable:
// fields may be added, never renamed.
type event struct {
	Time time.Time `json:"time"`
	// Event is start, kill, freeze, thaw, fenced, restart, rejoin, crash or drain.
	Event string `json:"event"`
	// Worker is the number of the worker, 0 if it concerns all.
	Worker int    `json:"worker,omitempty"`
	Text   string `json:"text"`
}

// progress is the state of things between events.
type progress struct {
	since                    time.Duration
	in, expected             int64
	out, duplicates, aborted int64
	open                     int64
}

// audience is shown what happens. It is used by one goroutine.
type audience interface {
	happened(event)
	progressed(progress)
	ended(*report) error
}
