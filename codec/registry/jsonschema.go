package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/eosproc/eosproc/codec"
)

// JSONSchema is JSON with the JSON Schema of a subject. Documents are as
// [codec.JSON] reads and writes them. They are validated against the schema that
// their header names, in both directions, unless [SkipValidation] is given. A
// schema without $schema is taken as draft 7, as by Confluent's serializers.
//
// It returns an error that wraps [codec.ErrUnavailable], [ErrUnknownSchema] or
// [ErrSchema] if the schema to write with cannot be had.
func JSONSchema[T any](ctx context.Context, client *sr.Client, subject string, opts ...Option) (codec.Codec[T], error) {
	o := newOptions(opts)
	id, s, err := resolve(ctx, client, subject, sr.TypeJSON, o)
	if err != nil {
		return nil, fmt.Errorf("make json schema codec: %w", err)
	}
	c := &jsonSchemaCodec[T]{
		id: id, options: o, document: codec.JSON[T](), anything: codec.JSON[any](),
		readers: &schemas[*jsonschema.Schema]{client: client, kind: sr.TypeJSON, timeout: o.timeout, compile: compileJSONSchema},
	}
	if !o.decodeOnly {
		if c.writer, err = c.readers.build(ctx, s); err != nil {
			return nil, fmt.Errorf("make json schema codec: %w", err)
		}
	}
	return c, nil
}

// JSONSchemaAny is [JSONSchema] for programs that do not know the type: objects
// are map[string]any and whole numbers int64.
func JSONSchemaAny(ctx context.Context, client *sr.Client, subject string, opts ...Option) (codec.Codec[any], error) {
	return JSONSchema[any](ctx, client, subject, opts...)
}

type jsonSchemaCodec[T any] struct {
	id       int
	options  options
	writer   *jsonschema.Schema
	readers  *schemas[*jsonschema.Schema]
	document codec.Codec[T]
	anything codec.Codec[any] // what is validated
}

func (c *jsonSchemaCodec[T]) Append(dst []byte, v T) ([]byte, error) {
	if c.options.decodeOnly {
		return dst, fmt.Errorf("encode json schema: %w", ErrDecodeOnly)
	}
	out, err := c.document.Append(appendHeader(dst, c.id), v)
	if err != nil {
		return dst, err
	}
	if c.options.noValidate {
		return out, nil
	}
	// The document is what is validated, not the value: a marshaler may write
	// something else than its type shows.
	doc, err := c.anything.Decode(out[len(dst)+headerSize:])
	if err != nil {
		return dst, fmt.Errorf("encode json schema: %w", err)
	}
	if err := c.writer.Validate(doc); err != nil {
		at, rule := violation(err)
		return dst, &valueError{format: "json schema", field: at, detail: rule, cause: err}
	}
	return out, nil
}

func (c *jsonSchemaCodec[T]) Decode(b []byte) (T, error) {
	var none T
	id, body, err := cutHeader(b)
	if err != nil {
		return none, fmt.Errorf("decode json schema: %w", err)
	}
	if c.options.noValidate {
		return c.document.Decode(body)
	}
	s, err := c.readers.get(id)
	if err != nil {
		return none, fmt.Errorf("decode json schema: %w", err)
	}
	doc, err := c.anything.Decode(body)
	if err != nil {
		return none, err
	}
	if err := s.Validate(doc); err != nil {
		at, rule := violation(err)
		return none, &codec.DecodeError{
			Format: fmt.Sprintf("json of schema %d", id), Offset: -1, Field: at, Found: rule, Cause: err,
		}
	}
	if v, ok := doc.(T); ok {
		return v, nil // T is any, or exactly what the document holds
	}
	return c.document.Decode(body)
}

// violation names where a document breaks its schema and which keyword says so,
// without the value, by the first of the deepest causes.
func violation(err error) (at, rule string) {
	var e *jsonschema.ValidationError
	if !errors.As(err, &e) {
		return "", "a value that the schema cannot judge"
	}
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	rule = "a violation of the schema"
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		rule = "a violation of " + strings.Join(path, "/")
	}
	return strings.Join(e.InstanceLocation, "."), rule
}

// schemaSelf is the address of a schema without an $id, so that relative references
// resolve against something other than this process's directory.
const schemaSelf = "registry:///self"

func compileJSONSchema(s sr.Schema, refs []reference) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(s.Schema))
	if err != nil {
		return nil, fmt.Errorf("parse json schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	// The default loader reads files: a schema is foreign and must reach only
	// what the registry lists as its references.
	c.UseLoader(referenceLoader(refs))
	if err := c.AddResource(schemaSelf, doc); err != nil {
		return nil, fmt.Errorf("compile json schema: %w", err)
	}
	out, err := c.Compile(schemaSelf)
	if err != nil {
		return nil, fmt.Errorf("compile json schema: %w", err)
	}
	return out, nil
}

type referenceLoader []reference

// Load finds a reference by its name, or by a name relative to the schema's own
// address.
func (l referenceLoader) Load(url string) (any, error) {
	for _, r := range l {
		if url == r.name || strings.HasSuffix(url, "/"+strings.TrimPrefix(r.name, "./")) {
			return jsonschema.UnmarshalJSON(strings.NewReader(r.Schema.Schema))
		}
	}
	return nil, fmt.Errorf("%q is not among the schema's references", url)
}
