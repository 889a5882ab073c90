package registry

import (
	"context"
	"fmt"
	"reflect"

	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/eosproc/eosproc/codec"
)

// Proto is Protobuf with the schema of a subject, for a generated message type T
// (a pointer, such as *pb.Order). The schema must declare a message of T's full
// name; a record of any other message is refused rather than read as T, which
// Protobuf itself would let pass. Fields that T does not know are kept and written
// again. Map values are written in order of their keys, so equal messages have equal bytes
// within one version of the Protobuf library.
//
// It returns an error that wraps [codec.ErrUnavailable], [ErrUnknownSchema] or
// [ErrSchema] if the schema to write with cannot be had.
func Proto[T proto.Message](ctx context.Context, client *sr.Client, subject string, opts ...Option) (codec.Codec[T], error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Pointer || t.Elem().PkgPath() == "google.golang.org/protobuf/types/dynamicpb" {
		return nil, fmt.Errorf("make protobuf codec: %s is not a generated message type", t)
	}
	var none T
	message := none.ProtoReflect().Type()
	o := newOptions(opts)
	o.message = string(message.Descriptor().FullName())
	c, err := newProto(ctx, client, subject, o)
	if err != nil {
		return nil, err
	}
	return protoTyped[T]{protoCodec: c, message: message}, nil
}

// protoCodec is the part of the Protobuf codecs that does not depend on a Go type.
type protoCodec struct {
	id         int
	indexes    []int
	writer     protoreflect.MessageDescriptor // nil if decode only
	decodeOnly bool
	readers    *schemas[protoreflect.FileDescriptor]
}

func newProto(ctx context.Context, client *sr.Client, subject string, o options) (*protoCodec, error) {
	id, s, err := resolve(ctx, client, subject, sr.TypeProtobuf, o)
	if err != nil {
		return nil, fmt.Errorf("make protobuf codec: %w", err)
	}
	c := &protoCodec{
		id: id, decodeOnly: o.decodeOnly,
		readers: &schemas[protoreflect.FileDescriptor]{client: client, kind: sr.TypeProtobuf, timeout: o.timeout, compile: compileProto},
	}
	if o.decodeOnly {
		return c, nil
	}
	file, err := c.readers.build(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("make protobuf codec: %w", err)
	}
	c.indexes = firstMessage
	if o.message != "" {
		if c.indexes = placeOf(file, protoreflect.FullName(o.message)); c.indexes == nil {
			return nil, fmt.Errorf("make protobuf codec: %w: it declares no message %s", ErrSchema, o.message)
		}
	}
	if c.writer = messageAt(file, c.indexes); c.writer == nil {
		return nil, fmt.Errorf("make protobuf codec: %w: it declares no message", ErrSchema)
	}
	return c, nil
}

func (c *protoCodec) append(dst []byte, m proto.Message) ([]byte, error) {
	out := appendIndexes(appendHeader(dst, c.id), c.indexes)
	out, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(out, m)
	if err != nil {
		return dst, &valueError{format: "protobuf", detail: "required field missing or text not UTF-8", cause: err}
	}
	return out, nil
}

// open reads a record's header and finds the message that its schema says it is.
func (c *protoCodec) open(b []byte) (protoreflect.MessageDescriptor, []byte, error) {
	id, rest, err := cutHeader(b)
	if err != nil {
		return nil, nil, fmt.Errorf("decode protobuf: %w", err)
	}
	indexes, body, err := cutIndexes(rest)
	if err != nil {
		return nil, nil, fmt.Errorf("decode protobuf: %w", err)
	}
	file, err := c.readers.get(id)
	if err != nil {
		return nil, nil, fmt.Errorf("decode protobuf: %w", err)
	}
	m := messageAt(file, indexes)
	if m == nil {
		return nil, nil, fmt.Errorf("decode protobuf: %w", wireError(fmt.Sprintf("schema %d has no message at %v", id, indexes)))
	}
	return m, body, nil
}

func protoBodyError(name protoreflect.FullName, at int, cause error) error {
	return recordError("protobuf "+string(name), at, "bytes that are not this message", cause)
}

type protoTyped[T proto.Message] struct {
	*protoCodec
	message protoreflect.MessageType
}

func (c protoTyped[T]) Append(dst []byte, v T) ([]byte, error) {
	if c.decodeOnly {
		return dst, fmt.Errorf("encode protobuf: %w", ErrDecodeOnly)
	}
	if isNil(v) {
		return dst, fmt.Errorf("encode protobuf: %w", codec.ErrNil)
	}
	return c.append(dst, v)
}

func (c protoTyped[T]) Decode(b []byte) (T, error) {
	var none T
	m, body, err := c.open(b)
	if err != nil {
		return none, err
	}
	if want := c.message.Descriptor().FullName(); m.FullName() != want {
		return none, &codec.DecodeError{Format: "protobuf", Offset: headerSize, Want: "message " + string(want), Found: "message " + string(m.FullName())}
	}
	v := c.message.New().Interface().(T)
	if err := proto.Unmarshal(body, v); err != nil {
		return none, protoBodyError(m.FullName(), len(b)-len(body), err)
	}
	return v, nil
}
