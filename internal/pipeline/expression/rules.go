package expression

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"

	"github.com/eosproc/eosproc/internal/pipeline/suggest"
)

// builtins is the list of the library's functions that may be used. It is a list
// of what is allowed, so that a new version of the library adds nothing that has
// not been looked at.
var builtins = []string{
	"all", "none", "any", "one", "filter", "map", "find", "findIndex", "findLast", "findLastIndex", "count", "sortBy", "reduce",
	"len", "type", "trim", "trimPrefix", "trimSuffix", "upper", "lower", "split", "splitAfter", "indexOf", "lastIndexOf",
	"hasPrefix", "hasSuffix", "toBase64", "fromBase64", "first", "last", "get", "take", "reverse", "uniq", "concat", "flatten", "sort",
	"bitand", "bitor", "bitxor", "bitnand", "bitnot", "bitshl", "bitshr", "bitushr",
}

// instead says what to use for functions that people will look for.
var instead = map[string]string{
	"now":      "a record that is processed again must give the same result: use stream_time() or timestamp",
	"date":     "it depends on the machine's time zones: use parse_time() and format_time()",
	"timezone": "it depends on the machine's time zones: use parse_time() and format_time()",
	"duration": "use milliseconds",
	"mean":     "use sum(x) / len(x)",
	"groupBy":  "use filter() with a condition",
}

func callable() []string {
	out := slices.Clone(builtins)
	for _, f := range own {
		out = append(out, f.name)
	}
	for _, f := range extra {
		out = append(out, f.name)
	}
	return append(out, "stream_time")
}

var allowedNames = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range callable() {
		m[n] = true
	}
	return m
}()

// allowance refuses what is not on the list and collects the names in use.
type allowance struct {
	uses Uses
	err  *Error
	// values counts the mentions of the value, fields are those that are followed by
	// the name of a field.
	values int
	fields []string
}

func (a *allowance) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			a.refuse(n, "$env is not available", "name what you need: key, value, headers, …")
		}
		if n.Value == "stream_time" {
			a.uses |= UsesStreamTime
		}
		a.uses |= names[n.Value]
		if names[n.Value] == UsesValue {
			a.values++
		}
	case *ast.BuiltinNode:
		if !allowedNames[n.Name] {
			h := instead[n.Name]
			if h == "" {
				h = suggest.Hint(n.Name, callable())
			}
			a.refuse(n, fmt.Sprintf("%s() is not available", n.Name), h)
		}
	case *ast.MemberNode:
		if id, ok := n.Node.(*ast.IdentifierNode); ok && names[id.Value] == UsesValue {
			if field, ok := n.Property.(*ast.StringNode); ok {
				a.fields = append(a.fields, field.Value)
			}
		}
		if n.Method {
			a.refuse(n, "methods cannot be called", "")
		}
	}
}

func (a *allowance) refuse(n ast.Node, message, hint string) {
	if a.err == nil {
		loc := n.Location()
		a.err = &Error{From: loc.From, To: loc.To, Message: message, Hint: hint}
	}
}

// operators are the functions that stand in for operators when a record is
// processed.
var operators = []function{
	{"add", func(p ...any) (any, error) { return add(p[0], p[1]) }, nil},
	{"subtract", func(p ...any) (any, error) { return subtraction.apply(p[0], p[1]) }, nil},
	{"multiply", func(p ...any) (any, error) { return multiplication.apply(p[0], p[1]) }, nil},
	{"power", func(p ...any) (any, error) { return power.apply(p[0], p[1]) }, nil},
	{"divide", func(p ...any) (any, error) { return divide(p[0], p[1]) }, nil},
	{"negate", func(p ...any) (any, error) { return negate(p[0]) }, nil},
	{"equal", func(p ...any) (any, error) { return equal(p[0], p[1]), nil }, []any{new(func(any, any) bool)}},
	{"less", comparison("<", func(c int) bool { return c < 0 }), []any{new(func(any, any) bool)}},
	{"more", comparison(">", func(c int) bool { return c > 0 }), []any{new(func(any, any) bool)}},
	{"at_most", comparison("<=", func(c int) bool { return c <= 0 }), []any{new(func(any, any) bool)}},
	{"at_least", comparison(">=", func(c int) bool { return c >= 0 }), []any{new(func(any, any) bool)}},
}

func comparison(op string, holds func(int) bool) func(p ...any) (any, error) {
	return func(p ...any) (any, error) {
		c, err := compare(op, p[0], p[1])
		return holds(c), err
	}
}

var binary = map[string]string{
	"+": "add", "-": "subtract", "*": "multiply", "**": "power", "^": "power", "/": "divide",
	"==": "equal", "<": "less", ">": "more", "<=": "at_most", ">=": "at_least",
}

const prefix = "__"

// substitution puts this package's functions in the place of operators and
// builtins.
type substitution struct{ replaced map[string]bool }

func (s substitution) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		if n.Operator == "!=" {
			eq := call("equal", n.Left, n.Right)
			eq.SetLocation(n.Location())
			ast.Patch(node, &ast.UnaryNode{Operator: "!", Node: eq})
		} else if name, ok := binary[n.Operator]; ok {
			ast.Patch(node, call(name, n.Left, n.Right))
		}
	case *ast.UnaryNode:
		if n.Operator == "-" {
			ast.Patch(node, call("negate", n.Node))
		}
	case *ast.CallNode:
		if id, ok := n.Callee.(*ast.IdentifierNode); ok && id.Value == "stream_time" {
			ast.Patch(node, &ast.IdentifierNode{Value: streamTime})
		}
	case *ast.BuiltinNode:
		if !s.replaced[n.Name] {
			return
		}
		args := n.Arguments
		if n.Name == "sum" && len(args) == 2 {
			mapped := &ast.BuiltinNode{Name: "map", Arguments: args}
			mapped.SetLocation(n.Location())
			args = []ast.Node{mapped}
		}
		ast.Patch(node, call(n.Name, args...))
	case *ast.ArrayNode:
		// A list of literals is made once. Nothing changes a list, so it may be shared.
		if list, ok := literals(n); ok {
			ast.Patch(node, &ast.ConstantNode{Value: list})
		}
	}
}

func call(name string, args ...ast.Node) *ast.CallNode {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: prefix + name}, Arguments: args}
}

func literals(n *ast.ArrayNode) ([]any, bool) {
	out := make([]any, 0, len(n.Nodes))
	for _, x := range n.Nodes {
		switch x := x.(type) {
		case *ast.StringNode:
			out = append(out, x.Value)
		case *ast.IntegerNode:
			out = append(out, x.Value)
		case *ast.FloatNode:
			out = append(out, x.Value)
		case *ast.BoolNode:
			out = append(out, x.Value)
		default:
			return nil, false
		}
	}
	return out, true
}

// runOptions are those of the compilation for records. The library's optimizer is
// off: it assumes types (a list of texts becomes a set that panics on a number).
var runOptions = func() []expr.Option {
	env := types.Map{}
	for name := range names {
		env[name] = types.Any
	}
	replaced := map[string]bool{}
	opts := []expr.Option{expr.Env(env), expr.MaxNodes(4 * maxNodes), expr.Optimize(false)}
	opts = append(opts, expr.Function("stream_time", func(...any) (any, error) { return nil, nil }, new(func() int64)))
	for _, f := range extra {
		opts = append(opts, f.option(""))
	}
	for _, f := range own {
		replaced[f.name] = true
		opts = append(opts, f.option(prefix))
	}
	for _, f := range operators {
		opts = append(opts, f.option(prefix))
	}
	return append(opts, expr.Patch(substitution{replaced}))
}()
