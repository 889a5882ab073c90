package task

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// Config is what the tasks of a worker have in common.
type Config struct {
	// ApplicationID names the application in dead letters and internal topics.
	ApplicationID string
	// MaxIdle is max.task.idle.ms: how long a task with several inputs waits for
	// one that is empty. 0 waits for records that are known to be on the broker,
	// negative does not wait.
	MaxIdle time.Duration
	// Handlers say what becomes of records that fail.
	Handlers Handlers
	// Timeout is task.timeout.ms: how long a record is tried again while something
	// that its codecs need is unavailable. 0 or less means that it is not.
	Timeout time.Duration
	// MaxRecordBytes returns how large a record a topic takes; nil or 0 means no limit.
	MaxRecordBytes func(topic string) int
	// State opens the stores of a task; nil keeps them in memory, without a changelog to come back from.
	State func(topology.TaskID) (*statestore.State, error)
	// Now is the wall clock.
	Now func() time.Time
	// Observe is told of what is worth counting.
	Observe Observer
}

// Observer takes what a task reports. Its functions must be set.
type Observer struct {
	// Dropped counts a record that was dropped for a reason.
	Dropped func(task topology.TaskID, reason string)
	// Failed counts a record that failed and was handled, not raised.
	Failed func(task topology.TaskID, action Action, err *topology.RecordError)
	// Retried counts a retry.
	Retried func(task topology.TaskID)
}

// Task is one copy of a sub-topology. It belongs to one goroutine.
type Task struct {
	id     topology.TaskID
	cfg    *Config
	sub    *topology.SubTopology
	in     *topology.Instance
	queues []*queue
	state  *statestore.State // nil if the sub-topology has no stores
	// sourceOf names, by store, the input topic that is its changelog.
	sourceOf map[string]string

	committed topology.Snapshot
	// idleUntil is when a wait for an empty input ends; zero if there is none.
	idleUntil time.Time
	// Of the record that failed and is to be tried again at retryAt:
	retrying *queue
	retryAt  time.Time
	attempts int // failures in processing that count against Handlers.Retries
	stalled  bool
	outages  int // failures that do not count, since unavailableSince

	unavailableSince time.Time
}

// New makes a task without inputs.
func New(sub *topology.SubTopology, partition int32, cfg *Config) (*Task, error) {
	t := &Task{id: topology.TaskID{SubTopology: sub.ID, Partition: partition}, cfg: cfg, sub: sub, committed: topology.NewSnapshot(-1)}
	if err := t.openState(); err != nil {
		return t, err
	}
	if err := t.open(); err != nil {
		return t, errors.Join(err, t.closeState())
	}
	return t, nil
}

func (t *Task) open() (err error) {
	t.in, err = t.sub.NewInstance(t.id.Partition, topology.Env{
		Now:           func() int64 { return t.cfg.Now().UnixMilli() },
		InternalTopic: func(name string) string { return InternalTopic(t.cfg.ApplicationID, name) },
		Dropped:       func(reason string) { t.cfg.Observe.Dropped(t.id, reason) },
		State:         t.state,
	})
	return err
}

// InternalTopic returns the physical name of an internal topic, as Kafka Streams forms it.
func InternalTopic(applicationID, name string) string { return applicationID + "-" + name }

// ID returns the task's id.
func (t *Task) ID() topology.TaskID { return t.id }

// AddInput adds an input partition. logical is the name by which the
// sub-topology knows the topic.
func (t *Task) AddInput(topic, logical string, partition int32) error {
	source, ok := t.in.Open(logical)
	if !ok {
		return fmt.Errorf("task %s does not read topic %q", t.id, logical)
	}
	q := newQueue(topic, partition, source)
	q.logical = logical
	q.input = &Input{t: t, q: q}
	t.queues = append(t.queues, q)
	slices.SortFunc(t.queues, func(a, b *queue) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.partition, b.partition))
	})
	return nil
}

// Input returns the handle of an input partition; nil if the task has no such input.
func (t *Task) Input(topic string, partition int32) *Input {
	for _, q := range t.queues {
		if q.partition == partition && q.topic == topic {
			return q.input
		}
	}
	return nil
}

// Inputs returns the handles of all inputs, by topic and partition.
func (t *Task) Inputs() []*Input {
	out := make([]*Input, len(t.queues))
	for i, q := range t.queues {
		out[i] = q.input
	}
	return out
}

// Rewind drops all that is not committed and makes the task as it was at its
// last commit: the stores drop what is not, and the operators are made anew, with
// their timers and the stream time of then. [Input.SetPosition] sets the positions.
func (t *Task) Rewind() error {
	err := t.in.Close()
	if t.state != nil {
		t.state.Abort()
	}
	if operr := t.open(); operr != nil {
		return operr
	}
	t.in.Restore(t.committed)
	t.settled()
	t.idleUntil = time.Time{}
	for _, q := range t.queues {
		q.source, _ = t.in.Open(q.logical)
		q.reset(q.committed, q.committedTime)
	}
	return err
}

// Close ends the task. What its stores have not committed is dropped.
func (t *Task) Close() error {
	return errors.Join(t.in.Close(), t.closeState())
}

func (t *Task) closeState() error {
	if t.state == nil {
		return nil
	}
	return t.state.Close()
}
