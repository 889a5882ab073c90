package pipeline

import "github.com/eosproc/eosproc/internal/pipeline/yamlfile"

// Short names for the types of which documents are made.
type (
	text = yamlfile.Text
	node = yamlfile.Node
)

// document is the whole file.
type document struct {
	Config   yamlfile.Mapping[text] `yaml:"config" jsonschema_description:"Configuration: the keys of Kafka Streams and those that begin with eosproc."`
	Topology []step                 `yaml:"topology,required" jsonschema_description:"The steps, in order."`
	Tests    []test                 `yaml:"tests" jsonschema_description:"Tests of this pipeline; eosproc test runs them without a broker."`
}

// FieldHint answers fields that one would expect.
func (document) FieldHint(name string) string {
	switch name {
	case "dlq", "dead_letters", "errors":
		return "dead letters are configuration: errors.dead.letter.queue.topic.name, and an exception handler set to dlq"
	case "application.id", "bootstrap.servers":
		return "put it under config"
	case "steps", "pipeline":
		return `the steps are under "topology"`
	}
	return ""
}

// step is one element of a list of steps: one of its kinds, and perhaps names.
type step struct {
	Pos  yamlfile.Pos `yaml:"-"`
	Name text         `yaml:"name" jsonschema_description:"Name of the operator in descriptions, metrics and errors."`
	As   text         `yaml:"as" jsonschema_description:"Name of the stream behind this step, for use and merge."`

	From        *from        `yaml:"from" jsonschema_description:"Begins a stream: reads topics."`
	Use         *text        `yaml:"use" jsonschema_description:"Begins at a stream that has been named with as."`
	Filter      *text        `yaml:"filter" jsonschema_description:"Keeps the records for which the expression is true."`
	Map         *mapStep     `yaml:"map" jsonschema_description:"Makes a new value, key, headers or timestamp."`
	FlatMap     *text        `yaml:"flat_map" jsonschema_description:"Makes one record of each element of a list."`
	Key         *text        `yaml:"key" jsonschema_description:"Makes a new key."`
	Peek        *peek        `yaml:"peek" jsonschema_description:"Prints a line for each record; the record passes on."`
	Branch      []branch     `yaml:"branch" jsonschema_description:"Divides the stream: a record takes the first branch whose condition is true."`
	Merge       []text       `yaml:"merge" jsonschema_description:"Adds the records of other streams, which have been named with as."`
	Repartition *repartition `yaml:"repartition" jsonschema_description:"Sends the stream through an internal topic, so that equal keys meet in one task."`
	To          *to          `yaml:"to" jsonschema_description:"Writes the records to a topic."`
}

// kinds returns the kinds that are given.
func (s *step) kinds() []string {
	var out []string
	for _, k := range []struct {
		name  string
		given bool
	}{
		{"from", s.From != nil}, {"use", s.Use != nil}, {"filter", s.Filter != nil}, {"map", s.Map != nil}, {"flat_map", s.FlatMap != nil},
		{"key", s.Key != nil}, {"peek", s.Peek != nil}, {"branch", s.Branch != nil}, {"merge", s.Merge != nil},
		{"repartition", s.Repartition != nil}, {"to", s.To != nil},
	} {
		if k.given {
			out = append(out, k.name)
		}
	}
	return out
}

// FieldHint answers the names that steps have elsewhere.
func (step) FieldHint(name string) string {
	switch name {
	case "stream", "source", "input", "consume":
		return `did you mean "from"?`
	case "log", "print", "debug", "foreach":
		return `did you mean "peek"?`
	case "sink", "output", "produce":
		return `did you mean "to"?`
	case "select_key", "selectKey", "rekey":
		return `did you mean "key"?`
	case "flatMap", "flat_map_values", "explode":
		return `did you mean "flat_map"?`
	case "mapping", "transform", "map_values", "mapValues":
		return `did you mean "map"?`
	case "where", "filter_not", "filterNot":
		return `did you mean "filter"?`
	case "switch", "split":
		return `did you mean "branch"?`
	case "join", "aggregate", "count", "reduce", "window", "table":
		return "pipelines have no state yet; write it with the Go library"
	}
	return ""
}

// from reads topics.
type from struct {
	Pos       yamlfile.Pos `yaml:"-"`
	Topic     text         `yaml:"topic" jsonschema_description:"The topic."`
	Topics    []text       `yaml:"topics" jsonschema_description:"Several topics, as one stream."`
	Pattern   text         `yaml:"pattern" jsonschema_description:"All topics whose whole name matches this regular expression."`
	Key       formatSpec   `yaml:"key" jsonschema_description:"Format of the keys; string by default."`
	Value     formatSpec   `yaml:"value" jsonschema_description:"Format of the values; json by default."`
	Schema    schema       `yaml:"schema" jsonschema_description:"Fields of the value and their types; lint then finds wrong ones."`
	StartAt   text         `yaml:"start_at" jsonschema_description:"Where to begin without a committed offset: earliest, latest or none."`
	Timestamp text         `yaml:"timestamp" jsonschema_description:"Expression for the time of a record, in milliseconds."`
}

// UnmarshalNode takes a topic or the fields.
func (f *from) UnmarshalNode(d *yamlfile.Decoder, n node) {
	if !d.Scalar(n, &f.Topic) {
		d.Struct(n, f)
	}
	f.Pos = d.Pos(n)
}

