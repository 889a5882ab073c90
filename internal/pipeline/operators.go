package pipeline

import (
	"encoding/json"
	"fmt"

	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/expression"
	"github.com/eosproc/eosproc/topology"
)

// process adds an operator behind a stream. construct runs once per task.
func (c *compiler) process(in *stream, name string, construct func(*taskContext, *row) handler) {
	if in.operator == (operator{}) {
		return // an error before has left no stream
	}
	in.operator = topology.Process(in.operator, func(ctx *taskContext) func(record) error {
		return construct(ctx, &row{ctx: ctx, node: name})
	}, topology.Named(name))
}

func (c *compiler) filter(t text, name string, in *stream) *stream {
	x := c.expression(t, in.env(), expression.Bool)
	if x == nil {
		return in
	}
	out := *in
	c.process(&out, name, func(ctx *taskContext, w *row) handler {
		keep, u := newCall(x), needed(x)
		return func(r record) error {
			if err := w.load(&r, u); err != nil {
				return err
			}
			ok, err := keep.holds(w)
			if err != nil || !ok {
				return err
			}
			return ctx.Forward(r)
		}
	})
	return &out
}

// mapping compiles map and key. All parts see the record as it came in.
func (c *compiler) mapping(m *mapStep, name string, in *stream) *stream {
	out := *in
	var key, value, timestamp *compiled
	if m.Key.Set() {
		if key = c.expression(m.Key, in.env(), expression.Anything); key != nil {
			out.key = made(in.key, key)
		}
	}
	if m.Value.Set() {
		if value = c.expression(m.Value, in.env(), expression.Anything); value != nil {
			out.value = made(in.value, value)
		}
	}
	if m.Timestamp.Set() {
		timestamp = c.expression(m.Timestamp, in.env(), expression.Int)
	}
	headers := make([]*compiled, len(m.Headers))
	for i, h := range m.Headers {
		headers[i] = c.expression(h.Value, in.env(), expression.Anything)
	}
	if !m.Key.Set() && !m.Value.Set() && !m.Timestamp.Set() && len(m.Headers) == 0 && len(c.file.problems) == 0 {
		c.report(c.file.source.Problem(m.Pos, 1, Error, "map needs at least one of value, key, headers and timestamp", ""))
	}
	if c.problems.Err() != nil {
		return &out
	}
	keyFormat, valueFormat := out.key.format, out.value.format
	c.process(&out, name, func(ctx *taskContext, w *row) handler {
		k, v, ts := newCall(key), newCall(value), newCall(timestamp)
		hs := make([]*call, len(headers))
		for i, h := range headers {
			hs[i] = newCall(h)
		}
		u := needed(append(headers, key, value, timestamp)...)
		return func(r record) error {
			if err := w.load(&r, u); err != nil {
				return err
			}
			out := r
			if k != nil {
				x, err := k.eval(w)
				if err != nil {
					return err
				}
				out = withKey(out, x, keyFormat)
			}
			if v != nil {
				x, err := v.eval(w)
				if err != nil {
					return err
				}
				out = withValue(out, x, valueFormat)
			}
			if ts != nil {
				x, err := ts.eval(w)
				if err != nil {
					return err
				}
				if out.Timestamp = x.(int64); out.Timestamp < 0 {
					return ts.x.locate(topology.ErrInvalidTimestamp)
				}
			}
			for i, h := range hs {
				x, err := h.eval(w)
				if err != nil {
					return err
				}
				if out.Headers, err = withHeader(out.Headers, m.Headers[i].Key.Value, x); err != nil {
					return h.x.locate(err)
				}
			}
			return ctx.Forward(out)
		}
	})
	return &out
}

// made tells what is known of a key or value that an expression makes. Whether
// the format can hold it is asked where it is written, since a step behind may
// name another.
func made(before side, x *compiled) side {
	after := side{before.format, x.program.Type()}
	if after.format == nil {
		after.format = datum.JSON
	}
	return after
}

func withKey(r record, v any, f *datum.Format) record {
	if v == nil {
		return r.WithNullKey()
	}
	return r.WithKey(datum.New(v, f))
}

func withValue(r record, v any, f *datum.Format) record {
	if v == nil {
		return r.WithNullValue()
	}
	return r.WithValue(datum.New(v, f))
}

// withHeader replaces all headers of a name. Text is written as it is, anything
// else as JSON.
func withHeader(h topology.Headers, name string, v any) (topology.Headers, error) {
	h = h.Without(name)
	switch v := v.(type) {
	case nil:
		return h, nil
	case string:
		return h.With(name, []byte(v)), nil
	case []byte:
		return h.With(name, v), nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode header %s: %w", name, err)
	}
	return h.With(name, b), nil
}

func (c *compiler) flatMap(t text, name string, in *stream) *stream {
	out := *in
	x := c.expression(t, in.env(), expression.List)
	if x == nil {
		out.value.typ = expression.Any
		return &out
	}
	out.value = made(in.value, x)
	out.value.typ, _ = x.program.Type().Elem()
	format := out.value.format
	c.process(&out, name, func(ctx *taskContext, w *row) handler {
		list, u := newCall(x), needed(x)
		return func(r record) error {
			if err := w.load(&r, u); err != nil {
				return err
			}
			v, err := list.eval(w)
			if err != nil || v == nil {
				return err
			}
			for _, e := range v.([]any) {
				if err := ctx.Forward(withValue(r, e, format)); err != nil {
					return err
				}
			}
			return nil
		}
	})
	return &out
}

// peek prints a JSON object per record. It is outside of the transaction.
func (c *compiler) peek(p *peek, name string, in *stream) *stream {
	*in.used = true
	out := *in
	var x *compiled
	u := needs{uses: expression.UsesKey | expression.UsesValue | expression.UsesHeaders}
	if p.Expr.Set() {
		if x = c.expression(p.Expr, in.env(), expression.Anything); x == nil {
			return in
		}
		u = needed(x)
	}
	u.uses |= expression.UsesTopic
	c.process(&out, name, func(ctx *taskContext, w *row) handler {
		show := newCall(x)
		return func(r record) error {
			if err := w.load(&r, u); err != nil {
				return err
			}
			line := peeked{Step: name, Topic: w.vars.Topic, Partition: w.vars.Partition, Offset: w.vars.Offset}
			if show != nil {
				v, err := show.eval(w)
				if err != nil {
					return err
				}
				line.Result = &v
			} else {
				line.Record = &peekedRecord{w.vars.Key, w.vars.Value, r.Timestamp, w.vars.Headers}
			}
			b, err := json.Marshal(line)
			if err != nil {
				return fmt.Errorf("print record: %w", err)
			}
			if _, err := c.file.options.Peek.Write(append(b, '\n')); err != nil {
				return fmt.Errorf("print record: %w", err)
			}
			return ctx.Forward(r)
		}
	})
	return &out
}

type peeked struct {
	Step      string        `json:"step"`
	Topic     string        `json:"topic"`
	Partition int32         `json:"partition"`
	Offset    int64         `json:"offset"`
	Result    *any          `json:"result,omitempty"`
	Record    *peekedRecord `json:"record,omitempty"`
}

type peekedRecord struct {
	Key       any            `json:"key"`
	Value     any            `json:"value"`
	Timestamp int64          `json:"timestamp"`
	Headers   map[string]any `json:"headers,omitempty"`
}
