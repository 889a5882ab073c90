package datum

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// scanner is a fast reader of JSON documents. It gives exactly what
// codec.JSON[any] gives, or gives up (ok is false), and then the codec decides: so
// it needs no errors of its own, and a document that it does not understand costs
// time only. A fuzz test compares the two.
//
// It exists for projections: a step that looks at two fields of a document checks
// the whole of it but makes only those two.
type scanner struct {
	b   []byte
	doc string // b as a string, of which texts are parts; "" to copy each
	i   int
	ok  bool
}

// maxNesting is far below the limit of encoding/json.
const maxNesting = 500

// scan reads a whole document.
func scan(b []byte) (v any, ok bool) {
	s := scanner{b: b, doc: string(b), ok: true}
	v = s.value(0)
	return v, s.end() && v != nil
}

// project reads the named fields of an object into m, which is cleared. ok is
// false if b is not an object.
func project(b []byte, names []string, m map[string]any) (ok bool) {
	clear(m)
	s := scanner{b: b, ok: true}
	s.space()
	if s.peek() != '{' {
		return false
	}
	s.object(0, func(key []byte) {
		for _, name := range names {
			if string(key) == name {
				m[name] = s.value(1)
				return
			}
		}
		s.skip(1)
	})
	return s.end()
}

func (s *scanner) end() bool {
	s.space()
	return s.ok && s.i == len(s.b)
}

func (s *scanner) fail() { s.ok = false }

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end or after a failure.
func (s *scanner) peek() byte {
	if !s.ok || s.i >= len(s.b) {
		return 0
	}
	return s.b[s.i]
}

func (s *scanner) expect(c byte) bool {
	if s.peek() != c {
		s.fail()
		return false
	}
	s.i++
	return true
}

// object reads an object and calls each with every key, at its value.
func (s *scanner) object(depth int, each func(key []byte)) {
	if depth > maxNesting || !s.expect('{') {
		s.fail()
		return
	}
	s.space()
	if s.peek() == '}' {
		s.i++
		return
	}
	for s.ok {
		s.space()
		key := s.key()
		s.space()
		if !s.expect(':') {
			return
		}
		s.space()
		each(key)
		s.space()
		if s.peek() == ',' {
			s.i++
			continue
		}
		s.expect('}')
		return
	}
}

// array reads an array and calls each at every element.
func (s *scanner) array(depth int, each func()) {
	if depth > maxNesting || !s.expect('[') {
		s.fail()
		return
	}
	s.space()
	if s.peek() == ']' {
		s.i++
		return
	}
	for s.ok {
		s.space()
		each()
		s.space()
		if s.peek() == ',' {
			s.i++
			continue
		}
		s.expect(']')
		return
	}
}

func (s *scanner) value(depth int) any {
	s.space()
	switch c := s.peek(); {
	case c == '{':
		m := map[string]any{}
		s.object(depth, func(key []byte) {
			k := string(key)
			m[k] = s.value(depth + 1)
		})
		return m
	case c == '[':
		l := []any{}
		s.array(depth, func() { l = append(l, s.value(depth+1)) })
		return l
	case c == '"':
		return s.text()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case s.word("true"):
		return true
	case s.word("false"):
		return false
	case s.word("null"):
		return nil
	}
	s.fail()
	return nil
}

// skip checks a value without making it.
func (s *scanner) skip(depth int) {
	s.space()
	switch c := s.peek(); {
	case c == '{':
		s.object(depth, func([]byte) { s.skip(depth + 1) })
	case c == '[':
		s.array(depth, func() { s.skip(depth + 1) })
	case c == '"':
		s.literal()
	case c == '-' || c >= '0' && c <= '9':
		from, whole := s.digits()
		// Only an exponent or very many digits can exceed a float64.
		if lit := s.b[from:s.i]; !whole && (len(lit) > 300 || bytes.ContainsAny(lit, "eE")) {
			if _, err := strconv.ParseFloat(string(lit), 64); err != nil {
				s.fail()
			}
		}
	case s.word("true"), s.word("false"), s.word("null"):
	default:
		s.fail()
	}
}

func (s *scanner) word(w string) bool {
	if s.ok && len(s.b)-s.i >= len(w) && string(s.b[s.i:s.i+len(w)]) == w {
		s.i += len(w)
		return true
	}
	return false
}

// literal reads a string and returns where its content begins and ends, and
// whether it holds escapes.
func (s *scanner) literal() (from, to int, escapes bool) {
	if !s.expect('"') {
		return 0, 0, false
	}
	from = s.i
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return from, s.i - 1, escapes
		case c == '\\':
			escapes = true
			s.escape()
			if !s.ok {
				return 0, 0, false
			}
		case c < ' ':
			s.fail()
			return 0, 0, false
		case c < utf8.RuneSelf:
			s.i++
		default:
			r, size := utf8.DecodeRune(s.b[s.i:])
			if r == utf8.RuneError && size == 1 {
				s.fail() // the codec replaces it
				return 0, 0, false
			}
			s.i += size
		}
	}
	s.fail()
	return 0, 0, false
}

func (s *scanner) escape() {
	s.i++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
	case 'u':
		for range 4 {
			s.i++
			switch c := s.peek(); {
			case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			default:
				s.fail()
				return
			}
		}
		s.i++
	default:
		s.fail()
	}
}

// key returns the bytes of a key, unescaped.
func (s *scanner) key() []byte {
	from, to, escapes := s.literal()
	if escapes {
		return []byte(s.unescape(from, to))
	}
	return s.b[from:to]
}

func (s *scanner) text() string {
	from, to, escapes := s.literal()
	switch {
	case escapes:
		return s.unescape(from, to)
	case s.doc != "":
		return s.doc[from:to]
	}
	return string(s.b[from:to])
}

func (s *scanner) unescape(from, to int) (out string) {
	if !s.ok {
		return ""
	}
	if err := json.Unmarshal(s.b[from-1:to+1], &out); err != nil {
		s.fail()
	}
	return out
}

// digits reads a number and returns where it begins and whether it is whole.
func (s *scanner) digits() (from int, whole bool) {
	from, whole = s.i, true
	if s.peek() == '-' {
		s.i++
	}
	run := func() {
		start := s.i
		for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
			s.i++
		}
		if s.i == start {
			s.fail()
		}
	}
	if s.peek() == '0' {
		s.i++
	} else {
		run()
	}
	if s.peek() == '.' {
		whole = false
		s.i++
		run()
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		whole = false
		s.i++
		if c := s.peek(); c == '+' || c == '-' {
			s.i++
		}
		run()
	}
	return from, whole
}

func (s *scanner) number() any {
	from, whole := s.digits()
	if !s.ok {
		return nil
	}
	text := ""
	if s.doc != "" {
		text = s.doc[from:s.i]
	} else {
		text = string(s.b[from:s.i])
	}
	if whole {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			if i == 0 && text[0] == '-' {
				s.fail() // what becomes of -0 is the codec's choice
			}
			return i
		}
		return json.Number(text)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.fail()
		return nil
	}
	return f
}
