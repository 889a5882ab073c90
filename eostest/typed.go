package eostest

import (
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

// Send gives the topology a record and processes whatever follows from it. A
// nil key or value is Kafka's null. at is the record's timestamp, taken to the
// millisecond; the zero time stands for the driver's wall clock.
func Send[K, V any](d *Driver, t topology.Topic[K, V], key K, value V, at time.Time) {
	d.t.Helper()
	if at.IsZero() {
		at = d.Now()
	}
	r := topology.Record[K, V]{Timestamp: at.UnixMilli()}
	SendRecord(d, t, r.WithKey(key).WithValue(value))
}

// SendRecord is [Send] for a record with headers, with a null of a type that
// has no nil ([topology.Record.WithNullValue]), or without a timestamp (a negative one).
func SendRecord[K, V any](d *Driver, t topology.Topic[K, V], r topology.Record[K, V]) {
	d.t.Helper()
	raw := topology.RawRecord{Timestamp: r.Timestamp, Headers: r.Headers}
	if !r.KeyIsNull() && !r.WithKey(r.Key).KeyIsNull() {
		raw.Key = encode(d, t.Name, "key", t.Key, r.Key)
	}
	if !r.ValueIsNull() && !r.WithValue(r.Value).ValueIsNull() {
		raw.Value = encode(d, t.Name, "value", t.Value, r.Value)
	}
	d.SendRaw(t.Name, raw)
}

func encode[T any](d *Driver, topic, what string, c codec.Codec[T], v T) []byte {
	d.t.Helper()
	b, err := c.Append([]byte{}, v)
	if err != nil {
		d.t.Fatalf("eostest: encode %s for topic %s: %v", what, topic, err)
	}
	return b
}

// Read returns what the topology has written to a topic since the last call, in
// order. The test fails if a record cannot be decoded.
func Read[K, V any](d *Driver, t topology.Topic[K, V]) []topology.Record[K, V] {
	d.t.Helper()
	var out []topology.Record[K, V]
	for _, o := range d.ReadRaw(t.Name) {
		r := topology.Record[K, V]{Timestamp: o.Timestamp, Headers: o.Headers}
		if o.Key == nil {
			r = r.WithNullKey()
		} else {
			r = r.WithKey(decode(d, t.Name, "key", t.Key, o.Key))
		}
		if o.Value == nil {
			r = r.WithNullValue()
		} else {
			r = r.WithValue(decode(d, t.Name, "value", t.Value, o.Value))
		}
		out = append(out, r)
	}
	return out
}

func decode[T any](d *Driver, topic, what string, c codec.Codec[T], b []byte) T {
	d.t.Helper()
	v, err := c.Decode(b)
	if err != nil {
		d.t.Fatalf("eostest: decode %s of topic %s: %v", what, topic, err)
	}
	return v
}
