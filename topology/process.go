package topology

import (
	"errors"
	"time"

	"github.com/eosproc/eosproc/statestore"
)

// Context is what a processor sees of its task. It belongs to the task's
// goroutine and must not be kept beyond it.
type Context[K, V any] struct {
	in       *Instance
	node     *node
	next     sink[K, V]
	nilKey   bool
	nilValue bool
}

// Forward gives a record to the operators behind the processor. It returns
// their error, which the processor should return as it is.
//
// Whether a key or value is null is told by the nil of its type, if it has one;
// else by [Record.WithNullKey] and [Record.WithNullValue], which hold until
// WithKey or WithValue is called.
func (c *Context[K, V]) Forward(r Record[K, V]) error {
	if c.nilKey {
		r.null = r.null&^nullKey | bit(c.nilKey, &r.Key, nullKey)
	}
	if c.nilValue {
		r.null = r.null&^nullValue | bit(c.nilValue, &r.Value, nullValue)
	}
	return c.next(r)
}

// Source returns where the record at hand comes from; ok is false in a
// punctuation, which has no record.
func (c *Context[K, V]) Source() (m Metadata, ok bool) { return c.in.Source() }

// StreamTime returns the largest timestamp that the task has taken in,
// in milliseconds; -1 before the first record.
func (c *Context[K, V]) StreamTime() int64 { return c.in.streamTime }

// WallTime returns the task's wall clock in milliseconds since the Unix epoch.
func (c *Context[K, V]) WallTime() int64 { return c.in.env.Now() }

// Task returns the task's id.
func (c *Context[K, V]) Task() TaskID { return c.in.id }

// State returns the task's stores: a processor opens those that were given with
// the option [Stores] by store.Open(ctx), in its constructor.
func (c *Context[K, V]) State() *statestore.State { return c.in.env.State }

// RequestCommit asks for a commit soon after the record at hand. It is a hint.
func (c *Context[K, V]) RequestCommit() { c.in.commitRequested = true }

// Schedule calls fn every interval of the given clock until the returned
// function is called. fn gets the time now in milliseconds; what it forwards
// belongs to the open transaction. Missed calls are made up for by one.
// As in Kafka Streams, stream-time calls begin with the first record, wall-clock
// calls one interval after Schedule. It panics if every is below 1 ms: that is a fault of the
// program, seen when the task is made.
func (c *Context[K, V]) Schedule(every time.Duration, clock Clock, fn func(now int64) error) (cancel func()) {
	return c.in.schedule(c.node, every.Milliseconds(), clock, fn)
}

// OnClose calls fn when the task is closed, in reverse order of registration.
func (c *Context[K, V]) OnClose(fn func()) { c.in.onClose = append(c.in.onClose, fn) }

// Process is the primitive of which all operators are made. construct runs
// once per task and returns the function that handles each record; an error of
// that function is a processing failure of the record. The stores that construct
// opens are named by the option [Stores].
func Process[K, V, K2, V2 any](s Stream[K, V], construct func(*Context[K2, V2]) func(Record[K, V]) error, opts ...Option) Stream[K2, V2] {
	o := collect(opts)
	stores := o.stores
	o.stores = nil
	n := s.p.b.add(processorNode, "KSTREAM-PROCESSOR-", o, s.p.n)
	s.p.b.use(n, stores...)
	return attach(s, n, func(in *Instance, next sink[K2, V2]) sink[K, V] {
		handle := construct(&Context[K2, V2]{in: in, node: n, next: next, nilKey: hasNil[K2](), nilValue: hasNil[V2]()})
		return func(r Record[K, V]) error {
			if err := handle(r); err != nil {
				return in.failure(n, Processing, err)
			}
			return nil
		}
	})
}

// failure names the node in which a record failed. An error that has been
// named on its way up is left as it is: it comes from an operator behind.
func (in *Instance) failure(n *node, stage Stage, err error) error {
	if _, ok := errors.AsType[*RecordError](err); ok {
		return err
	}
	m, _ := in.Source()
	return &RecordError{Stage: stage, Node: n.name, Topic: m.Topic, Partition: m.Partition, Offset: m.Offset, Err: err}
}
