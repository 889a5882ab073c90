package datum

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/eosproc/eosproc/codec"
)

// ErrKind is wrapped by the errors of values that a format cannot hold.
var ErrKind = errors.New("the format cannot hold this value")

// Format is a wire form by name. Formats are compared by identity: two that are
// made separately never pass bytes to each other.
type Format struct {
	Name string
	// Type is what values decode to, by the names of package expression.
	Type   string
	decode func([]byte) (any, error)
	append func([]byte, any) ([]byte, error)
	// project reads some fields of a map without the others; nil if the format
	// cannot, and false if this one is no map or is malformed.
	project func(b []byte, names []string, into map[string]any) bool
}

// The formats that need nothing else.
var (
	JSON    = jsonFormat()
	String  = format("string", "string", codec.String, text)
	Bytes   = format("bytes", "bytes", codec.Bytes, blob)
	Int64   = format("int64", "int", codec.Int64, whole)
	Int32   = narrow()
	Float64 = format("float64", "float", codec.Float64, float)
	Bool    = format("bool", "bool", codec.Bool, func(v any) (bool, bool) { b, ok := v.(bool); return b, ok })
)

var builtin = map[string]*Format{}

func init() {
	for _, f := range []*Format{JSON, String, Bytes, Int64, Int32, Float64, Bool} {
		builtin[f.Name] = f
	}
}

// Builtin returns the format with a name.
func Builtin(name string) (*Format, bool) {
	f, ok := builtin[name]
	return f, ok
}

// Names returns the names of the built-in formats, sorted.
func Names() []string { return slices.Sorted(maps.Keys(builtin)) }

// Custom makes a format of a codec for open values, as those of a schema registry are.
func Custom(name string, c codec.Codec[any]) *Format {
	return &Format{Name: name, Type: "any", decode: c.Decode, append: c.Append}
}

// format makes a Format of a typed codec. take gives a value of an expression the
// codec's type, if that loses nothing.
func format[T any](name, typ string, c codec.Codec[T], take func(any) (T, bool)) *Format {
	return &Format{
		Name: name, Type: typ,
		decode: func(b []byte) (any, error) {
			v, err := c.Decode(b)
			if err != nil {
				return nil, err
			}
			return v, nil
		},
		append: func(dst []byte, v any) ([]byte, error) {
			x, ok := take(v)
			if !ok {
				return dst, fmt.Errorf("%w: %s cannot be written as %s", ErrKind, kind(v), name)
			}
			return c.Append(dst, x)
		},
	}
}

func jsonFormat() *Format {
	c := codec.JSON[any]()
	f := Custom("json", c)
	f.decode = func(b []byte) (any, error) {
		if v, ok := scan(b); ok {
			return v, nil
		}
		return c.Decode(b)
	}
	f.project = project
	return f
}

func narrow() *Format {
	f := format("int32", "int", codec.Int32, func(v any) (int32, bool) {
		i, ok := whole(v)
		return int32(i), ok && int64(int32(i)) == i
	})
	decode := f.decode
	f.decode = func(b []byte) (any, error) {
		v, err := decode(b)
		if err != nil {
			return nil, err
		}
		return int64(v.(int32)), nil
	}
	return f
}

func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

func blob(v any) ([]byte, bool) {
	switch v := v.(type) {
	case []byte:
		return v, v != nil
	case string:
		return []byte(v), true
	}
	return nil, false
}

func whole(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	}
	return 0, false
}

// float takes a whole number too, if a float64 can hold it.
func float(v any) (float64, bool) {
	if f, ok := v.(float64); ok {
		return f, true
	}
	i, ok := whole(v)
	return float64(i), ok && i >= -1<<53 && i <= 1<<53
}

// kind names a value's kind, never its content.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a bool"
	case string:
		return "a string"
	case int, int32, int64:
		return "an int"
	case float64:
		return "a float"
	case []byte:
		return "bytes"
	case json.Number:
		return "an integer beyond 64 bits"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	}
	return fmt.Sprintf("a %T", v)
}
