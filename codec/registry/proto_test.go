package registry

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/sourcecontextpb"

	"github.com/eosproc/eosproc/codec"
)

// A stand-in for a generated message: its full name is what the schema must declare.
const contextSchema = `syntax = "proto3"; package google.protobuf;
message Other { int32 x = 1; map<string, int32> m = 2; message Inner { string s = 1; } }
message SourceContext { string file_name = 1; }`

func TestProtoTyped(t *testing.T) {
	f := newFixture(t)
	c, err := Proto[*sourcecontextpb.SourceContext](t.Context(), f.client, "ctx-value", Schema(contextSchema), Register())
	require.NoError(t, err)
	in := &sourcecontextpb.SourceContext{FileName: "a.proto"}
	b, err := c.Append([]byte("dst"), in)
	require.NoError(t, err)
	require.Equal(t, "\x02\x02\x0a\x07a.proto", string(b[3+headerSize:]), "second message of the file")
	out, err := c.Decode(b[3:])
	require.NoError(t, err)
	require.True(t, proto.Equal(in, out))

	_, err = c.Append(nil, nil)
	require.ErrorIs(t, err, codec.ErrNil)

	open, err := ProtoAny(t.Context(), f.client, "", DecodeOnly())
	require.NoError(t, err)
	v, err := open.Decode(b[3:])
	require.NoError(t, err)
	require.Equal(t, map[string]any{"file_name": "a.proto"}, v)

	_, err = open.Append(nil, v)
	require.ErrorIs(t, err, ErrDecodeOnly)
}

func TestProtoRefusesAnotherMessage(t *testing.T) {
	f := newFixture(t)
	c, err := Proto[*sourcecontextpb.SourceContext](t.Context(), f.client, "ctx-value", Schema(contextSchema), Register())
	require.NoError(t, err)
	id := f.seed(t, "ctx-value", sr.TypeProtobuf, contextSchema)

	_, err = c.Decode(append(appendHeader(nil, id), 0))
	require.EqualError(t, err, "decode protobuf at offset 5: want message google.protobuf.SourceContext, found message google.protobuf.Other")
	_, err = c.Decode(append(appendHeader(nil, id), 2, 20))
	require.ErrorIs(t, err, ErrWireFormat)
	require.ErrorContains(t, err, "has no message at [10]")
	_, err = c.Decode(append(appendHeader(nil, id), 2, 2, 0x0a, 0xff))
	require.ErrorIs(t, err, codec.ErrMalformed)

	_, err = Proto[*sourcecontextpb.SourceContext](t.Context(), f.client, "o-value", Register(), Schema(`syntax = "proto3"; message Other {}`))
	require.ErrorIs(t, err, ErrSchema)
	_, err = Proto[proto.Message](t.Context(), f.client, "ctx-value")
	require.ErrorContains(t, err, "not a generated message type")
	_, err = Proto[*dynamicpb.Message](t.Context(), f.client, "ctx-value")
	require.ErrorContains(t, err, "not a generated message type")
}

// The entries of a map are messages to Protobuf but are not counted on the wire:
// Confluent's serializer counts what stands in the schema's text.
func TestProtoNestedMessageIndex(t *testing.T) {
	f := newFixture(t)
	c, err := ProtoAny(t.Context(), f.client, "n-value", Schema(contextSchema), Register(), Message("google.protobuf.Other.Inner"))
	require.NoError(t, err)
	b, err := c.Append(nil, map[string]any{"s": "x"})
	require.NoError(t, err)
	require.Equal(t, "\x04\x00\x00\x0a\x01x", string(b[headerSize:]))
	v, err := c.Decode(b)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"s": "x"}, v)
}

const everything = `syntax = "proto3"; package shop;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "common/money.proto";
enum Color { RED = 0; BLUE = 1; }
message Everything {
	int32 i32 = 1; int64 i64 = 2; uint32 u32 = 3; uint64 u64 = 4; sint64 s64 = 5; fixed64 x64 = 6;
	float f = 7; double d = 8; bool b = 9; string s = 10; bytes y = 11; Color color = 12;
	repeated int32 list = 13; map<string, int64> by_name = 14; map<int32, common.Money> by_id = 15; map<bool, string> by_flag = 16;
	common.Money price = 17; optional int32 maybe = 18; oneof pick { string left = 19; int32 right = 20; }
	google.protobuf.Timestamp at = 21; google.protobuf.Duration took = 22; google.protobuf.Int64Value wrapped = 23;
	repeated common.Money prices = 24;
}`

func anyProto(t *testing.T, f *fixture) codec.Codec[any] {
	f.seed(t, "money", sr.TypeProtobuf, `syntax = "proto3"; package common; message Money { int64 cents = 1; }`)
	c, err := ProtoAny(t.Context(), f.client, "all-value", Register(), Schema(everything, sr.SchemaReference{Name: "common/money.proto", Subject: "money", Version: 1}))
	require.NoError(t, err)
	return c
}

