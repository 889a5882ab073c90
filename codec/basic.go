package codec

import (
	"encoding/binary"
	"math"
)

// String is text as it is: Kafka's StringSerializer. The bytes are not checked
// to be UTF-8. Kafka's reader would replace invalid sequences; keeping them means
// that a record passes through unchanged. Decode copies, so that a short key in
// state does not keep a whole fetch buffer alive.
var String Codec[string] = stringCodec{}

// Bytes is the record's bytes as they are: Kafka's ByteArraySerializer. Decode
// returns its argument, without a copy; it must not be modified. The codec is an
// [Aliaser]. A nil slice is a null and answers [ErrNil]; an empty one is an empty
// value.
var Bytes Codec[[]byte] = bytesCodec{}

// Int64 is 8 bytes, big endian, two's complement: Kafka's LongSerializer.
var Int64 Codec[int64] = int64Codec{}

// Int32 is 4 bytes, big endian, two's complement: Kafka's IntegerSerializer.
var Int32 Codec[int32] = int32Codec{}

// Float64 is 8 bytes, IEEE 754, big endian: Kafka's DoubleSerializer. All bit
// patterns pass unchanged, NaN payloads included.
var Float64 Codec[float64] = float64Codec{}

// Bool is one byte, 1 or 0: Kafka's BooleanSerializer. Any other byte is
// malformed, as it is for Kafka's reader.
var Bool Codec[bool] = boolCodec{}

type (
	stringCodec  struct{}
	bytesCodec   struct{}
	int64Codec   struct{}
	int32Codec   struct{}
	float64Codec struct{}
	boolCodec    struct{}
)

func (stringCodec) Append(dst []byte, v string) ([]byte, error) { return append(dst, v...), nil }
func (stringCodec) Decode(b []byte) (string, error)             { return string(b), nil }

func (bytesCodec) Append(dst []byte, v []byte) ([]byte, error) {
	if v == nil {
		return dst, ErrNil
	}
	return append(dst, v...), nil
}
func (bytesCodec) Decode(b []byte) ([]byte, error) { return b, nil }
func (bytesCodec) Bytes(v []byte) ([]byte, bool)   { return v, v != nil }

func (int64Codec) Append(dst []byte, v int64) ([]byte, error) {
	return binary.BigEndian.AppendUint64(dst, uint64(v)), nil
}

func (int64Codec) Decode(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, lengthError("int64", 8, len(b))
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

func (int32Codec) Append(dst []byte, v int32) ([]byte, error) {
	return binary.BigEndian.AppendUint32(dst, uint32(v)), nil
}

func (int32Codec) Decode(b []byte) (int32, error) {
	if len(b) != 4 {
		return 0, lengthError("int32", 4, len(b))
	}
	return int32(binary.BigEndian.Uint32(b)), nil
}

func (float64Codec) Append(dst []byte, v float64) ([]byte, error) {
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(v)), nil
}

func (float64Codec) Decode(b []byte) (float64, error) {
	if len(b) != 8 {
		return 0, lengthError("float64", 8, len(b))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
}

func (boolCodec) Append(dst []byte, v bool) ([]byte, error) {
	if v {
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}

func (boolCodec) Decode(b []byte) (bool, error) {
	if len(b) != 1 {
		return false, lengthError("bool", 1, len(b))
	}
	if b[0] > 1 {
		return false, &DecodeError{Format: "bool", Offset: 0, Want: "byte 0 or 1", Found: "another byte"}
	}
	return b[0] == 1, nil
}
