package codec

import (
	"bytes"
	"fmt"
	"reflect"
)

// JSON is a JSON document (RFC 8259) for any T that encoding/json handles; its
// struct tags apply. Append writes no trailing newline and does not escape HTML
// characters. Decode refuses anything after the document.
//
// Wherever T leaves the type open (any, map[string]any, []any, or such a field
// at any depth) Decode gives whole numbers as int64, whole numbers beyond int64
// as [encoding/json.Number] with all their digits, and numbers with a fraction or
// an exponent as float64. No integer passes through float64, so a 64-bit
// identifier survives a pipeline that does not know its type.
//
// A document that is only the text null is refused with [ErrNil], in both
// directions: Kafka's null is the record's null bit, and taking the text for one
// would let a record that is present be written back as a tombstone. null inside a
// document is a value like any other.
//
// The error of Decode is a [*DecodeError] with the offset and the kinds of what was
// expected and found.
func JSON[T any]() Codec[T] {
	return &jsonCodec[T]{open: hasOpenType(reflect.TypeFor[T](), nil)}
}

type jsonCodec[T any] struct {
	open bool // T holds an interface somewhere, so numbers need their own types
}

func (c *jsonCodec[T]) Append(dst []byte, v T) ([]byte, error) {
	out, err := appendJSON(dst, v)
	if err != nil {
		return dst, fmt.Errorf("encode json: %w", err)
	}
	if string(out[len(dst):]) == "null" {
		return dst, fmt.Errorf("encode json: %w", ErrNil)
	}
	return out, nil
}

func (c *jsonCodec[T]) Decode(b []byte) (T, error) {
	var v T
	if isNullText(b) {
		return v, &DecodeError{Format: "json", Offset: 0, Want: "a value", Found: "the text null", Cause: ErrNil}
	}
	var err error
	if c.open {
		err = parseOpenJSON(b, &v)
	} else {
		err = parseJSON(b, &v)
	}
	if err != nil {
		var zero T
		return zero, jsonError(b, err)
	}
	return v, nil
}

func isNullText(b []byte) bool {
	// Nearly every document begins with a brace: look no further than needed.
	if len(b) < 4 || b[0] == '{' {
		return false
	}
	return string(bytes.Trim(b, jsonSpace)) == "null"
}