func TestProtoAny(t *testing.T) {
	f := newFixture(t)
	c := anyProto(t, f)
	money := func(cents int64) map[string]any { return map[string]any{"cents": cents} }
	in := map[string]any{
		"i32": int64(math.MinInt32), "i64": int64(1<<53 + 1), "u32": int64(math.MaxUint32), "u64": json.Number("18446744073709551615"),
		"s64": int64(math.MinInt64), "x64": int64(7), "f": 0.5, "d": 0.1, "b": true, "s": "text", "y": []byte{1}, "color": "BLUE",
		"list": []any{int64(1), int64(2)}, "by_name": map[string]any{"k": int64(9)}, "by_id": map[string]any{"-4": money(3)},
		"by_flag": map[string]any{"true": "yes"}, "price": money(1 << 60), "maybe": int64(0), "right": int64(5),
		"at": time.Unix(1719792000, 123456789).UTC(), "took": -1500 * time.Millisecond, "wrapped": int64(8),
		"prices": []any{money(1), money(0)},
	}
	b, err := c.Append(nil, in)
	require.NoError(t, err)
	again, err := c.Append(nil, in)
	require.NoError(t, err)
	require.Equal(t, b, again, "the same value has the same bytes")
	out, err := c.Decode(b)
	require.NoError(t, err)
	require.Equal(t, in, out)

	// What is unset and cannot tell is there as its zero value; the rest is absent.
	b, err = c.Append(nil, map[string]any{"price": nil})
	require.NoError(t, err)
	out, err = c.Decode(b)
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"i32": int64(0), "i64": int64(0), "u32": int64(0), "u64": int64(0), "s64": int64(0), "x64": int64(0), "f": 0.0, "d": 0.0,
		"b": false, "s": "", "y": []byte(nil), "color": "RED",
		"list": []any{}, "by_name": map[string]any{}, "by_id": map[string]any{}, "by_flag": map[string]any{}, "prices": []any{},
	}, out)
}

func TestProtoAnyRefuses(t *testing.T) {
	f := newFixture(t)
	c := anyProto(t, f)
	for want, in := range map[string]any{
		"(field nope): message shop.Everything has no such field":              map[string]any{"nope": 1},
		"(field i32): want int32, found int64 or a number out of range":        map[string]any{"i32": int64(1 << 31)},
		"(field u64): want uint64, found int or a number out of range":         map[string]any{"u64": -1},
		"(field i64): want int64, found float64 or a number out of range":      map[string]any{"i64": 1.5},
		"(field d): want double, found int64 or a number out of range":         map[string]any{"d": int64(1<<53 + 1)},
		"(field s): want string, found int or a number out of range":           map[string]any{"s": 5},
		"(field color): enum shop.Color has no such name":                      map[string]any{"color": "secret"},
		"(field list.1): want int32, found string or a number out of range":    map[string]any{"list": []any{1, "secret"}},
		"(field price.cents): want int64, found bool or a number out of range": map[string]any{"price": map[string]any{"cents": true}},
		"oneof pick has two values":                                            map[string]any{"left": "secret", "right": 1},
		"want message shop.Everything, found string":                           "secret",
		"required field missing or text not UTF-8":                             map[string]any{"s": "secret\xff"},
	} {
		dst, err := c.Append([]byte("dst"), in)
		require.ErrorIs(t, err, ErrValue, want)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
		require.Equal(t, []byte("dst"), dst)
	}
	_, err := c.Append(nil, nil)
	require.ErrorIs(t, err, codec.ErrNil)
}

func TestProtoEvolution(t *testing.T) {
	f := newFixture(t)
	v1, err := ProtoAny(t.Context(), f.client, "o-value", Register(), Schema(`syntax = "proto3"; message Order { int64 id = 1; }`))
	require.NoError(t, err)
	old, err := v1.Append(nil, map[string]any{"id": 1})
	require.NoError(t, err)
	v2, err := ProtoAny(t.Context(), f.client, "o-value", Register(), Schema(`syntax = "proto3"; message Order { int64 id = 1; string note = 2; }`))
	require.NoError(t, err)
	young, err := v2.Append(nil, map[string]any{"id": 2, "note": "n"})
	require.NoError(t, err)

	// Each record is shown as its writer's schema says.
	got, err := v2.Decode(old)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"id": int64(1)}, got)
	got, err = v1.Decode(young)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"id": int64(2), "note": "n"}, got)
}

func TestProtoMissingImport(t *testing.T) {
	f := newFixture(t)
	_, err := ProtoAny(t.Context(), f.client, "o-value", Register(), Schema(`syntax = "proto3"; import "absent.proto"; message Order {}`))
	require.ErrorIs(t, err, ErrSchema)
	require.ErrorContains(t, err, "absent.proto")
}
