package topology

import (
	"encoding/binary"
	"errors"

	"github.com/eosproc/eosproc/codec"
)

// changeCodec writes a change to the internal topic of a grouped table, as
// ChangedSerializer of Kafka Streams does: the value and a flag, or the length of
// the new value as a varint, both values and a flag.
type changeCodec[V any] struct{ value codec.Codec[V] }

const (
	onlyOld byte = iota
	onlyNew
	oldAndNew
)

var errEmptyChange = errors.New("a change with neither an old nor a new value")

func (c changeCodec[V]) Append(dst []byte, v change[V]) ([]byte, error) {
	begin := dst
	var err error
	switch {
	case v.hasNew && v.hasOld:
		var fresh []byte
		if fresh, err = c.value.Append(nil, v.new); err == nil {
			dst = append(binary.AppendVarint(dst, int64(len(fresh))), fresh...)
			if dst, err = c.value.Append(dst, v.old); err == nil {
				return append(dst, oldAndNew), nil
			}
		}
	case v.hasNew:
		if dst, err = c.value.Append(dst, v.new); err == nil {
			return append(dst, onlyNew), nil
		}
	case v.hasOld:
		if dst, err = c.value.Append(dst, v.old); err == nil {
			return append(dst, onlyOld), nil
		}
	default:
		err = errEmptyChange
	}
	return begin, err
}

func (c changeCodec[V]) Decode(b []byte) (v change[V], err error) {
	if len(b) == 0 {
		return v, c.malformed("a flag", "nothing")
	}
	flag, b := b[len(b)-1], b[:len(b)-1]
	switch flag {
	case onlyOld:
		v.hasOld = true
		v.old, err = c.value.Decode(b)
	case onlyNew:
		v.hasNew = true
		v.new, err = c.value.Decode(b)
	case oldAndNew:
		length, n := binary.Varint(b)
		if n <= 0 || length < 0 || length > int64(len(b)-n) {
			return v, c.malformed("the new value's length", "another number")
		}
		fresh, old := b[n:n+int(length)], b[n+int(length):]
		v.hasNew, v.hasOld = true, true
		if v.new, err = c.value.Decode(fresh); err == nil {
			v.old, err = c.value.Decode(old)
		}
	default:
		return v, c.malformed("a flag of 0 to 2", "another")
	}
	return v, err
}

func (changeCodec[V]) malformed(want, found string) error {
	return &codec.DecodeError{Format: "change", Offset: -1, Want: want, Found: found}
}
