package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/expression"
	"github.com/eosproc/eosproc/topology"
)

// compiled is an expression with its place in the file.
type compiled struct {
	program *expression.Program
	text    text
	file    string
}

// locate puts the place in the file before an error.
func (x *compiled) locate(err error) error {
	at := x.text.Pos
	if e, ok := errors.AsType[*expression.Error](err); ok {
		at = x.text.At(e.From)
	}
	return fmt.Errorf("%s:%d:%d: %w", x.file, at.Line, at.Col, err)
}

// row shows a record to expressions. It belongs to one task and is used again for
// each record.
type row struct {
	ctx    *taskContext
	node   string
	vars   expression.Vars
	fields map[string]any
}

// needs is what the expressions of a step read.
type needs struct {
	uses expression.Uses
	// fields are the only parts of the value that are read; nil if all of it may be.
	fields []string
}

// load fills what the expressions of a step use. It decodes r's key and value in
// place, so that the steps behind find them decoded.
func (w *row) load(r *record, n needs) error {
	uses := n.uses
	if uses&expression.UsesKey != 0 {
		w.vars.Key = nil
		if !r.KeyIsNull() {
			v, err := r.Key.Value()
			if err != nil {
				return w.malformed("key", err)
			}
			w.vars.Key = v
		}
	}
	if uses&expression.UsesValue != 0 {
		w.vars.Value = nil
		if !r.ValueIsNull() {
			v, err := w.value(r, n.fields)
			if err != nil {
				return w.malformed("value", err)
			}
			w.vars.Value = v
		}
	}
	if uses&expression.UsesHeaders != 0 {
		// A new map: an expression may make it a part of the result.
		m := make(map[string]any, len(r.Headers))
		for _, h := range r.Headers {
			m[h.Key] = nil
			if h.Value != nil {
				m[h.Key] = string(h.Value)
			}
		}
		w.vars.Headers = m
	}
	w.vars.Timestamp = r.Timestamp
	if w.ctx != nil && uses&(expression.UsesTopic|expression.UsesPartition|expression.UsesOffset|expression.UsesStreamTime) != 0 {
		m, _ := w.ctx.Source()
		w.vars.Topic, w.vars.Partition, w.vars.Offset = m.Topic, m.Partition, m.Offset
		w.vars.StreamTime = w.ctx.StreamTime()
	}
	return nil
}

// value decodes the value, or only the fields that are read.
func (w *row) value(r *record, fields []string) (any, error) {
	if fields == nil {
		return r.Value.Value()
	}
	if w.fields == nil {
		w.fields = make(map[string]any, len(fields))
	}
	return r.Value.Fields(fields, w.fields)
}

// malformed makes the failure of a record that could not be decoded. It is found
// late but stays a deserialization failure, so that the handler for those decides.
func (w *row) malformed(part string, err error) error {
	err = fmt.Errorf("decode %s: %w", part, err)
	if w.ctx == nil {
		return err
	}
	m, _ := w.ctx.Source()
	return &topology.RecordError{Stage: topology.Deserialization, Node: w.node, Topic: m.Topic, Partition: m.Partition, Offset: m.Offset, Err: err}
}

// call is one expression in one task.
type call struct {
	x  *compiled
	ev *expression.Evaluator
}

func newCall(x *compiled) *call {
	if x == nil {
		return nil
	}
	return &call{x, x.program.Evaluator()}
}

func (c *call) eval(w *row) (any, error) {
	v, err := c.ev.Eval(&w.vars)
	if err != nil {
		return nil, c.x.locate(err)
	}
	return v, nil
}

func (c *call) holds(w *row) (bool, error) {
	ok, err := c.ev.Holds(&w.vars)
	if err != nil {
		return false, c.x.locate(err)
	}
	return ok, nil
}

// needed is what several expressions read together; nil ones read nothing.
func needed(xs ...*compiled) needs {
	n := needs{fields: []string{}}
	for _, x := range xs {
		if x == nil {
			continue
		}
		n.uses |= x.program.Uses()
		fields, ok := x.program.Fields()
		if !ok {
			n.fields = nil
		}
		if n.fields != nil {
			n.fields = append(n.fields, fields...)
		}
	}
	if n.fields != nil {
		slices.Sort(n.fields)
		n.fields = slices.Compact(n.fields)
	}
	return n
}

// Eval evaluates an expression for one line of input, for trying expressions out.
// A line is a JSON document, which becomes the value; an empty line is a null
// value. The error is an [expression.Error] or says what is wrong with the line.
func Eval(source string, line []byte) (any, error) {
	p, err := expression.Compile(source, expression.Env{}, expression.Anything)
	if err != nil {
		return nil, err
	}
	var vars expression.Vars
	if len(line) > 0 {
		d, err := datum.JSON.Codec(true).Decode(line)
		if errors.Is(err, codec.ErrNil) {
			d, err = datum.New(nil, datum.JSON), nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode line: %w", err)
		}
		if vars.Value, err = d.Value(); err != nil {
			return nil, fmt.Errorf("decode line: %w", err)
		}
	}
	return p.Evaluator().Eval(&vars)
}
