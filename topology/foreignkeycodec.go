package topology

import (
	"encoding/binary"

	"github.com/eosproc/eosproc/codec"
)

// addressed is what goes through an internal topic of a foreign-key join.
type addressed interface {
	// to returns the partition for it, or AnyPartition.
	to() int32
}

// registration says that the left row with a key points to a right one, whose key
// is the record's, or no longer does.
type registration[K any] struct {
	key       K
	partition int32 // of the left row's task
	subscribe bool
	hash      valueHash
}

func (registration[K]) to() int32 { return AnyPartition }

// response is the right row to which a left one points, whose key is the record's.
type response[R any] struct {
	hash      valueHash // of the left row that was asked for
	right     R
	found     bool
	partition int32 // of the left row's task; not on the wire
}

func (r response[R]) to() int32 { return r.partition }

// registrationCodec writes a flag, the partition (4 bytes, big endian), the hash, and the key.
type registrationCodec[K any] struct{ key codec.Codec[K] }

const registrationHead = 1 + 4 + len(valueHash{})

func (c registrationCodec[K]) Append(dst []byte, m registration[K]) ([]byte, error) {
	out := append(dst, flag(m.subscribe))
	out = binary.BigEndian.AppendUint32(out, uint32(m.partition))
	out, err := c.key.Append(append(out, m.hash[:]...), m.key)
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (c registrationCodec[K]) Decode(b []byte) (m registration[K], err error) {
	if len(b) < registrationHead || b[0] > 1 {
		return m, malformedForeign("a registration")
	}
	m.subscribe = b[0] == 1
	m.partition = int32(binary.BigEndian.Uint32(b[1:]))
	copy(m.hash[:], b[5:])
	m.key, err = c.key.Decode(b[registrationHead:])
	return m, err
}

// responseCodec writes a flag, the hash, and the right row's value if there is one.
type responseCodec[R any] struct{ right codec.Codec[R] }

const responseHead = 1 + len(valueHash{})

func (c responseCodec[R]) Append(dst []byte, m response[R]) ([]byte, error) {
	out := append(append(dst, flag(m.found)), m.hash[:]...)
	if !m.found {
		return out, nil
	}
	out, err := c.right.Append(out, m.right)
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (c responseCodec[R]) Decode(b []byte) (m response[R], err error) {
	if len(b) < responseHead || b[0] > 1 {
		return m, malformedForeign("a response")
	}
	m.found = b[0] == 1
	copy(m.hash[:], b[1:])
	if m.found {
		m.right, err = c.right.Decode(b[responseHead:])
	}
	return m, err
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

func malformedForeign(want string) error {
	return &codec.DecodeError{Format: "foreign-key join", Offset: -1, Want: want, Found: "something else"}
}
