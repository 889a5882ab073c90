package pipeline

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/expression"
	"github.com/eosproc/eosproc/topology"
)

var resets = map[string]topology.Reset{"": topology.ResetDefault, "earliest": topology.ResetEarliest, "latest": topology.ResetLatest, "none": topology.ResetNone}

// from begins a stream at topics.
func (c *compiler) from(f *from, name string) *stream {
	used := false
	st := &stream{
		key:   side{format: c.format(f.Key, datum.String, f.Topic.Value, "key", f.Pos)},
		value: side{format: c.format(f.Value, datum.JSON, f.Topic.Value, "value", f.Pos)},
		used:  &used,
	}
	st.key.typ, _ = expression.TypeOf(st.key.format.Type)
	st.value.typ, _ = expression.TypeOf(st.value.format.Type)
	if f.Schema.Set {
		if st.value.format.Type != "any" {
			c.report(f.Value.Error(fmt.Sprintf("the format %s has no schema", st.value.format.Name), ""))
		}
		st.value.typ = f.Schema.Type
	}
	reset, ok := resets[f.StartAt.Value]
	if !ok {
		c.report(f.StartAt.Error(fmt.Sprintf("start_at %q", f.StartAt.Value), "use earliest, latest or none"))
	}
	opts := []topology.Option{topology.Named(name), topology.StartAt(reset)}
	eagerKey, eagerValue := false, false
	if f.Timestamp.Set() {
		if x := c.expression(f.Timestamp, st.env(), expression.Int); x != nil {
			uses := x.program.Uses()
			if uses&(expression.UsesTopic|expression.UsesPartition|expression.UsesOffset|expression.UsesStreamTime) != 0 {
				c.report(f.Timestamp.Error("a timestamp may depend on key, value, headers and timestamp only", ""))
			}
			// The extractor sees the record before it is processed. Decoding at once
			// makes a bad record the deserialization failure that it is, and decodes once.
			eagerKey, eagerValue = uses&expression.UsesKey != 0, uses&expression.UsesValue != 0
			opts = append(opts, topology.Timestamps(x.timestamps()))
		}
	}
	key, value := st.key.format.Codec(eagerKey), st.value.format.Codec(eagerValue)
	formats := topicFormat{st.key.format, st.value.format}

	var topics []topology.Topic[datum.Datum, datum.Datum]
	add := func(t text) {
		if !c.topic(t) {
			return
		}
		if _, twice := c.sources[t.Value]; twice {
			c.report(t.Error(fmt.Sprintf("topic %q is read twice", t.Value), "name the stream with as, and begin again with use"))
			return
		}
		c.sources[t.Value] = formats
		topics = append(topics, topology.NewTopic(t.Value, key, value))
	}
	given := 0
	if f.Topic.Set() {
		given++
		add(f.Topic)
	}
	if f.Topics != nil {
		given++
		for _, t := range f.Topics {
			add(t)
		}
	}
	if f.Pattern.Set() {
		given++
		if _, err := regexp.Compile(f.Pattern.Value); err != nil {
			c.report(f.Pattern.Error("the pattern is no regular expression: "+err.Error(), ""))
			return st
		}
	}
	if given != 1 {
		if len(c.file.problems) == 0 {
			c.report(c.file.source.Problem(f.Pos, 1, Error, "from needs one of topic, topics and pattern", ""))
		}
		return st
	}
	switch {
	case f.Pattern.Set():
		c.pattern = true
		c.sources[f.Pattern.Value] = formats
		st.operator = topology.FromPattern(c.builder, f.Pattern.Value, key, value, opts...)
	case len(topics) > 0:
		st.operator = topology.FromTopics(c.builder, topics, opts...)
	}
	return st
}

// timestamps makes a timestamp extractor. One extractor serves all tasks, so its
// evaluators come from a pool.
func (x *compiled) timestamps() topology.TimestampExtractor[datum.Datum, datum.Datum] {
	pool := sync.Pool{New: func() any { return x.program.Evaluator() }}
	return func(r record, _ int64) (int64, bool, error) {
		e := pool.Get().(*expression.Evaluator)
		defer pool.Put(e)
		var row row
		if err := row.load(&r, needs{uses: x.program.Uses()}); err != nil {
			return 0, false, err
		}
		ms, err := e.Eval(&row.vars)
		if err != nil {
			return 0, false, x.locate(err)
		}
		if ms.(int64) < 0 {
			return 0, false, x.locate(topology.ErrInvalidTimestamp)
		}
		return ms.(int64), true, nil
	}
}
