package topology

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/eosproc/eosproc/statestore"
)

// TaskID names a task: a sub-topology and a partition.
type TaskID struct {
	SubTopology int
	Partition   int32
}

// String returns Kafka Streams' form, "0_3".
func (t TaskID) String() string { return fmt.Sprintf("%d_%d", t.SubTopology, t.Partition) }

// Metadata says where a record comes from.
type Metadata struct {
	Topic     string
	Partition int32
	Offset    int64
}

// Env is what an instance needs from the world around it.
type Env struct {
	// Now is the wall clock in milliseconds since the Unix epoch.
	Now func() int64
	// InternalTopic gives the physical name of an internal topic.
	InternalTopic func(name string) string
	// Dropped is told about records that an operator drops by its definition; nil means that no one asks.
	Dropped func(reason string)
	// State holds the task's stores; nil stands for empty ones in memory. The
	// instance declares its stores there. It neither commits nor closes it.
	State *statestore.State
	// Globals holds the global tables; nil is enough if no operator joins with one.
	Globals *Globals
}

// The reasons for which records are dropped, as they appear in metrics.
const (
	DropNullKey          = "null_key"
	DropNullValue        = "null_value"
	DropInvalidTimestamp = "invalid_timestamp"
	// DropLate is the reason of records all of whose windows are closed.
	DropLate = "late"
	// DropExpired is the reason of updates that are older than a versioned store's history.
	DropExpired = "expired"
	// DropOutOfOrder is the reason of updates of a versioned table that are not
	// their key's newest, where only the newest counts.
	DropOutOfOrder = "out_of_order"
)

// Instance is one task's copy of a sub-topology. It belongs to one goroutine at a time.
type Instance struct {
	id       TaskID
	env      Env
	sub      *SubTopology
	compiled map[*node]any
	sources  map[string]Source

	current         *RawRecord
	streamTime      int64
	stateful        bool         // there are stores
	times           []*localTime // of single operators
	outputs         []Output
	arena           []byte
	punctuations    [2][]*punctuation
	scheduled       [2]int // how many have been, cancelled ones included
	onClose         []func()
	commitRequested bool
}

// NewInstance makes the copy of a sub-topology that a task runs: it calls the
// constructors of all processors.
func (s *SubTopology) NewInstance(partition int32, env Env) (in *Instance, err error) {
	in = &Instance{
		id: TaskID{s.ID, partition}, env: env, sub: s,
		compiled: map[*node]any{}, sources: map[string]Source{}, streamTime: -1,
	}
	defer func() {
		if p := recover(); p != nil {
			err = errors.Join(fmt.Errorf("make task %s: %w", in.id, panicked(p)), in.Close())
		}
	}()
	if in.env.State == nil {
		in.env.State = statestore.NewState(statestore.NewMemory())
	}
	for _, spec := range s.Stores() {
		in.stateful = true
		if err := in.env.State.Declare(spec); err != nil {
			return nil, fmt.Errorf("make task %s: %w", in.id, err)
		}
	}
	for _, n := range s.nodes {
		if n.kind == sourceNode {
			if n.source.pattern != nil { // no topic is known yet, but the processors behind it begin now
				n.source.open(in, "")
			}
			for _, topic := range n.source.topics {
				in.sources[topic] = n.source.open(in, topic)
			}
		}
	}
	return in, nil
}

// ID returns the task's id.
func (in *Instance) ID() TaskID { return in.id }

// Open returns the entry for the records of a topic, by its logical name: for an
// internal topic the name without the application id. ok is false if the
// sub-topology does not read it.
func (in *Instance) Open(topic string) (s Source, ok bool) {
	if s, ok = in.sources[topic]; ok {
		return s, true
	}
	for _, n := range in.sub.nodes {
		if n.kind == sourceNode && n.source.pattern != nil && n.source.pattern.MatchString(topic) {
			s = n.source.open(in, topic)
			in.sources[topic] = s
			return s, true
		}
	}
	return Source{}, false
}

// Process takes one record, whose timestamp must be set, through the
// operators, then calls the stream-time punctuations that are due. If the record
// fails, nothing of it remains among the outputs and in the stores, and the error is a
// [*RecordError]; a panic in a user's function is such a failure. If a
// punctuation fails, the error has no topic: the record has been processed, and
// only what the punctuation forwarded and stored is taken back.
func (in *Instance) Process(s Source, r *RawRecord) error {
	if err := in.process(s, r); err != nil {
		return err
	}
	if len(in.punctuations[StreamTime]) == 0 {
		return nil
	}
	return in.fire(StreamTime, in.streamTime)
}

