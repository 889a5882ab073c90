package eostest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// runaway bounds how many records one call may set off. A topology that goes on
// for longer feeds itself, and a test that says so is better than one that hangs.
const runaway = 100_000

// T is what a driver needs of a test: a *testing.T, a *testing.B, or the like of
// another test library.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	// Fatalf reports a failure and does not return.
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// program stands in for a test where there is none.
type program struct{}

func (program) Helper()                           {}
func (program) Cleanup(func())                    {}
func (program) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (program) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// Driver runs one topology for one test.
type Driver struct {
	t         T
	instances []*topology.Instance
	queues    []*queue            // in the order in which topics were first used
	byTopic   map[string][]*queue // the queues of a topic; empty if nothing reads it
	offsets   map[string]int64
	outputs   map[string][]topology.Output
	states    map[string]*statestore.State // the state that has a store
	globals   *topology.Globals
	dropped   map[string]int
	now       int64
	seq       int
	collect   bool
	errs      []error
}

// New makes the instances of a topology: the constructors of its processors
// run now. When the test ends they are closed.
//
// In an Example, which has no test, t is nil: a failure then panics, and the
// instances are not closed.
func New(t T, topo *topology.Topology, opts ...Option) *Driver {
	if t == nil {
		t = program{}
	}
	t.Helper()
	d := &Driver{
		t: t, byTopic: map[string][]*queue{}, offsets: map[string]int64{},
		outputs: map[string][]topology.Output{}, dropped: map[string]int{},
		states: map[string]*statestore.State{}, globals: topo.NewGlobals(),
	}
	for _, o := range opts {
		o(d)
	}
	for _, s := range topo.SubTopologies() {
		state := statestore.NewState(statestore.NewMemory())
		in, err := s.NewInstance(0, topology.Env{
			Now:           func() int64 { return d.now },
			InternalTopic: func(name string) string { return name },
			Dropped:       func(reason string) { d.dropped[reason]++ },
			State:         state,
			Globals:       d.globals,
		})
		if err != nil {
			t.Fatalf("eostest: %v", err)
		}
		d.instances = append(d.instances, in)
		for _, spec := range s.Stores() {
			d.states[spec.Name()] = state
		}
		t.Cleanup(func() {
			if err := in.Close(); err != nil {
				t.Errorf("eostest: %v", err)
			}
		})
	}
	return d
}

// Now returns the wall clock.
func (d *Driver) Now() time.Time { return time.UnixMilli(d.now).UTC() }

// AdvanceWallClock moves the wall clock and calls the punctuations that are due
// then, each once.
func (d *Driver) AdvanceWallClock(by time.Duration) {
	d.t.Helper()
	d.now += by.Milliseconds()
	for _, in := range d.instances {
		if err := in.Punctuate(d.now); err != nil {
			d.failed(err)
		}
		d.deliver(in)
	}
	d.run()
}

// Dropped returns how many records operators have dropped for a reason, one of
// the Drop constants of package topology.
func (d *Driver) Dropped(reason string) int { return d.dropped[reason] }

// Errors returns the failures since the last call, if the driver was made with
// the option [Errors].
func (d *Driver) Errors() []error {
	errs := d.errs
	d.errs = nil
	return errs
}

// SendRaw gives the topology a record as it would come from Kafka and processes
// whatever follows from it. A nil key or value is Kafka's null, a negative
// timestamp none. Offsets are counted by the driver. The test fails if the
// topology does not read the topic.
func (d *Driver) SendRaw(topic string, r topology.RawRecord) {
	d.t.Helper()
	if len(d.readers(topic)) == 0 && !slices.Contains(d.globals.Topics(), topic) {
		d.t.Fatalf("eostest: the topology does not read topic %q", topic)
	}
	r.Key, r.Value = bytes.Clone(r.Key), bytes.Clone(r.Value)
	d.enqueue(topic, r)
	d.run()
}

// ReadRaw returns what the topology has written to a topic since the last call,
// in order. A repartition topic goes by its logical name.
func (d *Driver) ReadRaw(topic string) []topology.Output {
	out := d.outputs[topic]
	delete(d.outputs, topic)
	return out
}

// readers returns the queues of those who read a topic, those of patterns included.
func (d *Driver) readers(topic string) []*queue {
	qs, known := d.byTopic[topic]
	if known {
		return qs
	}
	for _, in := range d.instances {
		if s, ok := in.Open(topic); ok {
			qs = append(qs, &queue{in: in, source: s, partitionTime: -1})
		}
	}
	d.byTopic[topic] = qs
	d.queues = append(d.queues, qs...)
	return qs
}

func (d *Driver) enqueue(topic string, r topology.RawRecord) {
	r.Topic, r.Partition, r.Offset = topic, 0, d.offsets[topic]
	d.offsets[topic]++
	d.seq++
	d.globals.Apply(&r)
	for _, q := range d.readers(topic) {
		q.records = append(q.records, arrived{r, d.seq})
	}
}

// run processes until nothing is under way, the lowest timestamp first.
func (d *Driver) run() {
	d.t.Helper()
	for range runaway {
		var next *queue
		for _, q := range d.queues {
			if q.settle(d) && (next == nil || q.before(next)) {
				next = q
			}
		}
		if next == nil {
			return
		}
		if err := next.in.Process(next.source, next.pop()); err != nil {
			d.failed(err)
		}
		d.deliver(next.in)
	}
	d.t.Fatalf("eostest: still not at rest after %d records: the topology feeds itself", runaway)
}

// deliver takes what an instance has emitted, for the test and for those of its
// own sources that read it.
func (d *Driver) deliver(in *topology.Instance) {
	for _, o := range in.Outputs() {
		d.outputs[o.Topic] = append(d.outputs[o.Topic], o)
		d.enqueue(o.Topic, topology.RawRecord{Timestamp: o.Timestamp, Key: o.Key, Value: o.Value, Headers: o.Headers})
	}
}

func (d *Driver) failed(err error) {
	d.t.Helper()
	if d.collect {
		d.errs = append(d.errs, err)
		return
	}
	if re, ok := errors.AsType[*topology.RecordError](err); ok && re.Stack != nil {
		d.t.Fatalf("eostest: %v\n%s", err, re.Stack)
	}
	d.t.Fatalf("eostest: %v", err)
}
