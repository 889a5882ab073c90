package topology

import (
	"errors"
	"fmt"

	"github.com/eosproc/eosproc/statestore"
)

// Builder collects operators. Errors are kept and reported together by Build,
// so that no step needs a check of its own. A Builder is not safe for
// concurrent use.
type Builder struct {
	nodes   []*node
	names   map[string]bool
	topics  map[string]string // source topic → node that reads it
	owners  map[string]string // store → the operator that keeps its results in it
	kinds   map[string]statestore.Kind
	globals []string // topics of global tables
	counter int
	errs    []error
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{
		names: map[string]bool{}, topics: map[string]string{}, owners: map[string]string{},
		kinds: map[string]statestore.Kind{},
	}
}

func (b *Builder) fail(err error) { b.errs = append(b.errs, err) }

// Build returns the topology, or everything that is wrong with it.
func (b *Builder) Build() (*Topology, error) {
	errs := b.errs
	if len(b.nodes) == 0 {
		errs = append(errs, errors.New("the topology has no operators"))
	}
	for _, n := range b.nodes {
		if n.kind == sinkNode && n.sink.topic != "" && n.sink.repartition == nil {
			if reader, ok := b.topics[n.sink.topic]; ok && reads(n, reader) {
				errs = append(errs, fmt.Errorf("%s writes topic %q, which its own source %s reads: an endless loop", n.name, n.sink.topic, reader))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	t := &Topology{nodes: b.nodes, globals: b.globals}
	t.subs = divide(b.nodes)
	return t, nil
}

// reads reports whether the source named name is the only kind of origin of n:
// a topic that is both read and written by one chain without any filter is legal
// in Kafka Streams, so only the direct copy onto itself is refused.
func reads(n *node, name string) bool {
	for _, p := range n.parents {
		if p.kind == sourceNode && p.name == name {
			return true
		}
	}
	return false
}

// Topology is an immutable stream processor. It is safe for concurrent use.
type Topology struct {
	nodes   []*node
	subs    []*SubTopology
	globals []string
}

// SubTopologies returns the parts that are connected by operators, in Kafka
// Streams' order. Each runs as one task per partition of its inputs.
func (t *Topology) SubTopologies() []*SubTopology { return t.subs }
