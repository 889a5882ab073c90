package topology

import (
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"

	"github.com/eosproc/eosproc/codec"
)

// Source is the entry of one topic's records into one task.
type Source struct {
	// Timestamp tells the record's timestamp in milliseconds, given the largest
	// one so far of its partition (-1 if none). take is false when the record is
	// to be skipped. Nil means the record's own timestamp, which must be valid.
	Timestamp func(r *RawRecord, partitionTime int64) (ms int64, take bool, err error)
	process   func(r *RawRecord) error
}

// From reads a topic.
func From[K, V any](b *Builder, t Topic[K, V], opts ...Option) Stream[K, V] {
	return FromTopics(b, []Topic[K, V]{t}, opts...)
}

// FromTopics reads several topics as one stream. Each is decoded with the
// codecs of its own handle.
func FromTopics[K, V any](b *Builder, ts []Topic[K, V], opts ...Option) Stream[K, V] {
	o := collect(opts)
	n := b.add(sourceNode, "KSTREAM-SOURCE-", o)
	n.source = &sourceSpec{reset: o.reset}
	if len(ts) == 0 {
		b.fail(fmt.Errorf("%s has no topics", n.name))
	}
	byName := map[string]Topic[K, V]{}
	for _, t := range ts {
		if err := checkTopic(t); err != nil {
			b.fail(fmt.Errorf("%s: %w", n.name, err))
		}
		if other, ok := b.topics[t.Name]; ok {
			b.fail(fmt.Errorf("topic %q is read by %s and %s: read it once and use the stream twice", t.Name, other, n.name))
		}
		b.topics[t.Name] = n.name
		byName[t.Name] = t
		n.source.topics = append(n.source.topics, t.Name)
	}
	return source(b, n, o, func(topic string) Topic[K, V] { return byName[topic] })
}

// FromPattern reads all topics whose whole names match the pattern, those that
// appear later included.
func FromPattern[K, V any](b *Builder, pattern string, key codec.Codec[K], value codec.Codec[V], opts ...Option) Stream[K, V] {
	o := collect(opts)
	n := b.add(sourceNode, "KSTREAM-SOURCE-", o)
	n.source = &sourceSpec{reset: o.reset}
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		b.fail(fmt.Errorf("%s: topic pattern %q: %w", n.name, pattern, err))
		re = regexp.MustCompile("^$")
	}
	n.source.pattern, n.source.patternText = re, pattern
	t := Topic[K, V]{pattern, key, value}
	if key == nil || value == nil {
		b.fail(fmt.Errorf("%s: topic pattern %q needs a key codec and a value codec", n.name, pattern))
	}
	return source(b, n, o, func(string) Topic[K, V] { return t })
}

func checkTopic[K, V any](t Topic[K, V]) error {
	switch {
	case t.Name == "":
		return errors.New("a topic needs a name")
	case t.Key == nil || t.Value == nil:
		return fmt.Errorf("topic %q needs a key codec and a value codec", t.Name)
	}
	return checkTopicName(t.Name)
}

var topicName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

func checkTopicName(name string) error {
	if !topicName.MatchString(name) || name == "." || name == ".." {
		return fmt.Errorf("topic name %q: Kafka allows letters, digits, '.', '_' and '-', at most 249", name)
	}
	return nil
}

func source[K, V any](b *Builder, n *node, o options, topic func(string) Topic[K, V]) Stream[K, V] {
	out := newStream[K, V](b, n)
	var extract TimestampExtractor[K, V]
	if o.timestamps != nil {
		var ok bool
		if extract, ok = o.timestamps.(TimestampExtractor[K, V]); !ok {
			b.fail(fmt.Errorf("%s: the timestamp extractor is a %T, the stream needs a %T", n.name, o.timestamps, extract))
		}
	}
	n.source.open = func(in *Instance, name string) Source {
		return decoder[K, V]{in: in, node: n, topic: topic(name), extract: extract, next: out.p.compile(in)}.open()
	}
	return out
}

// decoder turns raw records of one topic into typed ones. A record whose
// timestamp has to be extracted from its content is decoded when it becomes the
// head of its queue, and kept until it is processed, so that it is decoded once.
type decoder[K, V any] struct {
	in      *Instance
	node    *node
	topic   Topic[K, V]
	extract TimestampExtractor[K, V]
	next    sink[K, V]
}

func (d decoder[K, V]) open() Source {
	nilKey, nilValue := hasNil[K](), hasNil[V]()
	keyCodec, valueCodec := d.topic.Key, d.topic.Value
	// The record is returned rather than filled in: a pointer handed to a
	// closure would put every record on the heap.
	decode := func(raw *RawRecord) (r Record[K, V], err error) {
		if raw.Key == nil {
			r.null = nullKey
		} else if r.Key, err = keyCodec.Decode(raw.Key); err != nil {
			return r, d.failure(raw, fmt.Errorf("decode key: %w", err))
		} else {
			r.null = bit(nilKey, &r.Key, nullKey)
		}
		if raw.Value == nil {
			r.null |= nullValue
		} else if r.Value, err = valueCodec.Decode(raw.Value); err != nil {
			return r, d.failure(raw, fmt.Errorf("decode value: %w", err))
		} else {
			r.null |= bit(nilValue, &r.Value, nullValue)
		}
		r.Timestamp, r.Headers = raw.Timestamp, raw.Headers
		return r, nil
	}
	if d.extract == nil {
		return Source{process: func(raw *RawRecord) error {
			r, err := decode(raw)
			if err != nil {
				return err
			}
			return d.next(r)
		}}
	}
	heads := map[int32]*head[K, V]{}
	return Source{
		Timestamp: func(raw *RawRecord, partitionTime int64) (int64, bool, error) {
			h := heads[raw.Partition]
			if h == nil {
				h = &head[K, V]{}
				heads[raw.Partition] = h
			}
			var err error
			if h.record, err = decode(raw); err != nil {
				h.offset = -1
				return 0, false, err
			}
			h.offset = raw.Offset
			ts, take, err := d.timestamp(raw, &h.record, partitionTime)
			h.record.Timestamp = ts
			return ts, take, err
		},
		process: func(raw *RawRecord) error {
			if h := heads[raw.Partition]; h != nil && h.offset == raw.Offset {
				return d.next(h.record)
			}
			r, err := decode(raw)
			if err != nil {
				return err
			}
			return d.next(r)
		},
	}
}

// timestamp calls the extractor, whose panic is a failure of the record like any other.
func (d decoder[K, V]) timestamp(raw *RawRecord, r *Record[K, V], partitionTime int64) (ms int64, take bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			ms, take = 0, false
			err = &RecordError{
				Stage: Deserialization, Node: d.node.name, Topic: raw.Topic, Partition: raw.Partition, Offset: raw.Offset,
				Stack: debug.Stack(), Err: fmt.Errorf("extract timestamp: %w", panicked(p)),
			}
		}
	}()
	if ms, take, err = d.extract(*r, partitionTime); err != nil {
		return 0, false, d.failure(raw, fmt.Errorf("extract timestamp: %w", err))
	}
	return ms, take, nil
}

type head[K, V any] struct {
	offset int64
	record Record[K, V]
}

func (d decoder[K, V]) failure(raw *RawRecord, err error) error {
	return d.in.failureAt(d.node, Deserialization, raw, err)
}
