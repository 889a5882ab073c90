package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/expression"
	"github.com/eosproc/eosproc/internal/pipeline/suggest"
	"github.com/eosproc/eosproc/internal/pipeline/yamlfile"
	"github.com/eosproc/eosproc/topology"
)

// Short names for what the operators work on.
type (
	record      = topology.Record[datum.Datum, datum.Datum]
	taskContext = topology.Context[datum.Datum, datum.Datum]
	handler     = func(record) error
	operator    = topology.Stream[datum.Datum, datum.Datum]
)

// side is what is known of the keys or of the values of a stream.
type side struct {
	// format is what they are written as unless a step says otherwise; nil if
	// streams of different formats have been merged.
	format *datum.Format
	typ    expression.Type
}

// stream is a stream under construction.
type stream struct {
	key, value side
	operator   operator
	// used says that something comes of the records.
	used *bool
	last yamlfile.Pos
}

func (s stream) env() expression.Env { return expression.Env{Key: s.key.typ, Value: s.value.typ} }

// compiler goes through a document once: it finds problems and builds the
// topology at the same time, so that the two cannot differ.
type compiler struct {
	file     *File
	builder  *topology.Builder
	topology *topology.Topology
	problems Problems

	names    map[string]bool
	places   map[string]yamlfile.Pos // of the steps, by their operators' names
	streams  map[string]stream       // by their "as"
	labels   []string
	registry []*registered
	// written are the formats that steps write to topics.
	written []*datum.Format
	sources map[string]topicFormat
	sinks   map[string]topicFormat
	pattern bool
	// dynamic says that a sink computes its topic; computed is how it writes.
	dynamic  bool
	computed topicFormat
	all      []stream
	// incomplete says that parts are missing for want of a variable.
	incomplete bool
}

// topicFormat says how a topic's records look.
type topicFormat struct{ key, value *datum.Format }

// compile gives formats of a registry the codecs that connect makes.
func (f *File) compile(connect Registry) *compiler {
	c := &compiler{
		file: f, builder: topology.NewBuilder(), problems: slices.Clone(f.problems),
		names: map[string]bool{}, places: map[string]yamlfile.Pos{}, streams: map[string]stream{}, sources: map[string]topicFormat{}, sinks: map[string]topicFormat{},
	}
	if len(f.doc.Topology) == 0 {
		if len(f.problems) == 0 {
			c.report(f.source.Problem(yamlfile.Pos{}, 0, Error, "the topology has no steps", ""))
		}
		return c
	}
	c.steps(f.doc.Topology, nil)
	if c.problems.Err() != nil {
		connect = noRegistry // no one is asked about a file that cannot be built
	}
	c.connect(connect)
	if c.problems.Err() != nil || c.incomplete {
		return c // whether a stream goes anywhere is known only of a whole topology
	}
	for _, s := range c.all {
		if !*s.used {
			c.report(f.source.Problem(s.last, 1, Warning, "nothing comes of this stream", `end it with "to"`))
		}
	}
	t, err := c.builder.Build()
	if err != nil {
		c.rejected(err)
		return c
	}
	c.topology = t
	return c
}

// rejected reports what only the whole topology shows, at the steps that the
// errors begin with.
func (c *compiler) rejected(err error) {
	errs := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		errs = joined.Unwrap()
	}
	for _, err := range errs {
		name, _, _ := strings.Cut(err.Error(), " ")
		c.report(c.file.source.Problem(c.places[strings.TrimSuffix(name, ":")], 1, Error, err.Error(), ""))
	}
}

func (c *compiler) report(p Problem) { c.problems = append(c.problems, p) }

// steps compiles a list of steps. begin is the stream they work on, nil if the
// list has to begin one.
func (c *compiler) steps(list []step, begin *stream) {
	current := begin
	for i := range list {
		s := &list[i]
		next := c.step(s, current)
		if next != nil {
			next.last = s.Pos
			next = c.label(s, next)
		} else if s.As.Set() {
			c.report(s.As.Error("there is no stream behind this step to name", ""))
		}
		if len(s.Branch) > 0 && i+1 < len(list) && !begins(&list[i+1]) {
			c.report(c.file.source.Problem(list[i+1].Pos, 1, Error, "a step behind branch has no stream to work on", `put it into the branches, or begin with "from" or "use"`))
			next = c.unknown()
		}
		if current != nil && (next == nil || current.used != next.used) {
			c.all = append(c.all, *current)
		}
		current = next
	}
	if current != nil {
		c.all = append(c.all, *current)
	}
}

// begins reports whether a step begins a stream instead of going on with one.
func begins(s *step) bool { return s.From != nil || s.Use != nil }

// unknown stands in for a stream that could not be made, so that the steps behind
// can be checked too.
func (c *compiler) unknown() *stream {
	used := true
	return &stream{key: side{format: datum.String}, value: side{format: datum.JSON}, used: &used}
}

