package expression

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/eosproc/eosproc/internal/pipeline/suggest"
)

// Limits of an expression's text.
const (
	maxSource = 16 << 10 // bytes; also bounds the parser's recursion
	maxNodes  = 5_000
)

// Want is what an expression has to give.
type Want uint8

// The kinds of results. A result whose type is not known in advance is checked
// on every evaluation.
const (
	Anything Want = iota
	Bool
	Int
	Text
	List
	Map
)

var wants = [...]string{"anything", "true or false", "a whole number", "text", "a list", "a map"}

// Env is what is known of the record that an expression will see.
type Env struct{ Key, Value Type }

// Uses is a set of names.
type Uses uint16

// The names of the record.
const (
	UsesKey Uses = 1 << iota
	UsesValue
	UsesHeaders
	UsesTimestamp
	UsesTopic
	UsesPartition
	UsesOffset
	UsesStreamTime
)

const streamTime = "__stream_time"

var names = map[string]Uses{
	"key": UsesKey, "value": UsesValue, "this": UsesValue, "headers": UsesHeaders, "timestamp": UsesTimestamp,
	"topic": UsesTopic, "partition": UsesPartition, "offset": UsesOffset, streamTime: UsesStreamTime,
}

// Program is a compiled expression. It is safe for concurrent use; an
// [Evaluator] runs it.
type Program struct {
	source  string
	want    Want
	uses    Uses
	fields  []string
	result  Type
	program *vm.Program
}

// Uses returns the names that the expression reads.
func (p *Program) Uses() Uses { return p.uses }

// Fields returns the fields of the value that the expression reads; ok is false if
// it looks at the value in any other way than by the names of fields.
func (p *Program) Fields() (names []string, ok bool) { return p.fields, p.fields != nil }

// Type returns what is known of the results.
func (p *Program) Type() Type { return p.result }

// Compile checks an expression against env and prepares it. An error is an
// [*Error].
func Compile(source string, env Env, want Want) (*Program, error) {
	switch {
	case strings.TrimSpace(source) == "":
		return nil, &Error{Message: "the expression is empty"}
	case len(source) > maxSource:
		return nil, (&Error{Message: fmt.Sprintf("the expression is longer than %d KiB", maxSource>>10)}).within(source)
	case !utf8.ValidString(source):
		return nil, (&Error{Message: "the expression is not valid UTF-8"}).within(source)
	}
	p := &Program{source: source, want: want}
	if err := p.check(env); err != nil {
		return nil, err
	}
	program, err := expr.Compile(source, runOptions...)
	if err != nil {
		return nil, asError(source, err)
	}
	p.program = program
	return p, nil
}

// check is the compilation for the author.
func (p *Program) check(env Env) error {
	c := conf.CreateNew()
	expr.Env(types.Map{
		"key": env.Key.expr(), "value": env.Value.expr(), "this": env.Value.expr(),
		"headers": types.Map{types.Extra: types.String}, "timestamp": types.Int64,
		"topic": types.String, "partition": types.Int64, "offset": types.Int64,
	})(c)
	expr.MaxNodes(maxNodes)(c)
	expr.Function("stream_time", func(...any) (any, error) { return nil, nil }, new(func() int64))(c)
	for _, f := range extra {
		f.option("")(c)
	}
	tree, err := checker.ParseCheck(p.source, c)
	allowed := &allowance{}
	if tree != nil && tree.Node != nil {
		// What is not allowed goes before what is mistaken: now() > 5 has a better
		// answer than that a time is no number.
		ast.Walk(&tree.Node, allowed)
		if allowed.err != nil {
			return allowed.err.within(p.source)
		}
	}
	if err != nil {
		e := asError(p.source, err)
		if e.Hint == "" {
			var root ast.Node
			if tree != nil {
				root = tree.Node
			}
			e.Hint = hint(root, e)
		}
		return e
	}
	p.uses = allowed.uses
	if allowed.values == len(allowed.fields) {
		p.fields = slices.Compact(slices.Sorted(slices.Values(allowed.fields)))
	}
	nt := *tree.Node.Nature()
	if nt.Type != nil || nt.Nil {
		if !p.want.accepts(nt.Kind, nt.IsInteger, nt.Nil) {
			e := &Error{To: len(p.source), Message: fmt.Sprintf("the expression gives %s, %s is needed", article(typeName(nt)), wants[p.want])}
			return e.within(p.source)
		}
	}
	p.result = resultType(tree.Node)
	return nil
}

func (w Want) accepts(k reflect.Kind, integer, null bool) bool {
	switch w {
	case Bool:
		return k == reflect.Bool
	case Int:
		return integer
	case Text:
		return k == reflect.String
	case List:
		return k == reflect.Slice || null
	case Map:
		return k == reflect.Map
	}
	return true
}

func article(name string) string {
	switch name {
	case "null", "bytes":
		return name
	case "int", "any":
		return "an " + name
	}
	return "a " + name
}

// hint looks for what the author may have meant.
func hint(root ast.Node, e *Error) string {
	if root == nil {
		if e.Message == `unexpected token Operator(":")` {
			return "inside map(), filter() and the like a map is written {{name: …}}"
		}
		return ""
	}
	f := &finder{from: e.From}
	ast.Walk(&root, f)
	if name, ok := strings.CutPrefix(e.Message, "unknown name "); ok {
		return suggest.Hint(name, append(callable(), "key", "value", "this", "headers", "timestamp", "topic", "partition", "offset"))
	}
	if name, ok := strings.CutPrefix(e.Message, "unknown field "); ok && f.member != nil {
		e.Message = fmt.Sprintf("no field %q", name)
		nt := f.member.Node.Nature()
		if nt.TypeData != nil {
			var fields []string
			for k := range nt.Fields {
				fields = append(fields, k)
			}
			return suggest.Hint(name, fields)
		}
	}
	return ""
}

// finder finds the field access at a place.
type finder struct {
	from   int
	member *ast.MemberNode
}

func (f *finder) Visit(node *ast.Node) {
	if m, ok := (*node).(*ast.MemberNode); ok && m.Property.Location().From == f.from {
		f.member = m
	}
}
