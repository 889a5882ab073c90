package yamlfile

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Kind is what a node is.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Scalar
	Map
	List
)

var kindNames = [...]string{"nothing", "a scalar", "a mapping", "a list"}

// String names the kind with its article.
func (k Kind) String() string { return kindNames[k] }

// Node is a value of the file that has not been decoded.
type Node struct{ n ast.Node }

// resolve follows anchors, aliases and tags.
func (d *Decoder) resolve(n ast.Node) ast.Node {
	for range maxDepth {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.AliasNode:
			n = d.aliases[x]
		case *ast.TagNode:
			if !standardTag(x) {
				return nil // reported by collect
			}
			n = x.Value
		default:
			return n
		}
		if n == nil {
			return nil
		}
	}
	return nil
}

func standardTag(n *ast.TagNode) bool { return strings.HasPrefix(n.GetToken().Value, "!!") }

// Kind returns what the node is, aliases followed.
func (d *Decoder) Kind(n Node) Kind {
	switch d.resolve(n.n).(type) {
	case nil, *ast.NullNode:
		return Null
	case *ast.MappingNode, *ast.MappingValueNode:
		return Map
	case *ast.SequenceNode:
		return List
	}
	return Scalar
}

// Pos returns where the node begins.
func (d *Decoder) Pos(n Node) Pos { return position(n.n) }

func position(n ast.Node) Pos {
	for {
		switch x := n.(type) {
		case nil:
			return Pos{}
		case *ast.MappingNode:
			// The token of a block mapping is the colon behind its first key.
			if len(x.Values) == 0 || x.IsFlowStyle {
				return at(x.GetToken())
			}
			n = x.Values[0].Key
		case *ast.MappingValueNode:
			n = x.Key
		default:
			return at(x.GetToken())
		}
	}
}

func at(tk *token.Token) Pos {
	if tk == nil || tk.Position == nil {
		return Pos{}
	}
	return Pos{tk.Position.Line, max(1, tk.Position.Column)}
}

// scalar returns the text of a scalar node.
func (d *Decoder) scalar(n ast.Node) Text {
	t := Text{file: d.file, Pos: position(n)}
	switch x := n.(type) {
	case *ast.LiteralNode:
		t.style, t.Quoted, t.written = block, true, x.Value.Value
	case *ast.StringNode:
		t.written = x.Value
		switch x.Token.Type {
		case token.SingleQuoteType:
			t.style, t.Quoted = singleQuoted, true
		case token.DoubleQuoteType:
			t.style, t.Quoted = doubleQuoted, true
		}
	default:
		t.written = strings.TrimSpace(n.GetToken().Value)
	}
	var missing []unset
	t.written = reveal(t.written)
	t.Value, t.spans, missing = interpolate(t.written, d.lookup)
	for _, v := range missing {
		d.missing = append(d.missing, d.file.Problem(d.file.align(t, v.at), len(v.name)+3, Error,
			"environment variable "+v.name+" is not set", "set it, or give it a default: ${"+v.name+":default}"))
	}
	return t
}

var (
	wholeNumber = regexp.MustCompile(`^[-+]?[0-9]+$`)
	hexNumber   = regexp.MustCompile(`^0x[0-9a-fA-F]+$`)
	octNumber   = regexp.MustCompile(`^0o[0-7]+$`)
	realNumber  = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// Plain gives an unquoted scalar the type of YAML 1.2's core schema: nil, bool,
// int64, float64 or string. A whole number beyond 64 bits is a json.Number, as in
// package codec.
func Plain(text string) any {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	switch {
	case wholeNumber.MatchString(text):
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i
		}
		digits := strings.TrimLeft(strings.TrimLeft(text, "+-"), "0")
		if text[0] == '-' {
			digits = "-" + digits
		}
		return json.Number(digits)
	case hexNumber.MatchString(text):
		if i, err := strconv.ParseInt(text[2:], 16, 64); err == nil {
			return i
		}
	case octNumber.MatchString(text):
		if i, err := strconv.ParseInt(text[2:], 8, 64); err == nil {
			return i
		}
	case realNumber.MatchString(text):
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
	}
	return text
}
