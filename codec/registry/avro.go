package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/eosproc/eosproc/codec"
)

// Avro is Avro with the schema of a subject, for a Go type T whose fields carry
// avro tags (see [github.com/twmb/avro]).
//
// A record is read with the schema it was written with, resolved to the one that
// this codec writes: fields that the writer did not know get their defaults, fields
// that this side does not know are skipped. With [DecodeOnly] and no [Schema] the
// writer's schema alone applies.
//
// It returns an error that wraps [codec.ErrUnavailable], [ErrUnknownSchema] or
// [ErrSchema] if the schema to write with cannot be had.
func Avro[T any](ctx context.Context, client *sr.Client, subject string, opts ...Option) (codec.Codec[T], error) {
	c, err := newAvro(ctx, client, subject, true, opts)
	if err != nil {
		return nil, err
	}
	return avroTyped[T]{c}, nil
}

// avroCodec is the part of the Avro codecs that does not depend on a Go type.
type avroCodec struct {
	id         int
	writer     *avro.Schema // nil if decode only and no schema was given
	decodeOnly bool
	readers    *schemas[*avro.Schema]
}

// newAvro makes the common part. With evolve, records are resolved to the schema
// found for writing; a schema given by the caller is always what is read into.
func newAvro(ctx context.Context, client *sr.Client, subject string, evolve bool, opts []Option) (*avroCodec, error) {
	o := newOptions(opts)
	id, s, err := resolve(ctx, client, subject, sr.TypeAvro, o)
	if err != nil {
		return nil, fmt.Errorf("make avro codec: %w", err)
	}
	c := &avroCodec{id: id, decodeOnly: o.decodeOnly}
	var reader *avro.Schema
	c.readers = &schemas[*avro.Schema]{
		client: client, kind: sr.TypeAvro, timeout: o.timeout,
		compile: func(s sr.Schema, refs []reference) (*avro.Schema, error) {
			w, err := parseAvro(s, refs)
			if err != nil || reader == nil {
				return w, err
			}
			return avro.Resolve(w, reader)
		},
	}
	if s.Schema != "" {
		if c.writer, err = c.readers.build(ctx, s); err != nil {
			return nil, fmt.Errorf("make avro codec: %w", err)
		}
		// From here on, compile resolves to it.
		if evolve || o.schema != "" {
			reader = c.writer
		}
	}
	return c, nil
}

func parseAvro(s sr.Schema, refs []reference) (*avro.Schema, error) {
	var cache avro.SchemaCache
	for _, r := range refs {
		if _, err := cache.Parse(r.Schema.Schema); err != nil {
			return nil, fmt.Errorf("parse reference %q: %w", r.name, err)
		}
	}
	return cache.Parse(s.Schema)
}

func (c *avroCodec) append(dst []byte, v any) ([]byte, error) {
	if c.decodeOnly {
		return dst, fmt.Errorf("encode avro: %w", ErrDecodeOnly)
	}
	out, err := c.writer.AppendEncode(appendHeader(dst, c.id), v)
	if err != nil {
		return dst, &valueError{format: "avro", field: avroField(err), cause: err}
	}
	return out, nil
}

func (c *avroCodec) decode(b []byte, v any) error {
	id, body, err := cutHeader(b)
	if err != nil {
		return fmt.Errorf("decode avro: %w", err)
	}
	s, err := c.readers.get(id)
	if err != nil {
		return fmt.Errorf("decode avro: %w", err)
	}
	rest, err := s.Decode(body, v)
	if err != nil {
		return &codec.DecodeError{
			Format: fmt.Sprintf("avro of schema %d", id), Offset: -1, Field: avroField(err),
			Found: "bytes that do not fit it", Cause: err,
		}
	}
	if len(rest) > 0 {
		return &codec.DecodeError{
			Format: fmt.Sprintf("avro of schema %d", id), Offset: int64(len(b) - len(rest)),
			Want: "the end", Found: fmt.Sprintf("%d more bytes", len(rest)),
		}
	}
	return nil
}

func avroField(err error) string {
	var e *avro.SemanticError
	if errors.As(err, &e) {
		return e.Field
	}
	return ""
}

type avroTyped[T any] struct{ *avroCodec }

func (c avroTyped[T]) Append(dst []byte, v T) ([]byte, error) {
	if isNil(v) {
		return dst, fmt.Errorf("encode avro: %w", codec.ErrNil)
	}
	return c.append(dst, &v)
}

func (c avroTyped[T]) Decode(b []byte) (T, error) {
	var v T
	if err := c.decode(b, &v); err != nil {
		var none T
		return none, err
	}
	return v, nil
}