func (c *compiler) label(s *step, st *stream) *stream {
	if !s.As.Set() {
		return st
	}
	if _, twice := c.streams[s.As.Value]; twice {
		c.report(s.As.Error(fmt.Sprintf("two streams are named %q", s.As.Value), ""))
	}
	c.streams[s.As.Value] = *st
	c.labels = append(c.labels, s.As.Value)
	return st
}

// step compiles one step and returns the stream behind it, nil if there is none.
func (c *compiler) step(s *step, in *stream) *stream {
	kinds := s.kinds()
	switch {
	case len(kinds) == 0:
		if len(c.file.problems) == 0 {
			c.report(c.file.source.Problem(s.Pos, 1, Error, "the step does nothing", "a step is one of from, use, filter, map, flat_map, key, peek, branch, merge, repartition, to"))
		}
		return c.orUnknown(in)
	case len(kinds) > 1:
		c.report(c.file.source.Problem(s.Pos, 1, Error, fmt.Sprintf("the step is %s at once", strings.Join(kinds, " and ")), `make each a step of its own, with its own "- "`))
		return c.orUnknown(in)
	}
	name := c.name(s, kinds[0])
	if in == nil && !begins(s) && s.Merge == nil {
		c.report(c.file.source.Problem(s.Pos, 1, Error, fmt.Sprintf("%s has no stream to work on", kinds[0]), `begin with "from" or "use"`))
		in = c.unknown()
	}
	switch {
	case s.From != nil:
		return c.from(s.From, name)
	case s.Use != nil:
		return c.use(*s.Use)
	case s.Filter != nil:
		return c.filter(*s.Filter, name, in)
	case s.Map != nil:
		return c.mapping(s.Map, name, in)
	case s.FlatMap != nil:
		return c.flatMap(*s.FlatMap, name, in)
	case s.Key != nil:
		return c.mapping(&mapStep{Pos: s.Pos, Key: *s.Key}, name, in)
	case s.Peek != nil:
		return c.peek(s.Peek, name, in)
	case s.Branch != nil:
		c.branch(s.Branch, name, in)
		return nil
	case s.Merge != nil:
		return c.merge(s.Merge, s.Pos, name, in)
	case s.Repartition != nil:
		return c.repartition(s.Repartition, name, in)
	default:
		return c.to(s.To, name, in)
	}
}

func (c *compiler) orUnknown(in *stream) *stream {
	if in == nil {
		return c.unknown()
	}
	return in
}

// name returns the name of a step's operator, unique in the topology.
func (c *compiler) name(s *step, kind string) string {
	name := s.Name.Value
	if !s.Name.Set() {
		name = fmt.Sprintf("%s-%d", strings.ReplaceAll(kind, "_", "-"), s.Pos.Line)
	} else if !validName(name) {
		c.report(s.Name.Error(fmt.Sprintf("%q cannot be a name", name), "use letters, digits, '.', '_' and '-', at most 200"))
	} else if c.names[name] {
		c.report(s.Name.Error(fmt.Sprintf("two steps are named %q", name), ""))
	}
	name = c.unique(name)
	c.places[name] = s.Pos
	return name
}

// unique makes a name that no operator has. A step that stands behind an alias is
// compiled more than once.
func (c *compiler) unique(name string) string {
	candidate := name
	for i := 2; c.names[candidate]; i++ {
		candidate = fmt.Sprintf("%s-%d", name, i)
	}
	c.names[candidate] = true
	return candidate
}

func validName(name string) bool {
	return name != "" && len(name) <= 200 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
	})
}

// use continues a named stream.
func (c *compiler) use(label text) *stream {
	st, ok := c.streams[label.Value]
	if !ok {
		c.report(label.Error(fmt.Sprintf("there is no stream %q above", label.Value), suggest.Hint(label.Value, c.labels)))
		return c.unknown()
	}
	*st.used = true
	used := false
	st.used = &used
	return &st
}

// expression compiles an expression; nil if it is wrong, which has been reported.
func (c *compiler) expression(t text, env expression.Env, want expression.Want) *compiled {
	if !t.Set() {
		return nil // the place held something else, which has been reported
	}
	p, err := expression.Compile(t.Value, env, want)
	if err == nil {
		return &compiled{p, t, c.file.name}
	}
	if e, ok := errors.AsType[*expression.Error](err); ok {
		if e.Hint == "" && t.BeforeComment() {
			e.Hint = "what follows the # is a comment of YAML: quote the expression"
		}
		c.report(t.Problem(e.From, e.To, Error, e.Message, e.Hint))
	} else {
		c.report(t.Error(err.Error(), ""))
	}
	return nil
}

// topic checks the name of a topic.
func (c *compiler) topic(t text) bool {
	name := t.Value
	if name == "" && c.file.lacksVariable(t.Pos.Line) {
		c.incomplete = true // reported with the variable
		return false
	}
	ok := name != "" && name != "." && name != ".." && len(name) <= 249 && (validName(name) || len(name) > 200)
	if !ok {
		c.report(t.Error(fmt.Sprintf("topic name %q", name), "Kafka allows letters, digits, '.', '_' and '-', at most 249"))
	}
	return ok
}
