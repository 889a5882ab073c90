package yamlfile

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/eosproc/eosproc/internal/pipeline/suggest"
)

const (
	maxDepth = 100
	maxNodes = 100_000 // after aliases have been followed
)

// Decoder fills structs from nodes and collects problems.
type Decoder struct {
	file     *File
	lookup   func(string) (string, bool)
	aliases  map[*ast.AliasNode]ast.Node
	problems Problems
	missing  Problems
	depth    int
	nodes    int
}

// Unmarshaler is implemented by types that take more than one form. It is called
// on a pointer to the zero value.
type Unmarshaler interface {
	UnmarshalNode(d *Decoder, n Node)
}

// FieldHinter is implemented by structs that know more about an unknown field than its spelling.
type FieldHinter interface {
	// FieldHint says what to do instead of field name; "" if there is nothing to say.
	FieldHint(name string) string
}

// Problems returns what has been found so far, in order.
func (d *Decoder) Problems() Problems { return d.problems }

// Missing returns the variables that are not set, each where it stands. They are
// not among the problems: a file can be checked where it is not run.
func (d *Decoder) Missing() Problems { return d.missing }

// Fail reports an error about a node.
func (d *Decoder) Fail(n Node, message, hint string) { d.fail(n.n, message, hint) }

func (d *Decoder) fail(n ast.Node, message, hint string) {
	width := 1
	if _, ok := n.(*ast.StringNode); ok {
		width = len([]rune(n.GetToken().Value))
	}
	d.problems = append(d.problems, d.file.Problem(position(n), width, Error, message, hint))
}

// collect finds what each alias stands for. It reports whether the file may be
// decoded.
func (d *Decoder) collect(n ast.Node, anchors map[string]ast.Node, depth int) bool {
	if depth > maxDepth {
		d.fail(n, "the file is nested too deeply", "")
		return false
	}
	ok := true
	switch x := n.(type) {
	case *ast.MappingNode:
		for _, v := range x.Values {
			ok = ok && d.collect(v, anchors, depth+1)
		}
	case *ast.MappingValueNode:
		ok = d.collect(x.Key, anchors, depth+1) && d.collect(x.Value, anchors, depth+1)
	case *ast.SequenceNode:
		for _, v := range x.Values {
			ok = ok && d.collect(v, anchors, depth+1)
		}
	case *ast.AnchorNode:
		anchors[x.Name.GetToken().Value] = x.Value
		ok = d.collect(x.Value, anchors, depth+1)
	case *ast.TagNode:
		if !standardTag(x) {
			d.fail(x, fmt.Sprintf("%q is a YAML tag", reveal(x.GetToken().Value)), "quote a value that begins with !")
		}
		ok = d.collect(x.Value, anchors, depth+1)
	case *ast.AliasNode:
		name := x.Value.GetToken().Value
		target, known := anchors[name]
		if !known {
			var names []string
			for a := range anchors {
				names = append(names, a)
			}
			d.fail(x, fmt.Sprintf("there is no anchor &%s above", name), suggest.Hint(name, names))
		}
		d.aliases[x] = target
	}
	return ok
}

// Decode fills dst, a non-nil pointer.
func (d *Decoder) Decode(n Node, dst any) { d.into(n.n, reflect.ValueOf(dst).Elem()) }

func (d *Decoder) into(n ast.Node, v reflect.Value) {
	if d.nodes++; d.nodes > maxNodes {
		if d.nodes == maxNodes+1 {
			d.fail(n, "aliases make the file too large", "")
		}
		return
	}
	if d.depth >= maxDepth {
		d.fail(n, "an alias contains itself", "")
		d.nodes = maxNodes + 1
		return
	}
	d.depth++
	defer func() { d.depth-- }()

	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		d.into(n, v.Elem())
		return
	}
	if u, ok := v.Addr().Interface().(Unmarshaler); ok {
		u.UnmarshalNode(d, Node{n})
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *Text:
		if r := d.scalarNode(n, "text"); r != nil {
			*x = d.scalar(r)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v)
	case reflect.Slice:
		d.list(n, v)
	default:
		panic("yamlfile: cannot decode into " + v.Type().String()) // a fault of this program, found by any test
	}
}

