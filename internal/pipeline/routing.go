package pipeline

import (
	"fmt"

	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/expression"
	"github.com/eosproc/eosproc/internal/pipeline/yamlfile"
	"github.com/eosproc/eosproc/topology"
)

// branch compiles a branch step: one operator that decides, and one per way out.
//
// topology.Split is not used: its predicates cannot fail, see no record (only key
// and value), and hold for no null. So the deciding operator notes the way in the
// record's key, and each way out takes the records that carry its number.
func (c *compiler) branch(branches []branch, name string, in *stream) {
	*in.used = true
	conditions := make([]*compiled, 0, len(branches))
	byDefault := uint16(0) // 0: nowhere
	for i, b := range branches {
		switch {
		case b.Else != nil:
			byDefault = uint16(i + 1)
			if b.When.Set() || b.Steps != nil {
				c.report(c.file.source.Problem(b.Pos, 1, Error, "else stands alone", "write else: [steps] without when and steps"))
			}
			if i != len(branches)-1 {
				c.report(c.file.source.Problem(b.Pos, 1, Error, "branches behind else are never reached", "put else last"))
			}
			continue
		case len(c.file.problems) > 0 && (!b.When.Set() || b.Steps == nil):
		case !b.When.Set():
			c.report(c.file.source.Problem(b.Pos, 1, Error, `"when" is missing`, "the last branch may be else: [steps]"))
		case b.Steps == nil:
			c.report(c.file.source.Problem(b.Pos, 1, Error, `"steps" is missing`, ""))
		}
		if b.When.Set() {
			conditions = append(conditions, c.expression(b.When, in.env(), expression.Bool))
		} else {
			conditions = append(conditions, nil)
		}
	}
	decided := *in
	c.process(&decided, name, func(ctx *taskContext, w *row) handler {
		calls := make([]*call, len(conditions))
		for i, x := range conditions {
			calls[i] = newCall(x)
		}
		u := needed(conditions...)
		return func(r record) error {
			if err := w.load(&r, u); err != nil {
				return err
			}
			r.Key.Route = byDefault
			for i, call := range calls {
				ok, err := call.holds(w)
				if err != nil {
					return err
				}
				if ok {
					r.Key.Route = uint16(i + 1)
					break
				}
			}
			if r.Key.Route == 0 {
				return nil
			}
			return ctx.Forward(r)
		}
	})
	for i, b := range branches {
		out := decided
		used := false
		out.used, out.last = &used, b.Pos
		steps, suffix := b.Steps, fmt.Sprint(i+1)
		if b.Else != nil {
			steps, suffix = b.Else, "else"
		}
		c.process(&out, c.unique(name+"-"+suffix), func(ctx *taskContext, _ *row) handler {
			way := uint16(i + 1)
			return func(r record) error {
				if r.Key.Route != way {
					return nil
				}
				r.Key.Route = 0
				return ctx.Forward(r)
			}
		})
		if len(steps) == 0 {
			used = true // a branch without steps drops its records on purpose
		}
		c.steps(steps, &out)
	}
}

func (c *compiler) merge(labels []text, pos yamlfile.Pos, name string, in *stream) *stream {
	var out *stream
	if in != nil {
		*in.used = true
		merged := *in
		used := false
		merged.used = &used
		out = &merged
	}
	if len(labels) == 0 || in == nil && len(labels) < 2 {
		c.report(c.file.source.Problem(pos, 1, Error, "merge needs two streams or more", ""))
	}
	for i, label := range labels {
		other := c.use(label)
		if out == nil {
			out = other
			continue
		}
		if other.operator != (operator{}) && out.operator != (operator{}) {
			operatorName := name
			if i < len(labels)-1 {
				operatorName = c.unique(fmt.Sprintf("%s-%d", name, i+1))
			}
			out.operator = out.operator.Merge(other.operator, topology.Named(operatorName))
		}
		out.key, out.value = join(out.key, other.key), join(out.value, other.value)
	}
	if out == nil {
		return c.unknown()
	}
	return out
}

// join is what is known of two streams together.
func join(a, b side) side {
	out := side{typ: expression.Any}
	if a.format == b.format {
		out.format = a.format
	}
	if a.typ == b.typ {
		out.typ = a.typ
	}
	return out
}

func (c *compiler) repartition(p *repartition, name string, in *stream) *stream {
	out := *in
	if p.Key.Set() {
		out = *c.mapping(&mapStep{Key: p.Key, Pos: p.Key.Pos}, c.unique(name+"-key"), in)
	}
	if p.Name.Set() && (!validName(p.Name.Value)) {
		c.report(p.Name.Error(fmt.Sprintf("%q cannot be part of a topic name", p.Name.Value), "use letters, digits, '.', '_' and '-'"))
	}
	if p.Partitions.Text.Set() && (p.Partitions.Value < 1 || p.Partitions.Value > 100_000) {
		c.report(p.Partitions.Text.Error("partitions must be between 1 and 100000", ""))
	}
	key, value := c.takenOver(out.key, p.Name, "key"), c.takenOver(out.value, p.Name, "value")
	c.writes(key, value)
	out.key.format, out.value.format = key, value
	if out.operator == (operator{}) || c.problems.Err() != nil {
		return &out
	}
	out.operator = out.operator.Repartition(
		topology.NewTopic(p.Name.Value, key.Codec(false), value.Codec(false)),
		topology.Named(name), topology.Partitions(int(p.Partitions.Value)))
	return &out
}

// takenOver returns the format in which a side is written when a step names none,
// and reports what it cannot hold.
func (c *compiler) takenOver(s side, at text, part string) *datum.Format {
	if s.format == nil {
		c.report(at.Error(fmt.Sprintf("streams with different formats of the %s have been merged", part), "make them the same before, or name a format where they are written"))
		return datum.JSON
	}
	c.holds(s.format, s.typ, at, part)
	return s.format
}
