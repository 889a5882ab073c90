package expression

import (
	"fmt"

	"github.com/expr-lang/expr/vm"
)

// Vars are the record that an expression sees. Only what [Program.Uses] names is read.
type Vars struct {
	Key, Value any
	// Headers maps names to their last values: text, or nil for null.
	Headers map[string]any
	// Timestamp and StreamTime are in milliseconds since the Unix epoch.
	Timestamp, StreamTime int64
	Topic                 string
	Partition             int32
	Offset                int64
}

// Evaluator runs one program for one goroutine at a time. It keeps its memory
// between evaluations.
type Evaluator struct {
	p   *Program
	vm  vm.VM
	env map[string]any
}

// Evaluator returns a new evaluator of p.
func (p *Program) Evaluator() *Evaluator {
	return &Evaluator{p: p, vm: vm.VM{MemoryBudget: MemoryBudget}, env: make(map[string]any, len(names))}
}

// Program returns the program that is evaluated.
func (e *Evaluator) Program() *Program { return e.p }

// Eval evaluates the expression for one record. An error is an [*Error]. The
// result may share memory with the record's values; neither may be modified.
func (e *Evaluator) Eval(v *Vars) (any, error) {
	e.fill(v)
	out, err := e.vm.Run(e.p.program, e.env)
	if err != nil {
		return nil, asError(e.p.source, err)
	}
	return e.p.want.check(e.p.source, out)
}

// Holds evaluates a predicate.
func (e *Evaluator) Holds(v *Vars) (bool, error) {
	out, err := e.Eval(v)
	if err != nil {
		return false, err
	}
	holds, ok := out.(bool)
	if !ok {
		return false, e.p.want.mismatch(e.p.source, out)
	}
	return holds, nil
}

func (e *Evaluator) fill(v *Vars) {
	u := e.p.uses
	if u&UsesKey != 0 {
		e.env["key"] = v.Key
	}
	if u&UsesValue != 0 {
		e.env["value"], e.env["this"] = v.Value, v.Value
	}
	if u&UsesHeaders != 0 {
		e.env["headers"] = v.Headers
	}
	if u&UsesTimestamp != 0 {
		e.env["timestamp"] = v.Timestamp
	}
	if u&UsesTopic != 0 {
		e.env["topic"] = v.Topic
	}
	if u&UsesPartition != 0 {
		e.env["partition"] = int64(v.Partition)
	}
	if u&UsesOffset != 0 {
		e.env["offset"] = v.Offset
	}
	if u&UsesStreamTime != 0 {
		e.env[streamTime] = v.StreamTime
	}
}

func (w Want) check(source string, out any) (any, error) {
	ok := true
	switch w {
	case Bool:
		_, ok = out.(bool)
	case Int:
		var n number
		if n, ok = toNumber(out); ok && !n.float {
			return n.i, nil
		}
		ok = false
	case Text:
		_, ok = out.(string)
	case List:
		if out == nil {
			return nil, nil
		}
		l, err := list("", out)
		if ok = err == nil; ok {
			return l, nil
		}
	case Map:
		_, ok = out.(map[string]any)
	}
	if !ok {
		return nil, w.mismatch(source, out)
	}
	return out, nil
}

func (w Want) mismatch(source string, out any) error {
	return (&Error{To: len(source), Message: fmt.Sprintf("the expression gave %s, %s is needed", kind(out), wants[w])}).within(source)
}
