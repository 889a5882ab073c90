package topology

import (
	"fmt"
	"io"
	"path"
	"reflect"
	"runtime"

	"github.com/eosproc/eosproc/codec"
)

// To writes the stream to a topic. The key decides the partition, by Kafka's
// murmur2; records without a key are spread.
func (s Stream[K, V]) To(t Topic[K, V], opts ...Option) {
	b := s.p.b
	n := b.add(sinkNode, "KSTREAM-SINK-", collect(opts), s.p.n)
	n.sink = &sinkSpec{topic: t.Name}
	if err := checkTopic(t); err != nil {
		b.fail(fmt.Errorf("%s: %w", n.name, err))
	}
	s.p.children = append(s.p.children, func(in *Instance) sink[K, V] {
		e := newEncoder(in, n, t.Key, t.Value)
		return func(r Record[K, V]) error { return e.emit(&r, t.Name, AnyPartition) }
	})
}

// AnyPartition leaves the choice of the partition to the record's key.
const AnyPartition int32 = -1

// Destination is where a record is to be written.
type Destination struct {
	// Topic must exist; an empty one drops the record.
	Topic string
	// Partition is the partition, or [AnyPartition].
	Partition int32
}

// ToChosen writes each record where choose says
// (TopicNameExtractor and StreamPartitioner of Kafka Streams).
func (s Stream[K, V]) ToChosen(key codec.Codec[K], value codec.Codec[V], choose func(Record[K, V]) Destination, opts ...Option) {
	b := s.p.b
	n := b.add(sinkNode, "KSTREAM-SINK-", collect(opts), s.p.n)
	n.sink = &sinkSpec{chooser: functionName(choose)}
	if key == nil || value == nil || choose == nil {
		b.fail(fmt.Errorf("%s needs a key codec, a value codec and a chooser", n.name))
	}
	s.p.children = append(s.p.children, func(in *Instance) sink[K, V] {
		e := newEncoder(in, n, key, value)
		return func(r Record[K, V]) error {
			to := choose(r)
			if to.Topic == "" {
				return nil
			}
			if err := checkTopicName(to.Topic); err != nil {
				return in.failure(n, Production, err)
			}
			return e.emit(&r, to.Topic, to.Partition)
		}
	})
}

// functionName returns the name of a function as the compiler knows it, without
// the path of its package.
func functionName(fn any) string {
	v := reflect.ValueOf(fn)
	if v.IsNil() {
		return "nil"
	}
	return path.Base(runtime.FuncForPC(v.Pointer()).Name())
}

// Print writes each record as a line "[label]: key, value" to w, as
// Printed.toSysOut of Kafka Streams does. It is outside of the transaction.
// Null is written as "null"; a failing writer fails the record.
func (s Stream[K, V]) Print(w io.Writer, label string, opts ...Option) {
	n := s.p.b.add(processorNode, "KSTREAM-PRINTER-", collect(opts), s.p.n)
	attach(s, n, func(in *Instance, _ sink[K, V]) sink[K, V] {
		return func(r Record[K, V]) error {
			var k, v any = "null", "null"
			if !r.KeyIsNull() {
				k = r.Key
			}
			if !r.ValueIsNull() {
				v = r.Value
			}
			if _, err := fmt.Fprintf(w, "[%s]: %v, %v\n", label, k, v); err != nil {
				return in.failure(n, Processing, fmt.Errorf("print: %w", err))
			}
			return nil
		}
	})
}

// encoder writes typed records as outputs.
type encoder[K, V any] struct {
	in         *Instance
	node       *node
	key        codec.Codec[K]
	value      codec.Codec[V]
	aliasKey   codec.Aliaser[K]
	aliasValue codec.Aliaser[V]
}

func newEncoder[K, V any](in *Instance, n *node, key codec.Codec[K], value codec.Codec[V]) *encoder[K, V] {
	e := &encoder[K, V]{in: in, node: n, key: key, value: value}
	e.aliasKey, _ = key.(codec.Aliaser[K])
	e.aliasValue, _ = value.(codec.Aliaser[V])
	return e
}

func (e *encoder[K, V]) emit(r *Record[K, V], topic string, partition int32) error {
	var key, value []byte
	var err error
	if r.null&nullKey == 0 {
		if key, err = encode(e.in, e.key, e.aliasKey, r.Key); err != nil {
			return e.in.failure(e.node, Production, fmt.Errorf("encode key for topic %s: %w", topic, err))
		}
	}
	if r.null&nullValue == 0 {
		if value, err = encode(e.in, e.value, e.aliasValue, r.Value); err != nil {
			return e.in.failure(e.node, Production, fmt.Errorf("encode value for topic %s: %w", topic, err))
		}
	}
	e.in.outputs = append(e.in.outputs, Output{
		Topic: topic, Partition: partition, Timestamp: r.Timestamp, Key: key, Value: value, Headers: r.Headers,
	})
	return nil
}

const arenaSize = 64 << 10

// encode appends the wire form to the instance's arena. A chunk is never used
// twice: it is garbage when the last record that lies in it is.
func encode[T any](in *Instance, c codec.Codec[T], alias codec.Aliaser[T], v T) ([]byte, error) {
	if alias != nil {
		if b, ok := alias.Bytes(v); ok {
			return b, nil
		}
	}
	if cap(in.arena)-len(in.arena) < arenaSize/8 {
		in.arena = make([]byte, 0, arenaSize)
	}
	free := in.arena[len(in.arena):len(in.arena):cap(in.arena)]
	out, err := c.Append(free, v)
	if err != nil {
		return nil, err
	}
	if len(out) <= cap(free) {
		in.arena = in.arena[:len(in.arena)+len(out)]
	}
	if out == nil {
		out = []byte{}
	}
	return out[:len(out):len(out)], nil
}