// scalarNode returns the scalar behind n, or nil after having reported that it is
// none.
func (d *Decoder) scalarNode(n ast.Node, want string) ast.Node {
	r := d.resolve(n)
	switch r.(type) {
	case nil:
	case *ast.NullNode:
		pos := position(r)
		if line := []rune(d.file.Line(pos.Line)); pos.Col <= len(line) && strings.HasPrefix(strings.TrimSpace(string(line[pos.Col-1:])), "!") {
			d.fail(n, "a value that begins with ! is a YAML tag", "quote it")
			return nil
		}
		d.fail(n, fmt.Sprintf("%s is needed here, found nothing", want), "")
	case *ast.MappingNode, *ast.MappingValueNode:
		d.fail(n, fmt.Sprintf("%s is needed here, found a mapping", want), "quote it if it is meant as text")
	case *ast.SequenceNode:
		d.fail(n, fmt.Sprintf("%s is needed here, found a list", want), "quote it if it is meant as text")
	default:
		return r
	}
	return nil
}

func (d *Decoder) list(n ast.Node, v reflect.Value) {
	seq, ok := d.resolve(n).(*ast.SequenceNode)
	if !ok {
		d.fail(n, fmt.Sprintf("a list is needed here, found %s", d.Kind(Node{n})), `each element begins with "- "`)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values)))
	for i, e := range seq.Values {
		d.into(e, v.Index(i))
	}
}

// Entries calls each for every entry of a mapping, merge keys followed, and
// reports whether n is one.
func (d *Decoder) Entries(n Node, each func(key Text, value Node)) bool {
	seen := map[string]Pos{}
	return d.entries(n.n, seen, false, each)
}

func (d *Decoder) entries(n ast.Node, seen map[string]Pos, merged bool, each func(Text, Node)) bool {
	var values []*ast.MappingValueNode
	switch x := d.resolve(n).(type) {
	case *ast.MappingNode:
		values = x.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{x}
	default:
		return false
	}
	if d.depth >= maxDepth {
		d.fail(n, "an alias contains itself", "")
		return true
	}
	d.depth++
	defer func() { d.depth-- }()
	var merges []ast.Node
	for _, kv := range values {
		if _, ok := kv.Key.(*ast.MergeKeyNode); ok {
			merges = append(merges, kv.Value)
			continue
		}
		k := d.scalarNode(kv.Key, "a name")
		if k == nil {
			continue
		}
		key := d.scalar(k)
		if first, twice := seen[key.Value]; twice {
			if !merged {
				d.problems = append(d.problems, key.Error(fmt.Sprintf("%q is given twice, first in line %d", key.Value, first.Line), ""))
			}
			continue
		}
		seen[key.Value] = key.Pos
		each(key, Node{kv.Value})
	}
	for _, m := range merges {
		if seq, ok := d.resolve(m).(*ast.SequenceNode); ok {
			for _, e := range seq.Values {
				if !d.entries(e, seen, true, each) {
					d.fail(e, "only a mapping can be merged", "")
				}
			}
		} else if !d.entries(m, seen, true, each) {
			d.fail(m, "only a mapping can be merged", "")
		}
	}
	return true
}

// structure fills the fields of a struct by their yaml tags.
func (d *Decoder) structure(n ast.Node, v reflect.Value) {
	fields := map[string]reflect.Value{}
	var names, required []string
	t := v.Type()
	for i := range t.NumField() {
		name, option, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		switch name {
		case "":
			continue
		case "-":
			if t.Field(i).Type == reflect.TypeFor[Pos]() {
				v.Field(i).Set(reflect.ValueOf(position(n)))
			}
			continue
		}
		fields[name] = v.Field(i)
		names = append(names, name)
		if option == "required" {
			required = append(required, name)
		}
	}
	given := map[string]bool{}
	ok := d.Entries(Node{n}, func(key Text, value Node) {
		given[key.Value] = true
		f, known := fields[key.Value]
		if !known && d.depth == 2 && strings.HasPrefix(key.Value, "x-") {
			return // at the top: a place for anchors
		}
		if !known {
			hint := ""
			if h, ok := v.Addr().Interface().(FieldHinter); ok {
				hint = h.FieldHint(key.Value)
			}
			if hint == "" {
				hint = suggest.Hint(key.Value, names)
			}
			if hint == "" {
				hint = "known are " + strings.Join(names, ", ")
			}
			d.problems = append(d.problems, key.Error(fmt.Sprintf("unknown field %q", key.Value), hint))
			return
		}
		d.into(value.n, f)
	})
	if !ok {
		d.fail(n, fmt.Sprintf("a mapping is needed here, found %s", d.Kind(Node{n})), "its fields are "+strings.Join(names, ", "))
		return
	}
	for _, name := range required {
		if !given[name] {
			d.fail(n, fmt.Sprintf("%q is missing", name), "")
		}
	}
}
