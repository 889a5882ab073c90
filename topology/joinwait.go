package topology

import (
	"encoding/binary"
	"math"

	"github.com/eosproc/eosproc/statestore"
)

// waiting holds the records of a stream until the stream's time is grace ahead of
// them, then gives them to out in order
// (RocksDBTimeOrderedKeyValueBuffer of Kafka Streams, which orders in the same way).
func waiting[K, V any](in *Instance, n *node, grace joinGrace[K, V], out func(Record[K, V]) error) func(Record[K, V]) error {
	w := waitBuffer[K, V]{spec: grace.buffer, entries: grace.buffer.spec.Open(in.env.State), next: in.bound()}
	clock := in.localTime(n)
	return func(r Record[K, V]) error {
		until := clock.advance(r.Timestamp) - grace.ms
		if r.null&nullKey != 0 || r.Timestamp < until {
			if err := out(r); err != nil {
				return err
			}
		} else if err := w.put(r); err != nil {
			return in.failure(n, Processing, err)
		}
		due, err := w.take(until)
		if err != nil {
			return in.failure(n, Processing, err)
		}
		for _, r := range due {
			if err := out(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// waitBuffer holds records by timestamp, key and arrival: an entry's key is the
// timestamp (8 bytes, big endian), the key, and a number that tells apart what is
// equal in both (4 bytes). Its value is the length of the key, the value and the headers.
type waitBuffer[K, V any] struct {
	spec    Buffer[K, V]
	entries *statestore.KVHandle[[]byte, []byte]
	next    *localTime // no record in the buffer is before it
}

const (
	waitTime   = 8
	waitNumber = 4
)

func (w *waitBuffer[K, V]) put(r Record[K, V]) error {
	place, err := w.spec.key.Append(binary.BigEndian.AppendUint64(nil, uint64(r.Timestamp)), r.Key)
	if err != nil {
		return err
	}
	// A longer key that begins like this one may lie between its records.
	length, number := len(place), uint32(0)
	for {
		place = binary.BigEndian.AppendUint32(place[:length], number)
		_, taken, err := w.entries.Get(place)
		if err != nil {
			return err
		}
		if !taken {
			break
		}
		number++
	}
	entry, err := appendValue(nil, w.spec.value, r.Value, true)
	if err != nil {
		return err
	}
	w.next.now = min(w.next.now, r.Timestamp)
	return w.entries.Put(place, appendHeaders(entry, r.Headers))
}

// take removes and returns the records up to a timestamp.
func (w *waitBuffer[K, V]) take(until int64) ([]Record[K, V], error) {
	if w.next.now > until {
		return nil, nil
	}
	var out []Record[K, V]
	bound := int64(math.MaxInt64)
	for e, err := range statestore.All(w.entries) {
		if err != nil {
			return nil, err
		}
		r := Record[K, V]{Timestamp: int64(binary.BigEndian.Uint64(e.Key))}
		if r.Timestamp > until {
			bound = r.Timestamp
			break
		}
		if r.Key, err = w.spec.key.Decode(e.Key[waitTime : len(e.Key)-waitNumber]); err != nil {
			return nil, err
		}
		rest := e.Value
		if r.Value, _, rest, err = cutValue(rest, w.spec.value); err != nil {
			return nil, err
		}
		if r.Headers, err = cutHeaders(rest); err != nil {
			return nil, err
		}
		if err := w.entries.Delete(e.Key); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	w.next.now = bound
	return out, nil
}

// appendHeaders writes headers as fields, each key before its value.
func appendHeaders(dst []byte, headers Headers) []byte {
	for _, h := range headers {
		dst = appendField(appendField(dst, []byte(h.Key), true), h.Value, h.Value != nil)
	}
	return dst
}

func cutHeaders(from []byte) (headers Headers, err error) {
	for len(from) > 0 {
		var key, value []byte
		if key, from, err = cutField(from); err != nil {
			return nil, err
		}
		if value, from, err = cutField(from); err != nil {
			return nil, err
		}
		headers = append(headers, Header{string(key), value})
	}
	return headers, nil
}
