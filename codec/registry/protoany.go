package registry

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/eosproc/eosproc/codec"
)

// ProtoAny is Protobuf for programs that do not know the type: a message is
// map[string]any under the field names of the schema's text.
//
// Fields that can tell "unset" from zero (messages, oneofs, optional) are absent when
// unset; all others are always there, lists and maps as empty ones. Enums are their
// value's name, or its number if it has none. Maps have their keys as text.
// google.protobuf.Timestamp is [time.Time], Duration [time.Duration], and the
// wrapper types are the value that they wrap; other well-known types are messages
// like any other. Fields that the schema does not know are dropped.
//
// Append writes the message chosen with [Message]. A field that the message does
// not have, and a number that does not fit, are errors.
func ProtoAny(ctx context.Context, client *sr.Client, subject string, opts ...Option) (codec.Codec[any], error) {
	c, err := newProto(ctx, client, subject, newOptions(opts))
	if err != nil {
		return nil, err
	}
	return protoAny{c}, nil
}

type protoAny struct{ *protoCodec }

func (c protoAny) Append(dst []byte, v any) ([]byte, error) {
	if c.decodeOnly {
		return dst, fmt.Errorf("encode protobuf: %w", ErrDecodeOnly)
	}
	if isNil(v) {
		return dst, fmt.Errorf("encode protobuf: %w", codec.ErrNil)
	}
	m := dynamicpb.NewMessage(c.writer)
	if err := fillMessage(m, v, ""); err != nil {
		return dst, err
	}
	return c.append(dst, m)
}

func (c protoAny) Decode(b []byte) (any, error) {
	d, body, err := c.open(b)
	if err != nil {
		return nil, err
	}
	m := dynamicpb.NewMessage(d)
	if err := proto.Unmarshal(body, m); err != nil {
		return nil, protoBodyError(d.FullName(), len(b)-len(body), err)
	}
	return plainMessage(m), nil
}
