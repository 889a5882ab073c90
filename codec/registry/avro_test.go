package registry

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/eosproc/eosproc/codec"
)

func TestAvroEvolution(t *testing.T) {
	f := newFixture(t)
	const v2 = `{"type":"record","name":"User","fields":[
		{"name":"name","type":"string"},{"name":"email","type":"string","default":"none"}]}`
	type userV2 struct {
		Name  string `avro:"name"`
		Email string `avro:"email"`
	}
	old, err := Avro[user](t.Context(), f.client, "users-value", Schema(userV1), Register())
	require.NoError(t, err)
	written, err := old.Append(nil, user{"amy"})
	require.NoError(t, err)

	// The latest schema is what a new reader wants; what is missing gets its default.
	f.seed(t, "users-value", sr.TypeAvro, v2)
	young, err := Avro[userV2](t.Context(), f.client, "users-value")
	require.NoError(t, err)
	got, err := young.Decode(written)
	require.NoError(t, err)
	require.Equal(t, userV2{"amy", "none"}, got)

	// And the old reader skips what it does not know.
	written, err = young.Append(nil, userV2{"bob", "b@example.com"})
	require.NoError(t, err)
	back, err := old.Decode(written)
	require.NoError(t, err)
	require.Equal(t, user{"bob"}, back)

	// The dynamic codec shows each record as it was written, unless given a schema.
	any1, err := AvroAny(t.Context(), f.client, "", DecodeOnly())
	require.NoError(t, err)
	v, err := any1.Decode(written)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"name": "bob", "email": "b@example.com"}, v)
	any2, err := AvroAny(t.Context(), f.client, "", DecodeOnly(), Schema(userV1))
	require.NoError(t, err)
	v, err = any2.Decode(written)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"name": "bob"}, v)
}

func TestAvroIncompatibleReader(t *testing.T) {
	f := newFixture(t)
	id := f.seed(t, "users-value", sr.TypeAvro, userV1)
	c, err := Avro[user](t.Context(), f.client, "", DecodeOnly(),
		Schema(`{"type":"record","name":"User","fields":[{"name":"name","type":"string"},{"name":"age","type":"int"}]}`))
	require.NoError(t, err)
	_, err = c.Decode(append(appendHeader(nil, id), amy...))
	require.ErrorIs(t, err, ErrSchema)
	require.ErrorIs(t, err, codec.ErrMalformed)
}

func TestAvroAny(t *testing.T) {
	f := newFixture(t)
	c, err := AvroAny(t.Context(), f.client, "all-value", Register(), Schema(`{"type":"record","name":"All","fields":[
		{"name":"i","type":"int"},
		{"name":"l","type":"long"},
		{"name":"f","type":"float"},
		{"name":"d","type":"double"},
		{"name":"s","type":"string"},
		{"name":"b","type":"bytes"},
		{"name":"u","type":["null","int"]},
		{"name":"n","type":["null","int"]},
		{"name":"a","type":{"type":"array","items":"int"}},
		{"name":"m","type":{"type":"map","values":"int"}},
		{"name":"t","type":{"type":"long","logicalType":"timestamp-millis"}},
		{"name":"dec","type":{"type":"bytes","logicalType":"decimal","precision":20,"scale":4}},
		{"name":"id","type":{"type":"fixed","name":"ID","size":16,"logicalType":"uuid"}},
		{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}}
	]}`))
	require.NoError(t, err)
	in := map[string]any{
		"i": int64(-5), "l": int64(1<<53 + 1), "f": 0.5, "d": 0.1, "s": "text", "b": []byte{0, 1},
		"u": int64(7), "n": nil,
		"a": []any{int64(1), int64(2)}, "m": map[string]any{"k": int64(3)},
		"t":   time.UnixMilli(1719792000123).UTC(),
		"dec": json.Number("1234567890123456.789"),
		"id":  "123e4567-e89b-12d3-a456-426614174000",
		"e":   "B",
	}
	b, err := c.Append([]byte("dst"), in)
	require.NoError(t, err)
	require.Equal(t, "dst", string(b[:3]))
	out, err := c.Decode(b[3:])
	require.NoError(t, err)
	require.Equal(t, in, out)

	// Too large for its field: an error, not a cut value, and nothing quoted.
	in["i"] = int64(1 << 40)
	dst, err := c.Append([]byte("dst"), in)
	require.ErrorIs(t, err, ErrValue)
	require.NotContains(t, err.Error(), fmt.Sprint(1<<40))
	require.ErrorContains(t, err, "field i")
	require.Equal(t, []byte("dst"), dst)

	_, err = c.Append(nil, nil)
	require.ErrorIs(t, err, codec.ErrNil)
	_, err = c.Append(nil, map[string]any(nil))
	require.ErrorIs(t, err, codec.ErrNil)
}

func TestAvroPrimitiveKey(t *testing.T) {
	f := newFixture(t)
	typed, err := Avro[int64](t.Context(), f.client, "k-key", Schema(`"long"`), Register())
	require.NoError(t, err)
	b, err := typed.Append(nil, 1<<60)
	require.NoError(t, err)
	open, err := AvroAny(t.Context(), f.client, "k-key")
	require.NoError(t, err)
	v, err := open.Decode(b)
	require.NoError(t, err)
	require.Equal(t, int64(1<<60), v)
}

func TestAvroDamagedBody(t *testing.T) {
	f := newFixture(t)
	id := f.seed(t, "users-value", sr.TypeAvro, userV1)
	c := reader(t, f)
	_, err := c.Decode(append(appendHeader(nil, id), "\x06am"...))
	require.ErrorIs(t, err, codec.ErrMalformed)
	_, err = c.Decode(append(appendHeader(nil, id), amy+"secret"...))
	require.ErrorIs(t, err, codec.ErrMalformed)
	require.EqualError(t, err, fmt.Sprintf("decode avro of schema %d at offset 9: want the end, found 6 more bytes", id))
}

func TestAvroReferences(t *testing.T) {
	f := newFixture(t)
	f.seed(t, "country", sr.TypeAvro, `{"type":"record","name":"Country","namespace":"x","fields":[{"name":"code","type":"string"}]}`)
	f.seed(t, "address", sr.TypeAvro, `{"type":"record","name":"Address","namespace":"x","fields":[{"name":"country","type":"x.Country"}]}`,
		sr.SchemaReference{Name: "x.Country", Subject: "country", Version: 1})
	c, err := AvroAny(t.Context(), f.client, "person-value", Register(),
		Schema(`{"type":"record","name":"Person","fields":[{"name":"home","type":"x.Address"},{"name":"born","type":"x.Country"}]}`,
			sr.SchemaReference{Name: "x.Address", Subject: "address", Version: 1},
			sr.SchemaReference{Name: "x.Country", Subject: "country", Version: 1}))
	require.NoError(t, err)
	in := map[string]any{"home": map[string]any{"country": map[string]any{"code": "PT"}}, "born": map[string]any{"code": "BR"}}
	b, err := c.Append(nil, in)
	require.NoError(t, err)
	out, err := c.Decode(b)
	require.NoError(t, err)
	require.Equal(t, in, out)
}
