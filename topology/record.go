package topology

import "time"

// Record is one record on its way through the operators.
//
// A Record is a value: a copy may be changed and forwarded freely. Headers are
// shared between copies; use [Headers.With] rather than writing into them.
type Record[K, V any] struct {
	Key   K
	Value V
	// Timestamp in milliseconds since the Unix epoch.
	Timestamp int64
	// Headers in the order in which they are on the wire; nil when there are none.
	Headers Headers

	null nullBits
}

type nullBits uint8

const (
	nullKey nullBits = 1 << iota
	nullValue
)

// Time returns the timestamp as a time in UTC.
func (r Record[K, V]) Time() time.Time { return time.UnixMilli(r.Timestamp).UTC() }

// KeyIsNull reports whether the key is Kafka's null.
func (r Record[K, V]) KeyIsNull() bool { return r.null&nullKey != 0 }

// ValueIsNull reports whether the value is Kafka's null: in a table's changes, a deletion.
func (r Record[K, V]) ValueIsNull() bool { return r.null&nullValue != 0 }

// WithNullKey returns the record with a null key.
func (r Record[K, V]) WithNullKey() Record[K, V] {
	var zero K
	r.Key, r.null = zero, r.null|nullKey
	return r
}

// WithNullValue returns the record with a null value.
func (r Record[K, V]) WithNullValue() Record[K, V] {
	var zero V
	r.Value, r.null = zero, r.null|nullValue
	return r
}

// WithKey returns the record with key k, which is null if k is nil.
func (r Record[K, V]) WithKey(k K) Record[K, V] {
	r.Key = k
	r.null &^= nullKey
	if isNil(k) {
		r.null |= nullKey
	}
	return r
}

// WithValue returns the record with value v, which is null if v is nil.
func (r Record[K, V]) WithValue(v V) Record[K, V] {
	r.Value = v
	r.null &^= nullValue
	if isNil(v) {
		r.null |= nullValue
	}
	return r
}

// Header is one record header. A nil Value is Kafka's null.
type Header struct {
	Key   string
	Value []byte
}

// Headers are a record's headers; names may repeat.
type Headers []Header

// Get returns the value of the last header named key, as Kafka's lastHeader does.
func (h Headers) Get(key string) (value []byte, ok bool) {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].Key == key {
			return h[i].Value, true
		}
	}
	return nil, false
}

// With returns a copy of h with one more header at its end.
func (h Headers) With(key string, value []byte) Headers {
	return append(h[:len(h):len(h)], Header{key, value})
}

// Without returns h without the headers named key; h itself if there are none.
func (h Headers) Without(key string) Headers {
	if _, ok := h.Get(key); !ok {
		return h
	}
	out := make(Headers, 0, len(h))
	for _, x := range h {
		if x.Key != key {
			out = append(out, x)
		}
	}
	return out
}

// RawRecord is an input record as it comes from Kafka.
type RawRecord struct {
	Topic     string
	Partition int32
	Offset    int64
	// Timestamp in milliseconds since the Unix epoch; negative when the record has none.
	Timestamp int64
	// Key and Value are nil for Kafka's null. They are never modified.
	Key, Value []byte
	Headers    Headers
}

// Output is an encoded record for an output topic.
type Output struct {
	// Topic is the physical name of the topic.
	Topic string
	// Partition is the partition that was asked for; negative means that the key decides.
	Partition int32
	// Timestamp in milliseconds since the Unix epoch.
	Timestamp  int64
	Key, Value []byte
	Headers    Headers
}
