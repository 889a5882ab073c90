package pipeline

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/suggest"
	"github.com/eosproc/eosproc/internal/pipeline/yamlfile"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/topology"
)

// lintTests finds tests that cannot be run.
func (f *File) lintTests(c *compiler) Problems {
	var ps Problems
	names := map[string]bool{}
	dead := f.deadLetterTopic()
	for i := range f.doc.Tests {
		t := &f.doc.Tests[i]
		if names[t.Name.Value] {
			ps = append(ps, t.Name.Error(fmt.Sprintf("two tests are named %q", t.Name.Value), ""))
		}
		names[t.Name.Value] = true
		for j := range t.In {
			in := &t.In[j]
			if p, ok := f.lintTopic(in.Topic, in.Pos, c.sources, c.pattern, "reads"); !ok {
				ps = append(ps, p)
				continue
			}
			if (in.Key.Set && in.RawKey.Set()) || (in.Value.Set && in.RawValue.Set()) {
				ps = append(ps, f.source.Problem(in.Pos, 1, Error, "a record has a value or a raw one, not both", ""))
				continue
			}
			if _, err := c.input(in); err != nil {
				ps = append(ps, f.source.Problem(in.Pos, 1, Error, err.Error(), ""))
			}
		}
		for j := range t.Out {
			out := &t.Out[j]
			if out.Topic.Set() && out.Topic.Value == dead {
				continue
			}
			if p, ok := f.lintTopic(out.Topic, out.Pos, c.sinks, c.dynamic, "writes"); !ok {
				ps = append(ps, p)
			}
		}
	}
	return ps
}

func (f *File) lintTopic(t text, at yamlfile.Pos, known map[string]topicFormat, open bool, verb string) (Problem, bool) {
	names := slices.Sorted(maps.Keys(known))
	if !t.Set() {
		if len(names) == 1 && !open {
			return Problem{}, true
		}
		return f.source.Problem(at, 1, Error, fmt.Sprintf("which topic? The pipeline %s %s", verb, several(names)), ""), false
	}
	if _, ok := known[t.Value]; ok || open {
		return Problem{}, true
	}
	hint := suggest.Hint(t.Value, names)
	if hint == "" {
		hint = fmt.Sprintf("it %s %s", verb, several(names))
	}
	return t.Error(fmt.Sprintf("the pipeline %s no topic %q", verb, t.Value), hint), false
}

func several(names []string) string {
	if len(names) == 0 {
		return "none by name"
	}
	return strings.Join(names, ", ")
}

func (f *File) deadLetterTopic() string {
	s, _ := settings.Parse(f.Config(nil))
	return s.Errors.DeadLetterTopic
}

// internal reports whether a topic is one of the topology's own.
func (c *compiler) internal(topic string) bool {
	for _, s := range c.topology.SubTopologies() {
		if _, internal := s.Sinks(); slices.Contains(internal, topic) {
			return true
		}
	}
	return false
}

// readAs returns the formats of a source topic.
func (c *compiler) readAs(topic string) topicFormat {
	if f, ok := c.sources[topic]; ok {
		return f
	}
	for pattern, f := range c.sources {
		if re, err := regexp.Compile("^(?:" + pattern + ")$"); err == nil && re.MatchString(topic) {
			return f
		}
	}
	return topicFormat{datum.String, datum.JSON}
}

// input makes the record that a test puts in.
func (c *compiler) input(in *testInput) (topology.RawRecord, error) {
	r := topology.RawRecord{Topic: only(in.Topic, c.sources), Timestamp: in.Timestamp.Value, Partition: int32(in.Partition.Value)}
	formats := c.readAs(r.Topic)
	var err error
	if r.Key, err = encode(in.Key, in.RawKey, formats.key); err != nil {
		return r, fmt.Errorf("key: %w", err)
	}
	if r.Value, err = encode(in.Value, in.RawValue, formats.value); err != nil {
		return r, fmt.Errorf("value: %w", err)
	}
	for _, h := range in.Headers {
		var b []byte
		if h.Value.Any != nil {
			headers, err := withHeader(nil, h.Key.Value, h.Value.Any)
			if err != nil {
				return r, err
			}
			b = headers[0].Value
		}
		r.Headers = append(r.Headers, topology.Header{Key: h.Key.Value, Value: b})
	}
	return r, nil
}

// only returns the topic that is named, or the only one there is.
func only(t text, known map[string]topicFormat) string {
	if t.Set() {
		return t.Value
	}
	for name := range known {
		return name
	}
	return ""
}

func encode(v yamlfile.Value, raw text, f *datum.Format) ([]byte, error) {
	switch {
	case raw.Set():
		return []byte(raw.Value), nil
	case v.Any == nil:
		return nil, nil
	}
	return f.Codec(false).Append([]byte{}, datum.New(v.Any, f))
}
