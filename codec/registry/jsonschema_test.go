package registry

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/eosproc/eosproc/codec"
)

const orderSchema = `{"type":"object","required":["id"],"properties":{
	"id":{"type":"integer"},"note":{"type":"string","maxLength":5}}}`

type jsonOrder struct {
	ID   int64  `json:"id"`
	Note string `json:"note,omitempty"`
}

func TestJSONSchema(t *testing.T) {
	f := newFixture(t)
	c, err := JSONSchema[jsonOrder](t.Context(), f.client, "orders-value", Schema(orderSchema), Register())
	require.NoError(t, err)
	b, err := c.Append([]byte("dst"), jsonOrder{ID: 1<<53 + 1, Note: "<&>"})
	require.NoError(t, err)
	require.Equal(t, `{"id":9007199254740993,"note":"<&>"}`, string(b[3+headerSize:]))
	v, err := c.Decode(b[3:])
	require.NoError(t, err)
	require.Equal(t, jsonOrder{ID: 1<<53 + 1, Note: "<&>"}, v)

	open, err := JSONSchemaAny(t.Context(), f.client, "", DecodeOnly())
	require.NoError(t, err)
	got, err := open.Decode(b[3:])
	require.NoError(t, err)
	require.Equal(t, map[string]any{"id": int64(1<<53 + 1), "note": "<&>"}, got)
}

func TestJSONSchemaValidates(t *testing.T) {
	f := newFixture(t)
	c, err := JSONSchema[jsonOrder](t.Context(), f.client, "orders-value", Schema(orderSchema), Register())
	require.NoError(t, err)
	dst, err := c.Append([]byte("dst"), jsonOrder{ID: 1, Note: "a secret"})
	require.ErrorIs(t, err, ErrValue)
	require.EqualError(t, err, "encode json schema: value does not fit the schema (field note): a violation of maxLength")
	require.Equal(t, []byte("dst"), dst)

	loose, err := JSONSchema[jsonOrder](t.Context(), f.client, "orders-value", SkipValidation())
	require.NoError(t, err)
	b, err := loose.Append(nil, jsonOrder{ID: 1, Note: "a secret"})
	require.NoError(t, err)
	_, err = c.Decode(b)
	require.ErrorIs(t, err, codec.ErrMalformed)
	require.ErrorContains(t, err, "(field note): found a violation of maxLength")
	require.NotContains(t, err.Error(), "secret")
	v, err := loose.Decode(b)
	require.NoError(t, err)
	require.Equal(t, "a secret", v.Note)

	_, err = c.Decode(b[:len(b)-1])
	require.ErrorIs(t, err, codec.ErrMalformed)
}

// A record of version 1 is judged by version 1, though this side writes version 2.
func TestJSONSchemaEvolution(t *testing.T) {
	f := newFixture(t)
	v1, err := JSONSchemaAny(t.Context(), f.client, "orders-value", Schema(orderSchema), Register())
	require.NoError(t, err)
	old, err := v1.Append(nil, map[string]any{"id": int64(1)})
	require.NoError(t, err)
	v2, err := JSONSchemaAny(t.Context(), f.client, "orders-value", Register(),
		Schema(`{"type":"object","required":["id","note"],"properties":{"id":{"type":"integer"}}}`))
	require.NoError(t, err)
	_, err = v2.Append(nil, map[string]any{"id": int64(1)})
	require.ErrorIs(t, err, ErrValue)
	got, err := v2.Decode(old)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"id": int64(1)}, got)
}

func TestJSONSchemaReferences(t *testing.T) {
	for name, ids := range map[string][2]string{
		"relative":  {``, `"item.json"`},
		"absolute":  {`"$id":"http://example.com/order.json",`, `"http://example.com/item.json"`},
		"to its id": {`"$id":"http://example.com/order.json",`, `"item.json"`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.seed(t, "item", sr.TypeJSON, `{"type":"integer"}`)
			ref := "item.json"
			if name == "absolute" {
				ref = "http://example.com/item.json"
			}
			c, err := JSONSchemaAny(t.Context(), f.client, "orders-value", Register(),
				Schema(`{`+ids[0]+`"properties":{"item":{"$ref":`+ids[1]+`}}}`, sr.SchemaReference{Name: ref, Subject: "item", Version: 1}))
			require.NoError(t, err)
			_, err = c.Append(nil, map[string]any{"item": json.Number("123456789012345678901234567890")})
			require.NoError(t, err)
			_, err = c.Append(nil, map[string]any{"item": "x"})
			require.ErrorIs(t, err, ErrValue)
		})
	}
}

// A schema comes from elsewhere and must not make this process read files.
func TestJSONSchemaReachesOnlyItsReferences(t *testing.T) {
	f := newFixture(t)
	_, err := JSONSchemaAny(t.Context(), f.client, "orders-value", Register(), Schema(`{"$ref":"file:///etc/hostname"}`))
	require.ErrorIs(t, err, ErrSchema)
	require.ErrorContains(t, err, "not among the schema's references")
}