func (in *Instance) process(s Source, r *RawRecord) (err error) {
	mark := in.mark()
	defer func() {
		if p := recover(); p != nil {
			err = &RecordError{
				Stage: Processing, Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
				Stack: debug.Stack(), Err: panicked(p),
			}
		}
		if err != nil {
			in.rollback(mark)
		}
		in.current = nil
	}()
	in.current = r
	if r.Timestamp > in.streamTime {
		in.streamTime = r.Timestamp
	}
	if in.stateful {
		in.env.State.SetTime(in.streamTime)
	}
	return s.process(r)
}

// mark begins a record or a punctuation; rollback undoes what it has done since.
func (in *Instance) mark() (outputs int) {
	if in.stateful {
		in.env.State.Mark()
		for _, t := range in.times {
			t.marked = t.now
		}
	}
	return len(in.outputs)
}

func (in *Instance) rollback(mark int) {
	if in.stateful {
		in.env.State.Rollback()
		for _, t := range in.times {
			t.now = t.marked
		}
	}
	clear(in.outputs[mark:])
	in.outputs = in.outputs[:mark]
}

// Outputs returns what has been emitted since the last call. The slice is valid
// until the next record; what its elements refer to belongs to the caller.
func (in *Instance) Outputs() []Output {
	out := in.outputs
	in.outputs = in.outputs[:0]
	return out
}

// Source returns where the record at hand comes from.
func (in *Instance) Source() (Metadata, bool) {
	if in.current == nil {
		return Metadata{}, false
	}
	return Metadata{in.current.Topic, in.current.Partition, in.current.Offset}, true
}

// StreamTime returns the largest timestamp taken in, in milliseconds; -1 before the first record.
func (in *Instance) StreamTime() int64 { return in.streamTime }

// Snapshot is the part of an instance that must go back with an abort and on
// with a commit, beside its stores: the stream times, of the task and of its
// operators, and when the punctuations are due.
type Snapshot struct {
	// StreamTime in milliseconds; -1 before the first record.
	StreamTime int64
	due        [2]map[int]int64
	times      map[int]int64 // by the operator's index
}

// NewSnapshot returns the snapshot of a task that has processed nothing since
// the given stream time.
func NewSnapshot(streamTime int64) Snapshot { return Snapshot{StreamTime: streamTime} }

// Snapshot returns the state as it is now.
func (in *Instance) Snapshot() Snapshot {
	s := Snapshot{StreamTime: in.streamTime, times: make(map[int]int64, len(in.times))}
	for _, t := range in.times {
		if t.node >= 0 {
			s.times[t.node] = t.now
		}
	}
	for clock, list := range in.punctuations {
		s.due[clock] = make(map[int]int64, len(list))
		for _, p := range list {
			s.due[clock][p.id] = p.next
		}
	}
	return s
}

// Restore puts a new instance into the state of a snapshot. Punctuations are
// matched by the order in which the constructors scheduled them.
func (in *Instance) Restore(s Snapshot) {
	in.streamTime = s.StreamTime
	for _, t := range in.times {
		t.now = -1
		if now, ok := s.times[t.node]; ok {
			t.now = now
		}
	}
	for clock, list := range in.punctuations {
		for _, p := range list {
			if next, ok := s.due[clock][p.id]; ok {
				p.next = next
			}
		}
	}
}

// CommitRequested reports whether a processor has asked for a commit since the last call.
func (in *Instance) CommitRequested() bool {
	asked := in.commitRequested
	in.commitRequested = false
	return asked
}

// Close ends the task: it calls what [Context.OnClose] was given, last first. A panic there is an error.
func (in *Instance) Close() (err error) {
	for len(in.onClose) > 0 {
		last := in.onClose[len(in.onClose)-1]
		in.onClose = in.onClose[:len(in.onClose)-1]
		err = errors.Join(err, closing(in.id, last))
	}
	return err
}

func closing(id TaskID, fn func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("close task %s: %w", id, panicked(p))
		}
	}()
	fn()
	return nil
}

func (in *Instance) failureAt(n *node, stage Stage, r *RawRecord, err error) error {
	return &RecordError{Stage: stage, Node: n.name, Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Err: err}
}

func (in *Instance) dropped(reason string) {
	if in.env.Dropped != nil {
		in.env.Dropped(reason)
	}
}
