package yamlfile

import (
	"fmt"
	"math"
	"reflect"

	"github.com/goccy/go-yaml/ast"
)

// Int is a whole number.
type Int struct {
	Value int64
	Text  Text
}

// UnmarshalNode reads the number.
func (i *Int) UnmarshalNode(d *Decoder, n Node) {
	r := d.scalarNode(n.n, "a whole number")
	if r == nil {
		return
	}
	t := d.scalar(r)
	v, ok := Plain(t.Value).(int64)
	if !ok || t.Quoted {
		d.problems = append(d.problems, t.Error(fmt.Sprintf("%q is not a whole number", t.Value), ""))
		return
	}
	i.Value, i.Text = v, t
}

// Value is any value: nil, bool, int64, float64, json.Number (a whole number
// beyond 64 bits), string, []any or map[string]any.
type Value struct {
	Any any
	// Set reports that the value is there, be it null.
	Set bool
	Pos Pos
}

// UnmarshalNode reads the value.
func (v *Value) UnmarshalNode(d *Decoder, n Node) {
	v.Any, v.Set, v.Pos = d.any(n.n), true, position(n.n)
}

func (d *Decoder) any(n ast.Node) any {
	if d.nodes++; d.nodes > maxNodes || d.depth >= maxDepth {
		if d.nodes == maxNodes+1 || d.depth >= maxDepth {
			d.fail(n, "aliases make the file too large", "")
			d.nodes = maxNodes + 1
		}
		return nil
	}
	d.depth++
	defer func() { d.depth-- }()
	switch r := d.resolve(n).(type) {
	case nil, *ast.NullNode:
		return nil
	case *ast.MappingNode, *ast.MappingValueNode:
		m := map[string]any{}
		d.Entries(Node{n}, func(key Text, value Node) { m[key.Value] = d.any(value.n) })
		return m
	case *ast.SequenceNode:
		l := make([]any, len(r.Values))
		for i, e := range r.Values {
			l[i] = d.any(e)
		}
		return l
	default:
		t := d.scalar(r)
		if t.Quoted || tagged(n, "!!str") {
			return t.Value
		}
		v := Plain(t.Value)
		if f, ok := v.(float64); ok && math.IsInf(f, 0) {
			d.problems = append(d.problems, t.Error("the number is too large", ""))
		}
		return v
	}
}

func tagged(n ast.Node, tag string) bool {
	for {
		switch x := n.(type) {
		case *ast.TagNode:
			return x.GetToken().Value == tag
		case *ast.AnchorNode:
			n = x.Value
		default:
			return false
		}
	}
}

// Entry is one field of a mapping whose names are free.
type Entry[T any] struct {
	Key   Text
	Value T
}

// Mapping is a mapping with free names, in the order of the file.
type Mapping[T any] []Entry[T]

// UnmarshalNode reads the mapping.
func (m *Mapping[T]) UnmarshalNode(d *Decoder, n Node) {
	if d.Kind(n) == Null {
		return
	}
	ok := d.Entries(n, func(key Text, value Node) {
		e := Entry[T]{Key: key}
		d.Decode(value, &e.Value)
		*m = append(*m, e)
	})
	if !ok {
		d.Fail(n, fmt.Sprintf("a mapping is needed here, found %s", d.Kind(n)), "")
	}
}

// Scalar reads a scalar into t and reports whether it is one. Nothing is
// reported if it is not.
func (d *Decoder) Scalar(n Node, t *Text) bool {
	if d.Kind(n) != Scalar {
		return false
	}
	*t = d.scalar(d.resolve(n.n))
	return true
}

// Struct fills the fields of dst, a pointer to a struct, without asking it
// whether it is an [Unmarshaler].
func (d *Decoder) Struct(n Node, dst any) {
	d.structure(n.n, valueOf(dst))
}

func valueOf(dst any) reflect.Value { return reflect.ValueOf(dst).Elem() }
