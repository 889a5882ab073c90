package worker

import (
	"time"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
	"github.com/eosproc/eosproc/txn"
)

// State is what a worker is doing.
type State string

// The states, as Kafka Streams names those of its threads.
const (
	Created            State = "CREATED"
	Starting           State = "STARTING"
	PartitionsRevoked  State = "PARTITIONS_REVOKED"
	PartitionsAssigned State = "PARTITIONS_ASSIGNED"
	Running            State = "RUNNING"
	PendingShutdown    State = "PENDING_SHUTDOWN"
	Dead               State = "DEAD"
)

// Activity is what a worker spends its time on.
type Activity string

// The activities; their times add up to the life of the worker.
const (
	Processing  Activity = "process"
	Committing  Activity = "commit"
	Punctuating Activity = "punctuate"
	Rebalancing Activity = "rebalance"
	Idle        Activity = "idle"
)

// Observer is told what happens in a worker, on the worker's goroutine: it must
// be quick. Counts are given in batches, never per record.
type Observer interface {
	State(worker int, s State)
	Spent(worker int, a Activity, d time.Duration)
	Consumed(topic string, records int)
	Processed(id topology.TaskID, records int)
	Produced(topic string, records, bytes int)
	Dropped(id topology.TaskID, reason string)
	Failed(id topology.TaskID, a task.Action, err *topology.RecordError)
	Retried(id topology.TaskID)
	Committed(worker int, n *txn.Sealed)
	Aborted(worker int, cause error)
	Fenced(worker int, by fencing.By)
	Rebalanced(worker int, tasks []topology.TaskID, took time.Duration)
	Lag(topic string, partition int32, records int64)
	Unassigned(topic string, partition int32)
}

// Unobserved is an Observer that nobody listens to; embed it to implement some methods only.
type Unobserved struct{}

// The methods of [Observer], doing nothing.
func (Unobserved) State(int, State)                                           {}
func (Unobserved) Spent(int, Activity, time.Duration)                         {}
func (Unobserved) Consumed(string, int)                                       {}
func (Unobserved) Processed(topology.TaskID, int)                             {}
func (Unobserved) Produced(string, int, int)                                  {}
func (Unobserved) Dropped(topology.TaskID, string)                            {}
func (Unobserved) Failed(topology.TaskID, task.Action, *topology.RecordError) {}
func (Unobserved) Retried(topology.TaskID)                                    {}
func (Unobserved) Committed(int, *txn.Sealed)                                 {}
func (Unobserved) Aborted(int, error)                                         {}
func (Unobserved) Fenced(int, fencing.By)                                     {}
func (Unobserved) Rebalanced(int, []topology.TaskID, time.Duration)           {}
func (Unobserved) Lag(string, int32, int64)                                   {}
func (Unobserved) Unassigned(string, int32)                                   {}
