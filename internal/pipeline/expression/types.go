package expression

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/types"
)

// Type is what is known of a value before any record is seen. The zero Type
// means that nothing is known.
type Type struct{ t types.Type }

func (t Type) expr() types.Type {
	if t.t == nil {
		return types.Any
	}
	return t.t
}

// Any is the type of which nothing is known.
var Any = Type{}

// scalars are the names that a schema may use.
var scalars = map[string]types.Type{
	"string": types.String, "int": types.Int64, "float": types.Float64, "bool": types.Bool,
	"bytes": types.TypeOf([]byte(nil)), "any": types.Any, "map": types.TypeOf(map[string]any{}), "list": types.TypeOf([]any{}),
}

// TypeNames are the names that [TypeOf] knows.
var TypeNames = []string{"any", "bool", "bytes", "float", "int", "list", "map", "string"}

// TypeOf returns the type with a name.
func TypeOf(name string) (Type, bool) {
	t, ok := scalars[name]
	return Type{t}, ok
}

// MapOf returns the type of a map with exactly these fields.
func MapOf(fields map[string]Type) Type {
	m := types.Map{}
	for k, t := range fields {
		m[k] = t.expr()
	}
	return Type{m}
}

// ListOf returns the type of a list.
func ListOf(element Type) Type { return Type{types.Array(element.expr())} }

// Elem returns the type of a list's elements, Any if it is unknown, and whether
// t may be a list.
func (t Type) Elem() (Type, bool) {
	n := t.expr().Nature()
	if n.Type == nil {
		return Any, true
	}
	if n.Kind != reflect.Slice {
		return Any, false
	}
	if n.Ref != nil {
		return Type{natureType{*n.Ref}}, true
	}
	return Any, true
}

// String returns the type's name.
func (t Type) String() string {
	n := t.expr().Nature()
	if n.Type == nil && !n.Nil {
		return "any"
	}
	return typeName(n)
}

func typeName(n nature.Nature) string {
	switch {
	case n.Nil:
		return "null"
	case n.Kind == reflect.Map:
		return "map"
	case n.Kind == reflect.Slice && n.Type.Elem().Kind() != reflect.Uint8:
		return "list"
	}
	return goTypes.Replace(n.String())
}

// natureType carries what the checker has found out to the next expression.
type natureType struct{ n nature.Nature }

func (t natureType) Nature() nature.Nature       { return t.n }
func (t natureType) Equal(other types.Type) bool { return other == types.Any }
func (t natureType) String() string              { return t.n.String() }

// resultType tells the type of an expression. The checker forgets the fields of
// a map literal, which is how most values are made, so they are collected here.
func resultType(node ast.Node) Type {
	switch n := node.(type) {
	case *ast.MapNode:
		m := types.Map{}
		for _, p := range n.Pairs {
			pair, ok := p.(*ast.PairNode)
			if !ok {
				return Any
			}
			k, ok := pair.Key.(*ast.StringNode)
			if !ok {
				return Any
			}
			m[k.Value] = resultType(pair.Value).expr()
		}
		return Type{m}
	case *ast.VariableDeclaratorNode:
		return resultType(n.Expr)
	case *ast.SequenceNode:
		return resultType(n.Nodes[len(n.Nodes)-1])
	}
	nt := *node.Nature()
	if nt.Type == nil && !nt.Nil {
		return Any
	}
	if nt.Nil {
		return Any
	}
	if nt.IsInteger {
		return Type{types.Int64}
	}
	return Type{natureType{nt}}
}