// mapStep makes parts of a record anew.
type mapStep struct {
	Pos       yamlfile.Pos           `yaml:"-"`
	Value     text                   `yaml:"value" jsonschema_description:"Expression for the value; nil makes it null."`
	Key       text                   `yaml:"key" jsonschema_description:"Expression for the key; nil makes it null."`
	Headers   yamlfile.Mapping[text] `yaml:"headers" jsonschema_description:"Expressions for headers by name; each replaces all headers of its name, nil removes them."`
	Timestamp text                   `yaml:"timestamp" jsonschema_description:"Expression for the timestamp in milliseconds."`
}

// UnmarshalNode takes an expression for the value or the fields.
func (m *mapStep) UnmarshalNode(d *yamlfile.Decoder, n node) {
	if !d.Scalar(n, &m.Value) {
		d.Struct(n, m)
	}
	m.Pos = d.Pos(n)
}

// FieldHint helps those who have written a map of the expression language.
func (mapStep) FieldHint(string) string {
	return `the fields are value, key, headers and timestamp; quote an expression that makes a map: '{id: value.id}'`
}

// peek prints records.
type peek struct{ Expr text }

// UnmarshalNode takes an expression, or nothing for the whole record.
func (p *peek) UnmarshalNode(d *yamlfile.Decoder, n node) {
	if d.Kind(n) != yamlfile.Null {
		d.Decode(n, &p.Expr)
	}
}

// branch is one way out of a branch step.
type branch struct {
	Pos   yamlfile.Pos `yaml:"-"`
	When  text         `yaml:"when" jsonschema_description:"The records that take this branch."`
	Steps []step       `yaml:"steps" jsonschema_description:"What becomes of them."`
	Else  []step       `yaml:"else" jsonschema_description:"What becomes of the records that no branch takes; the last element."`
}

// repartition sends a stream through an internal topic.
type repartition struct {
	Name       text         `yaml:"name,required" jsonschema_description:"Part of the topic's name, <application.id>-<name>-repartition."`
	Key        text         `yaml:"key" jsonschema_description:"Expression for a new key."`
	Partitions yamlfile.Int `yaml:"partitions" jsonschema_description:"Number of partitions; by default as many as the largest topic that feeds it."`
}

// UnmarshalNode takes a name or the fields.
func (r *repartition) UnmarshalNode(d *yamlfile.Decoder, n node) {
	if !d.Scalar(n, &r.Name) {
		d.Struct(n, r)
	}
}

// to writes to a topic.
type to struct {
	Pos       yamlfile.Pos `yaml:"-"`
	Topic     text         `yaml:"topic" jsonschema_description:"The topic."`
	TopicExpr text         `yaml:"topic_expr" jsonschema_description:"Expression for the topic; an empty one drops the record."`
	Key       formatSpec   `yaml:"key" jsonschema_description:"Format of the keys; by default that of the stream."`
	Value     formatSpec   `yaml:"value" jsonschema_description:"Format of the values; by default that of the stream."`
	Partition text         `yaml:"partition" jsonschema_description:"Expression for the partition; by default the key decides."`
}

// UnmarshalNode takes a topic or the fields.
func (t *to) UnmarshalNode(d *yamlfile.Decoder, n node) {
	if !d.Scalar(n, &t.Topic) {
		d.Struct(n, t)
	}
	t.Pos = d.Pos(n)
}

// test is one test of the pipeline.
type test struct {
	Pos  yamlfile.Pos `yaml:"-"`
	Name text         `yaml:"name,required" jsonschema_description:"What the test shows."`
	In   []testInput  `yaml:"in,required" jsonschema_description:"Records to process, in order."`
	Out  []testOutput `yaml:"out,required" jsonschema_description:"All records that must come out, in order per topic; [] for none."`
}

// testInput is a record that goes in.
type testInput struct {
	Pos       yamlfile.Pos                     `yaml:"-"`
	Topic     text                             `yaml:"topic" jsonschema_description:"The topic; may be left out if the pipeline reads one."`
	Key       yamlfile.Value                   `yaml:"key" jsonschema_description:"The key, null if absent."`
	Value     yamlfile.Value                   `yaml:"value" jsonschema_description:"The value, null if absent."`
	RawKey    text                             `yaml:"raw_key" jsonschema_description:"The key's bytes as text, instead of key."`
	RawValue  text                             `yaml:"raw_value" jsonschema_description:"The value's bytes as text, instead of value."`
	Headers   yamlfile.Mapping[yamlfile.Value] `yaml:"headers" jsonschema_description:"Headers by name."`
	Timestamp yamlfile.Int                     `yaml:"timestamp" jsonschema_description:"Milliseconds; 0 if absent."`
	Partition yamlfile.Int                     `yaml:"partition" jsonschema_description:"The partition; 0 if absent."`
}

// testOutput is a record that must come out. What it leaves out is not compared.
type testOutput struct {
	Pos       yamlfile.Pos                     `yaml:"-"`
	Topic     text                             `yaml:"topic" jsonschema_description:"The topic; may be left out if the pipeline writes one."`
	Key       yamlfile.Value                   `yaml:"key" jsonschema_description:"The key; null for none."`
	Value     yamlfile.Value                   `yaml:"value" jsonschema_description:"The value; null for none."`
	RawKey    text                             `yaml:"raw_key" jsonschema_description:"The key's bytes as text."`
	RawValue  text                             `yaml:"raw_value" jsonschema_description:"The value's bytes as text."`
	Headers   yamlfile.Mapping[yamlfile.Value] `yaml:"headers" jsonschema_description:"Headers that must be there, by name; null for one that must not."`
	Timestamp yamlfile.Int                     `yaml:"timestamp" jsonschema_description:"Milliseconds."`
	Partition yamlfile.Int                     `yaml:"partition" jsonschema_description:"The partition that was asked for; -1 for none."`
}
