package topology

import (
	"encoding/binary"

	"github.com/eosproc/eosproc/codec"
)

// The wire form of an update in a buffer: its place in time and its timestamp
// (8 bytes each, big endian), new value, old value, number of headers (uvarint),
// each header's key and value. Values, keys and headers have their length plus one in
// front as a uvarint; 0 stands for what is not there.

func encodeHeld[K, V any](b *heldBuffer[K, V], since int64, r Record[K, change[V]]) (out []byte, err error) {
	out = binary.BigEndian.AppendUint64(nil, uint64(since))
	out = binary.BigEndian.AppendUint64(out, uint64(r.Timestamp))
	if out, err = appendValue(out, b.spec.value, r.Value.new, r.Value.hasNew); err != nil {
		return nil, err
	}
	if out, err = appendValue(out, b.spec.value, r.Value.old, r.Value.hasOld); err != nil {
		return nil, err
	}
	out = binary.AppendUvarint(out, uint64(len(r.Headers)))
	for _, h := range r.Headers {
		out = appendField(appendField(out, []byte(h.Key), true), h.Value, h.Value != nil)
	}
	return out, nil
}

func appendValue[V any](dst []byte, c codec.Codec[V], v V, there bool) ([]byte, error) {
	if !there {
		return appendField(dst, nil, false), nil
	}
	b, err := c.Append(nil, v)
	return appendField(dst, b, true), err
}

func appendField(dst, b []byte, there bool) []byte {
	if !there {
		return binary.AppendUvarint(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(b))+1), b...)
}

func decodeHeld[K, V any](b *heldBuffer[K, V], k K, from []byte) (h held[K, V], err error) {
	h.key, h.update.Key = k, k
	if len(from) < 16 {
		return h, malformedHeld
	}
	h.since = int64(binary.BigEndian.Uint64(from))
	h.update.Timestamp = int64(binary.BigEndian.Uint64(from[8:]))
	c := &h.update.Value
	from = from[16:]
	if c.new, c.hasNew, from, err = cutValue(from, b.spec.value); err != nil {
		return h, err
	}
	if c.old, c.hasOld, from, err = cutValue(from, b.spec.value); err != nil {
		return h, err
	}
	headers, n := binary.Uvarint(from)
	if n <= 0 {
		return h, malformedHeld
	}
	from = from[n:]
	for range headers {
		var key, value []byte
		if key, from, err = cutField(from); err != nil {
			return h, err
		}
		if value, from, err = cutField(from); err != nil {
			return h, err
		}
		h.update.Headers = append(h.update.Headers, Header{string(key), value})
	}
	return h, nil
}

func cutValue[V any](from []byte, c codec.Codec[V]) (v V, there bool, rest []byte, err error) {
	b, rest, err := cutField(from)
	if err != nil || b == nil {
		return v, false, rest, err
	}
	v, err = c.Decode(b)
	return v, true, rest, err
}

// cutField splits off a field; it is nil if it is not there, and else not nil.
func cutField(from []byte) (b, rest []byte, err error) {
	length, n := binary.Uvarint(from)
	if n <= 0 || length > uint64(len(from)-n)+1 {
		return nil, nil, malformedHeld
	}
	if length == 0 {
		return nil, from[n:], nil
	}
	end := n + int(length) - 1
	return from[n:end:end], from[end:], nil
}

var malformedHeld = &codec.DecodeError{Format: "buffered update", Offset: -1, Want: "a whole one", Found: "a part"}
