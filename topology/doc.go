// Package topology describes a stream processor: typed streams, operators and
// processors that [Builder.Build] turns into an immutable [Topology].
//
// It owns what happens between the bytes of an input record and the bytes of
// its output records: decoding, the operators, time, encoding. It knows no
// broker, no transaction, no goroutine and no clock but the one it is given, so
// everything here is developed and tested without Kafka (see package eostest).
//
// # Shape
//
// Operators that keep the types of a stream are methods ([Stream.Filter],
// [Stream.Peek], [Stream.Merge], [Stream.To]); operators that add a type are
// free functions ([Map], [MapValues], [Process]), since a Go method cannot.
// [Process] is the one primitive: a constructor that runs once per task and
// returns the function that handles each record. Every other operator is a few
// lines on top of it.
//
// Every name that reaches the broker or the disk is written by the user. Names
// that only show up in [Topology.Describe] may be left out; they are then
// numbered as Kafka Streams numbers them.
//
// # Null
//
// Kafka's null is a bit of the record ([Record.KeyIsNull],
// [Record.ValueIsNull]), never a value that a codec sees. Typed functions meet
// it by one rule:
//
//   - A type that has a nil of its own (pointer, slice, map, interface) shows
//     null as nil, in both directions: a nil result makes the field null.
//   - Any other type cannot express null. A null key is then shown as the zero
//     value. A function of the value is not called for a null value: MapValues
//     passes the null on, FlatMapValues makes nothing of it, a predicate does
//     not hold for it, and an operator that cannot go on without the function's
//     result (Map, SelectKey, FlatMap) fails with [ErrNullValue].
//
// # State
//
// Results are kept in stores, which the user declares ([statestore.NewTimestampedKV]
// and its like) and hands to the operator: [Count] and what is like it, [TableFrom],
// [Stores] for processors. A [Table] is what an aggregation or a topic of
// updates gives; its [Table.Changes] are a stream again. All updates are passed
// on, one by one and each with the row's old value: there is no cache that would swallow some.
//
// Everything that an operator remembers is in a store or in the [Snapshot]: buffers
// and the windows that are to come out, its stream time. So it commits, aborts and
// moves with the task.
//
// # Time
//
// Timestamps are int64 milliseconds since the Unix epoch. Stream time of a task
// is the largest timestamp of the records that it has taken in. See
// [Context.Schedule] for the two clocks. Windowed aggregations, suppression and
// joins have a stream time of their own, the largest timestamp that has
// arrived there: what is filtered out before does not close their windows.
//
// # Aliasing
//
// The bytes of an input record live as long as anything refers to them and are
// never modified, so codecs may alias them. The bytes of an [Output] belong to
// whoever takes it.
//
// # Invariants
//
//   - A topology is immutable after Build; any number of instances run it.
//   - An [Instance] belongs to one goroutine at a time.
//   - A record goes through the operators depth first, children in the order
//     in which they were defined.
//   - A record that fails leaves nothing behind: [Instance.Process] takes back
//     what the record had emitted and stored, and the times of operators.
//   - An operator's lasting state is in stores and snapshots alone. What else it
//     keeps (bounds, counts) can be found again from them.
package topology
