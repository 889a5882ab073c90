package pipeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/eosproc/eosproc/internal/pipeline/datum"
)

// compare says how what has come out differs from what a test wants, topic by
// topic: between topics there is no order.
func (t *testRun) compare(want *test) []string {
	expected, got := map[string][]*testOutput{}, map[string][]*output{}
	for i := range want.Out {
		topic := only(want.Out[i].Topic, t.c.sinks)
		expected[topic] = append(expected[topic], &want.Out[i])
	}
	for i := range t.outputs {
		topic := t.outputs[i].Topic
		got[topic] = append(got[topic], &t.outputs[i])
	}
	topics := slices.Collect(maps.Keys(expected))
	for topic := range got {
		if expected[topic] == nil {
			topics = append(topics, topic)
		}
	}
	slices.Sort(topics)
	var failures []string
	for _, topic := range topics {
		e, g := expected[topic], got[topic]
		for i := range max(len(e), len(g)) {
			at := fmt.Sprintf("%s, record %d", topic, i+1)
			switch {
			case i >= len(e):
				failures = append(failures, fmt.Sprintf("%s was not expected: %s", at, show(g[i])))
			case i >= len(g):
				failures = append(failures, fmt.Sprintf("%s is missing (line %d)", at, e[i].Pos.Line))
			default:
				if d := difference(e[i], g[i]); len(d) > 0 {
					failures = append(failures, fmt.Sprintf("%s differs (line %d): %s", at, e[i].Pos.Line, show(g[i])))
					for _, line := range d {
						failures = append(failures, "  "+line)
					}
				}
			}
		}
	}
	return failures
}

func difference(want *testOutput, got *output) []string {
	var d []string
	part := func(name string, set bool, value any, raw text, b []byte, f *datum.Format) {
		switch {
		case raw.Set():
			if b == nil || string(b) != raw.Value {
				d = append(d, fmt.Sprintf("raw_%s: want %q, got %s", name, raw.Value, showRaw(b)))
			}
		case set:
			d = append(d, same(name, value, read(b, f))...)
		}
	}
	part("key", want.Key.Set, want.Key.Any, want.RawKey, got.Key, got.formats.key)
	part("value", want.Value.Set, want.Value.Any, want.RawValue, got.Value, got.formats.value)
	if want.Timestamp.Text.Set() && want.Timestamp.Value != got.Timestamp {
		d = append(d, fmt.Sprintf("timestamp: want %d, got %d", want.Timestamp.Value, got.Timestamp))
	}
	if want.Partition.Text.Set() && want.Partition.Value != int64(got.Partition) {
		d = append(d, fmt.Sprintf("partition: want %d, got %d", want.Partition.Value, got.Partition))
	}
	for _, h := range want.Headers {
		b, ok := got.Headers.Get(h.Key.Value)
		var v any
		if ok && b != nil {
			v = string(b)
		}
		wanted := h.Value.Any
		if _, text := wanted.(string); wanted != nil && !text {
			if headers, err := withHeader(nil, h.Key.Value, wanted); err == nil {
				wanted = string(headers[0].Value)
			}
		}
		d = append(d, same("headers."+h.Key.Value, wanted, v)...)
	}
	return d
}

// read decodes bytes for comparison; what is malformed is compared as text.
func read(b []byte, f *datum.Format) any {
	if b == nil {
		return nil
	}
	d, err := f.Codec(true).Decode(b)
	if err != nil {
		return string(b)
	}
	v, err := d.Value()
	if err != nil {
		return string(b)
	}
	if raw, ok := v.([]byte); ok {
		return string(raw)
	}
	return v
}

// same lists the places where two values differ.
func same(path string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		var d []string
		keys := slices.Collect(maps.Keys(w))
		for k := range g {
			if _, ok := w[k]; !ok {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range keys {
			x, wanted := w[k]
			y, there := g[k]
			switch {
			case !wanted:
				d = append(d, fmt.Sprintf("%s.%s: not expected, got %s", path, k, compact(y)))
			case !there:
				d = append(d, fmt.Sprintf("%s.%s: want %s, got nothing", path, k, compact(x)))
			default:
				d = append(d, same(path+"."+k, x, y)...)
			}
		}
		return d
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		var d []string
		for i := range w {
			d = append(d, same(fmt.Sprintf("%s[%d]", path, i), w[i], g[i])...)
		}
		return d
	case int64:
		// JSON does not tell 3 from 3.0.
		if g, ok := got.(float64); ok && g == float64(w) && int64(g) == w {
			return nil
		}
	case float64:
		if g, ok := got.(int64); ok && w == float64(g) && int64(w) == g {
			return nil
		}
	}
	if reflect.DeepEqual(want, got) {
		return nil
	}
	return []string{fmt.Sprintf("%s: want %s, got %s", path, compact(want), compact(got))}
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

func show(o *output) string {
	return fmt.Sprintf("key %s, value %s, timestamp %d", compact(read(o.Key, o.formats.key)), compact(read(o.Value, o.formats.value)), o.Timestamp)
}

func showRaw(b []byte) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprintf("%q", b)
}
