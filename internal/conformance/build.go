package conformance

import (
	"errors"
	"fmt"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

// ErrUnsupported marks a case that needs something which is not there yet.
var ErrUnsupported = errors.New("not yet supported")

type (
	stream = topology.Stream[*string, *string]
	record = topology.Record[*string, *string]
	topic  = topology.Topic[*string, *string]
)

// textCodec writes a text as its bytes. Null never reaches it.
type textCodec struct{}

func (textCodec) Append(dst []byte, v *string) ([]byte, error) {
	if v == nil {
		return dst, codec.ErrNil
	}
	return append(dst, *v...), nil
}

func (textCodec) Decode(b []byte) (*string, error) { return text(string(b)), nil }

func textTopic(name string) topic { return topology.NewTopic(name, textCodec{}, textCodec{}) }

// builder makes a topology of nodes.
type builder struct {
	*topology.Builder
	made    map[string]any    // id → what the node is: a stream, …
	sources map[string]stream // topic → its stream: Kafka Streams lets a topic be read by several sources
}

// operators makes the operators by their "op". The files of the groups of
// operators fill it.
var operators = map[string]func(*builder, *Node) error{}

// register adds a group of operators.
func register(group map[string]func(*builder, *Node) error) struct{} {
	for op, make := range group {
		operators[op] = make
	}
	return struct{}{}
}

// build makes the topology of a case; the error wraps [ErrUnsupported] if it
// needs what is not there yet.
func build(c *Case) (*topology.Topology, error) {
	b := &builder{Builder: topology.NewBuilder(), made: map[string]any{}, sources: map[string]stream{}}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		make, ok := operators[n.Op]
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrUnsupported, n.Op)
		}
		if err := make(b, n); err != nil {
			return nil, fmt.Errorf("%s %s: %w", n.Op, n.ID, err)
		}
	}
	if len(c.Stores) > 0 {
		return nil, fmt.Errorf("%w: a look into stores", ErrUnsupported)
	}
	return b.Build()
}

func (b *builder) define(id string, made any) error {
	if _, ok := b.made[id]; ok || id == "" {
		return fmt.Errorf("id %q is missing or used twice", id)
	}
	b.made[id] = made
	return nil
}

// stream returns the stream that a node takes its input from.
func (b *builder) stream(id string) (stream, error) {
	s, ok := b.made[id].(stream)
	if !ok {
		return s, fmt.Errorf("%q is no stream", id)
	}
	return s, nil
}

// input returns the only stream that a node takes its input from.
func (b *builder) input(n *Node) (stream, error) {
	if len(n.From) != 1 {
		return stream{}, fmt.Errorf("takes one input, not %d", len(n.From))
	}
	return b.stream(n.From[0])
}
