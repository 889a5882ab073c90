package eosproc

// State is the state of an application, as Kafka Streams names them.
type State string

// The states.
const (
	Created         State = "CREATED"
	Rebalancing     State = "REBALANCING"
	Running         State = "RUNNING"
	PendingShutdown State = "PENDING_SHUTDOWN"
	NotRunning      State = "NOT_RUNNING"
	Error           State = "ERROR"
)

// Live reports whether the process should be left alone: it works, or is getting ready to.
func (s State) Live() bool {
	return s == Created || s == Rebalancing || s == Running || s == PendingShutdown
}

// Ready reports whether the application processes records.
func (s State) Ready() bool { return s == Running }
