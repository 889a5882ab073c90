package pipeline

import (
	"fmt"

	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/expression"
	"github.com/eosproc/eosproc/topology"
)

// to writes a stream to a topic. The stream goes on behind it.
func (c *compiler) to(t *to, name string, in *stream) *stream {
	*in.used = true
	if t.Topic.Set() == t.TopicExpr.Set() {
		if len(c.file.problems) == 0 {
			c.report(c.file.source.Problem(t.Pos, 1, Error, "to needs one of topic and topic_expr", ""))
		}
		return in
	}
	at := t.Topic
	if t.TopicExpr.Set() {
		at = t.TopicExpr
	}
	key, value := c.format(t.Key, in.key.format, t.Topic.Value, "key", t.Pos), c.format(t.Value, in.value.format, t.Topic.Value, "value", t.Pos)
	if t.Key.Set() {
		c.holds(key, in.key.typ, t.Key.text, "key")
	} else {
		key = c.takenOver(side{key, in.key.typ}, at, "key")
	}
	if t.Value.Set() {
		c.holds(value, in.value.typ, t.Value.text, "value")
	} else {
		value = c.takenOver(side{value, in.value.typ}, at, "value")
	}
	formats := topicFormat{key, value}
	c.writes(key, value)
	var topic, partition *compiled
	if t.Topic.Set() {
		if c.topic(t.Topic) {
			if other, ok := c.sinks[t.Topic.Value]; ok && other != formats {
				c.report(t.Topic.Error(fmt.Sprintf("topic %q is written in two formats: %s/%s and %s/%s", t.Topic.Value, other.key.Name, other.value.Name, key.Name, value.Name), ""))
			}
			c.sinks[t.Topic.Value] = formats
		}
	} else {
		c.dynamic, c.computed = true, formats
		topic = c.expression(t.TopicExpr, in.env(), expression.Text)
	}
	if t.Partition.Set() {
		partition = c.expression(t.Partition, in.env(), expression.Int)
	}
	if c.problems.Err() != nil || in.operator == (operator{}) {
		return in
	}

	out := *in
	if key != in.key.format || value != in.value.format {
		c.process(&out, c.unique(name+"-convert"), convert(formats))
	}
	if topic == nil && partition == nil {
		out.operator.To(topology.NewTopic(t.Topic.Value, key.Codec(false), value.Codec(false)), topology.Named(name))
		return in
	}
	c.process(&out, c.unique(name+"-choose"), choose(t.Topic.Value, topic, partition))
	out.operator.ToChosen(key.Codec(false), value.Codec(false), chosen, topology.Named(name))
	return in
}

// convert decodes before the sink what is to be written in another format, so
// that a bad record is a deserialization failure and not one of production.
func convert(f topicFormat) func(*taskContext, *row) handler {
	return func(ctx *taskContext, w *row) handler {
		return func(r record) error {
			if !r.KeyIsNull() {
				if err := r.Key.Convert(f.key); err != nil {
					return w.malformed("key", err)
				}
			}
			if !r.ValueIsNull() {
				if err := r.Value.Convert(f.value); err != nil {
					return w.malformed("value", err)
				}
			}
			return ctx.Forward(r)
		}
	}
}

// choose computes where a record goes. It is an operator before the sink because
// the sink's own chooser cannot fail.
func choose(name string, topic, partition *compiled) func(*taskContext, *row) handler {
	return func(ctx *taskContext, w *row) handler {
		which, where, u := newCall(topic), newCall(partition), needed(topic, partition)
		return func(r record) error {
			if err := w.load(&r, u); err != nil {
				return err
			}
			to := &topology.Destination{Topic: name, Partition: topology.AnyPartition}
			if which != nil {
				v, err := which.eval(w)
				if err != nil {
					return err
				}
				to.Topic = v.(string)
			}
			if where != nil {
				v, err := where.eval(w)
				if err != nil {
					return err
				}
				p := v.(int64)
				if p < 0 || p > 1<<31-1 {
					return where.x.locate(fmt.Errorf("partition %d", p))
				}
				to.Partition = int32(p)
			}
			r.Key.To = to
			return ctx.Forward(r)
		}
	}
}

func chosen(r record) topology.Destination { return *r.Key.To }

// holds reports a format that can never hold what is known of a value.
func (c *compiler) holds(f *datum.Format, typ expression.Type, at text, part string) {
	if f.Type == "any" {
		return
	}
	got := typ.String()
	ok := got == "any" || got == f.Type
	switch f.Type {
	case "string", "bytes":
		ok = ok || got == "string" || got == "bytes"
	case "float":
		ok = ok || got == "int"
	}
	if !ok {
		hint := fmt.Sprintf("name a format that can, such as to: {topic: …, %s: json}", part)
		if f.Type == "string" {
			hint += ", or make it text with string()"
		}
		c.report(at.Error(fmt.Sprintf("the %s is %s, which the format %s cannot hold", part, article(got), f.Name), hint))
	}
}

func article(name string) string {
	if name == "int" {
		return "an int"
	}
	return "a " + name
}
