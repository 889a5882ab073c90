package statestore

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/eosproc/eosproc/codec"
)

// coder turns the keys and values of one handle into bytes. Its buffers grow to
// the largest key and value, so that a put allocates no more than it keeps.
type coder[K, V any] struct {
	store      string
	keys       codec.Codec[K]
	values     codec.Codec[V]
	nilable    bool
	keyBuffer  []byte
	valueBytes []byte
}

func newCoder[K, V any](store string, k codec.Codec[K], v codec.Codec[V]) coder[K, V] {
	return coder[K, V]{store: store, keys: k, values: v, nilable: nilable(reflect.TypeFor[V]())}
}

func nilable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan:
		return true
	}
	return false
}

// isNil reports whether a value is a nil, which is a delete.
func (c *coder[K, V]) isNil(v V) bool {
	if !c.nilable {
		return false
	}
	r := reflect.ValueOf(any(v))
	return !r.IsValid() || nilable(r.Type()) && r.IsNil()
}

// key returns k's bytes, valid until the next call.
func (c *coder[K, V]) key(k K) ([]byte, error) {
	c.keyBuffer = c.keyBuffer[:0]
	return c.appendKey(k)
}

// appendKey appends k's bytes to the key buffer, which holds what precedes the
// key, and returns the buffer.
func (c *coder[K, V]) appendKey(k K) ([]byte, error) {
	b, err := c.keys.Append(c.keyBuffer, k)
	if err != nil {
		return nil, fmt.Errorf("encode key for store %q: %w", c.store, err)
	}
	c.keyBuffer = b
	return b, nil
}

// value returns v's bytes after a prefix, in memory of their own.
func (c *coder[K, V]) value(prefix []byte, v V) ([]byte, error) {
	b, err := c.values.Append(append(c.valueBytes[:0], prefix...), v)
	if err != nil {
		return nil, fmt.Errorf("encode value for store %q: %w", c.store, err)
	}
	c.valueBytes = b
	return append(make([]byte, 0, len(b)), b...), nil
}

func (c *coder[K, V]) decodeKey(b []byte) (K, error) {
	k, err := c.keys.Decode(b)
	if err != nil {
		err = fmt.Errorf("decode key of store %q: %w", c.store, err)
	}
	return k, err
}

func (c *coder[K, V]) decodeValue(b []byte) (V, error) {
	v, err := c.values.Decode(b)
	if err != nil {
		err = fmt.Errorf("decode value of store %q: %w", c.store, err)
	}
	return v, err
}

// decodeTimed decodes a value that has a time before it.
func (c *coder[K, V]) decodeTimed(b []byte) (v V, t int64, err error) {
	if t, b, err = cutTime(b); err == nil {
		v, err = c.decodeValue(b)
	}
	return v, t, err
}

// cutTime splits off the 8 bytes of a time. The rest is never nil.
func cutTime(b []byte) (t int64, rest []byte, err error) {
	if len(b) < 8 {
		return 0, nil, fmt.Errorf("%w: %d bytes have no time", ErrCorrupt, len(b))
	}
	return int64(binary.BigEndian.Uint64(b)), b[8:], nil
}

// timed returns a value's bytes with a time before them, and nil for nil.
func timed(t int64, value []byte) []byte {
	if value == nil {
		return nil
	}
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(value)), uint64(t)), value...)
}

// timedRecord is the changelog record of a value that has a time before it: the
// time is the record's timestamp, as Kafka's timestamped stores write it.
func timedRecord(key, value []byte) ChangelogRecord {
	if t, rest, err := cutTime(value); err == nil {
		return ChangelogRecord{Key: key, Value: rest, Timestamp: t}
	}
	return ChangelogRecord{Key: key, Value: value, Timestamp: -1}
}

// open returns the bytes of a declared store. A store that was not declared, or
// as another kind, is a fault of the program and panics.
func open(o Opener, spec Spec) *Bytes {
	b, err := o.State().Bytes(spec.Name())
	if err != nil {
		panic(fmt.Errorf("%w: a node must name the stores that it opens", err))
	}
	if b.spec.Kind() != spec.Kind() {
		panic(fmt.Errorf("open %v %q: %w: it was declared as a %v", spec.Kind(), spec.Name(), ErrDeclared, b.spec.Kind()))
	}
	return b
}
