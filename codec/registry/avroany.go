package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/eosproc/eosproc/codec"
)

// AvroAny is Avro for programs that do not know the type: records are
// map[string]any (see the package comment for the other types; decimals are
// [encoding/json.Number], UUIDs text, unions the value of their branch).
//
// A record is read with the schema it was written with alone, so that fields newer
// than this process pass through it; with [Schema] it is resolved to that one as
// [Avro] does. Written is always the schema found by the constructor.
func AvroAny(ctx context.Context, client *sr.Client, subject string, opts ...Option) (codec.Codec[any], error) {
	c, err := newAvro(ctx, client, subject, false, opts)
	if err != nil {
		return nil, err
	}
	return avroAny{c}, nil
}

type avroAny struct{ *avroCodec }

func (c avroAny) Append(dst []byte, v any) ([]byte, error) {
	if isNil(v) {
		return dst, fmt.Errorf("encode avro: %w", codec.ErrNil)
	}
	return c.append(dst, v)
}

func (c avroAny) Decode(b []byte) (any, error) {
	var v any
	if err := c.decode(b, &v); err != nil {
		return nil, err
	}
	if v == nil {
		return nil, &codec.DecodeError{Format: "avro", Offset: headerSize, Want: "a value", Found: "null", Cause: codec.ErrNil}
	}
	return plainAvro(v), nil
}

// plainAvro replaces the Avro library's narrower types, in place for maps and
// slices.
func plainAvro(v any) any {
	switch v := v.(type) {
	case int32:
		return int64(v)
	case float32:
		return float64(v)
	case *big.Rat:
		// A decimal has a finite expansion, so this is exact.
		digits, _ := v.FloatPrec()
		return json.Number(v.FloatString(digits))
	case [16]byte:
		return codec.UUID(v).String()
	case avro.Duration:
		return map[string]any{"months": int64(v.Months), "days": int64(v.Days), "milliseconds": int64(v.Milliseconds)}
	case map[string]any:
		for k, x := range v {
			v[k] = plainAvro(x)
		}
	case []any:
		for i, x := range v {
			v[i] = plainAvro(x)
		}
	}
	return v
}
