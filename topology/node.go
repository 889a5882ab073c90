package topology

import (
	"fmt"
	"regexp"

	"github.com/eosproc/eosproc/statestore"
)

type nodeKind uint8

const (
	sourceNode nodeKind = iota
	processorNode
	sinkNode
)

// node is the untyped half of an operator: what describe, graph and the
// division into sub-topologies need to know.
type node struct {
	index    int
	kind     nodeKind
	name     string
	parents  []*node
	children []*node
	stores   []statestore.Spec
	joined   []*node // what a join reads beside its parents

	source *sourceSpec
	sink   *sinkSpec
}

type sourceSpec struct {
	topics      []string
	pattern     *regexp.Regexp
	patternText string
	repartition *repartitionSpec
	reset       Reset
	changelogOf string // the store that can be restored from the topic; "" if none
	// open makes the source of one topic in one task.
	open func(in *Instance, topic string) Source
}

type sinkSpec struct {
	topic       string
	chooser     string
	repartition *repartitionSpec
}

type repartitionSpec struct {
	name       string
	partitions int
}

// option sets are small, so one type serves all operators; an operator that an
// option says nothing to reports it as a build error.
type options struct {
	name       string
	timestamps any
	reset      Reset
	partitions int
	nullKeys   bool
	stores     []statestore.Spec
	table      any // what Materialized was given
	late       any // what Late was given
	grace      any // what JoinGrace was given
	final      bool
}

// Option changes how an operator is built.
type Option func(*options)

// Named names an operator in descriptions, logs, metrics and errors. The name
// reaches neither the broker nor the disk. An empty name stands for a numbered one.
func Named(name string) Option { return func(o *options) { o.name = name } }

// Partitions sets the number of partitions of a repartition topic; 0, the
// default, means as many as the largest topic that feeds it.
func Partitions(n int) Option { return func(o *options) { o.partitions = n } }

// StartAt sets where a source starts when its group has no committed offset.
func StartAt(r Reset) Option { return func(o *options) { o.reset = r } }

// Reset says where to start without a committed offset, as auto.offset.reset does.
type Reset uint8

// The starting points.
const (
	// ResetDefault takes the application's auto.offset.reset, whose default is earliest.
	ResetDefault Reset = iota
	ResetEarliest
	ResetLatest
	// ResetNone refuses to start.
	ResetNone
)

func collect(opts []Option) options {
	var o options
	for _, f := range opts {
		f(&o)
	}
	return o
}

// number gives the next numbered name, in Kafka Streams' form.
func (b *Builder) number(prefix string) string {
	name := fmt.Sprintf("%s%010d", prefix, b.counter)
	b.counter++
	return name
}

// add registers a node. A given name replaces the numbered one but uses up its
// number, as in Kafka Streams, so that naming one operator renames no other.
func (b *Builder) add(kind nodeKind, prefix string, o options, parents ...*node) *node {
	name := b.number(prefix)
	if o.name != "" {
		name = o.name
	}
	source := kind == sourceNode
	b.refuse(name, "Partitions", o.partitions != 0)
	b.refuse(name, "KeepNullKeys", o.nullKeys)
	b.refuse(name, "Timestamps", o.timestamps != nil && !source)
	b.refuse(name, "StartAt", o.reset != ResetDefault && !source)
	b.refuse(name, "Stores", len(o.stores) > 0)
	b.refuse(name, "Materialized", o.table != nil)
	b.refuse(name, "Late", o.late != nil)
	b.refuse(name, "JoinGrace", o.grace != nil)
	b.refuse(name, "EmitFinal", o.final)
	return b.addNamed(kind, name, parents...)
}

func (b *Builder) refuse(name, option string, given bool) {
	if given {
		b.fail(fmt.Errorf("%s: the option %s does not apply to it", name, option))
	}
}

func (b *Builder) addNamed(kind nodeKind, name string, parents ...*node) *node {
	if err := checkNodeName(name); err != nil {
		b.fail(err)
	}
	if b.names[name] {
		b.fail(fmt.Errorf("two operators are named %q", name))
	}
	b.names[name] = true
	n := &node{index: len(b.nodes), kind: kind, name: name, parents: parents}
	for _, p := range parents {
		p.children = append(p.children, n)
	}
	b.nodes = append(b.nodes, n)
	return n
}

var nodeName = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)

func checkNodeName(name string) error {
	if !nodeName.MatchString(name) || len(name) > 249 {
		return fmt.Errorf("name %q: use letters, digits, '.', '_' and '-', at most 249", name)
	}
	return nil
}
