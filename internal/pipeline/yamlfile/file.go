package yamlfile

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// MaxSize is the largest file in bytes. It also bounds the parser's recursion.
const MaxSize = 256 << 10

// File is a YAML file that has been read. It is immutable.
type File struct {
	Name  string
	text  string
	lines []string
	runes [][]rune
}

// Read reads a file into dst, a pointer to a struct, and returns what is wrong
// with it. lookup tells environment variables; nil means the process's own. dst
// holds what could be read even if there are problems.
func Read(name string, data []byte, lookup func(string) (string, bool), dst any) (*File, *Decoder) {
	if lookup == nil {
		lookup = os.LookupEnv
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	f := &File{Name: name, text: text}
	d := &Decoder{file: f, lookup: lookup, aliases: map[*ast.AliasNode]ast.Node{}}
	switch {
	case len(data) > MaxSize:
		d.problems = append(d.problems, f.Problem(Pos{}, 0, Error, fmt.Sprintf("the file is larger than %d KiB", MaxSize>>10), ""))
		return f, d
	case !utf8.ValidString(text):
		d.problems = append(d.problems, f.Problem(Pos{}, 0, Error, "the file is not valid UTF-8", ""))
		return f, d
	}
	f.lines = strings.Split(text, "\n")
	for _, l := range f.lines {
		f.runes = append(f.runes, []rune(l))
	}
	root, err := parse(hide(text))
	if err != nil {
		d.problems = append(d.problems, f.syntax(err))
		return f, d
	}
	var docs []ast.Node
	for _, doc := range root.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType && doc.Body.Type() != ast.DirectiveType {
			docs = append(docs, doc.Body)
		}
	}
	switch {
	case len(docs) == 0:
		d.problems = append(d.problems, f.Problem(Pos{}, 0, Error, "the file is empty", ""))
		return f, d
	case len(docs) > 1:
		d.fail(docs[1], "the file holds a second document", "one file is one pipeline")
	}
	if !d.collect(docs[0], map[string]ast.Node{}, 0) {
		return f, d
	}
	d.Decode(Node{docs[0]}, dst)
	d.problems.Sort()
	return f, d
}

// parse calls the YAML parser. It is outside code that has panicked on odd input
// before, and a file must never bring a program down.
func parse(text string) (f *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the YAML parser cannot read this file")
		}
	}()
	if deep(text) {
		return nil, errors.New("the file is nested too deeply")
	}
	// Repeated keys are found by the decoder, all of them and with both places.
	return parser.ParseBytes([]byte(text), 0, parser.AllowDuplicateMapKey())
}

// deep reports whether collections may be nested so deeply that parsing would
// take very long: flow brackets, or "- - - -" on one line.
func deep(text string) bool {
	const limit = 500
	depth := 0
	for _, r := range text {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > limit {
			return true
		}
	}
	return strings.Contains(text, strings.Repeat("- ", limit)) || strings.Contains(text, strings.Repeat("? ", limit))
}

func (f *File) syntax(err error) Problem {
	ye, ok := errors.AsType[yaml.Error](err)
	if !ok || ye.GetToken() == nil || ye.GetToken().Position == nil {
		return f.Problem(Pos{}, 0, Error, reveal(err.Error()), "")
	}
	tk := ye.GetToken()
	p := f.Problem(Pos{tk.Position.Line, max(1, tk.Position.Column)}, 1, Error, reveal(ye.GetMessage()), "")
	for _, h := range syntaxHints {
		if strings.Contains(p.Message, h[0]) {
			p.Hint = h[1]
		}
	}
	return p
}

var syntaxHints = [][2]string{
	{"mapping value is not allowed", `quote a value that holds ": "`},
	{"is a reserved character", "quote the value"},
	{"cannot start any token", "indent with spaces"},
	{"value is not allowed in this context", "quote the whole value, or write it as a block behind |"},
	{"unexpected directive", "quote the value"},
}

// Line returns a line of the file, counted from 1; "" if there is no such line.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	return f.lines[n-1]
}

// Problem makes a problem about a place in the file.
func (f *File) Problem(at Pos, width int, severity Severity, message, hint string) Problem {
	if at.Line > len(f.lines) {
		at = Pos{}
	}
	if at.Line > 0 {
		width = max(1, width)
		at.Col = max(1, min(at.Col, len(f.runes[at.Line-1])+1))
	}
	return Problem{
		File: f.Name, Line: at.Line, Col: at.Col, Width: width, Severity: severity,
		Message: message, Hint: hint, Source: f.Line(at.Line),
	}
}
