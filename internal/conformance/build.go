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
	nodes   []Node
	made    map[string]any    // id → what the node is: a stream, a table, a grouping, …
	rekeyed map[string]bool   // ids of streams whose keys may have changed since they were on a topic
	sources map[string]stream // topic → its stream: Kafka Streams lets a topic be read by several sources
	windows map[string]bool   // topics whose keys are windowed
	stores  map[string]dump   // store → what reads it
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
func build(c *Case) (*topology.Topology, *builder, error) {
	b := &builder{
		Builder: topology.NewBuilder(), nodes: c.Nodes, made: map[string]any{}, rekeyed: map[string]bool{}, sources: map[string]stream{},
		windows: map[string]bool{}, stores: map[string]dump{},
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		make, ok := operators[n.Op]
		if !ok {
			return nil, nil, fmt.Errorf("%w: %s", ErrUnsupported, n.Op)
		}
		if err := make(b, n); err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", n.Op, n.ID, err)
		}
	}
	topo, err := b.Build()
	return topo, b, err
}

func (b *builder) define(id string, made any) error {
	if _, ok := b.made[id]; ok || id == "" {
		return fmt.Errorf("id %q is missing or used twice", id)
	}
	b.made[id] = made
	return nil
}

// only returns what the only node is that a node takes its input from.
func (b *builder) only(n *Node) (any, error) {
	if len(n.From) != 1 {
		return nil, fmt.Errorf("takes one input, not %d", len(n.From))
	}
	return b.made[n.From[0]], nil
}

// partitioned returns a stream by whose keys it is partitioned: if they may have
// changed, it goes through a topic of the given name first, as Kafka Streams does by itself.
func (b *builder) partitioned(id, through string) (stream, error) {
	s, err := b.stream(id)
	if err == nil && b.rekeyed[id] {
		s = s.Repartition(textTopic(through))
	}
	return s, err
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
