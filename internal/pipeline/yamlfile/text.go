package yamlfile

import "strings"

// Text is a scalar: its value after variables have been replaced, and the place
// of each of its runes.
type Text struct {
	Value string
	// Pos is where the scalar begins.
	Pos Pos
	// Quoted tells "5" from 5.
	Quoted bool

	file    *File
	written string // the value before variables were replaced
	spans   []span
	style   style
}

type style uint8

const (
	plain style = iota
	singleQuoted
	doubleQuoted
	block
)

// Set reports whether the scalar is there at all.
func (t Text) Set() bool { return t.file != nil }

// At returns the place of a rune of the value. It is exact for every style of
// scalar and lies at the variable for runes that came out of one.
func (t Text) At(i int) Pos {
	if t.file == nil {
		return t.Pos
	}
	for k := len(t.spans) - 1; k >= 0; k-- {
		if s := t.spans[k]; i >= s.out {
			if s.copied {
				i = s.in + i - s.out
			} else {
				i = s.in
			}
			break
		}
	}
	return t.file.align(t, i)
}

// align walks the file from the start of the scalar and finds the place of rune i
// of the written value. It follows the value instead of YAML's rules: a rune of
// the value is either the next rune of the file, or white space that YAML has
// folded, or an escape.
func (f *File) align(t Text, i int) Pos {
	pos := t.Pos
	line, col := pos.Line-1, pos.Col-1
	if t.style == block {
		line, col = line+1, 0
	} else if t.style != plain {
		col++
	}
	next := func() (r rune, ok bool) {
		if line >= len(f.runes) {
			return 0, false
		}
		if col >= len(f.runes[line]) {
			return '\n', true
		}
		return f.runes[line][col], true
	}
	step := func(n int) {
		for ; n > 0; n-- {
			if line >= len(f.runes) {
				return
			}
			if col >= len(f.runes[line]) {
				line, col = line+1, 0
			} else {
				col++
			}
		}
	}
	space := func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }
	value := []rune(t.written)
	for n, want := range value {
		r, ok := next()
		// White space of the file that the value does not have: indentation, folds.
		for ok && space(r) && !space(want) {
			step(1)
			r, ok = next()
		}
		// The first rune of a block's line is behind its indentation, even if it is
		// itself a space; that case is off by the indentation and harmless.
		if !ok {
			return pos
		}
		if n == i {
			return Pos{line + 1, col + 1}
		}
		switch {
		case t.style == doubleQuoted && r == '\\':
			step(escape(f.runes[line][col:]))
		case t.style == singleQuoted && r == '\'' && want == '\'':
			step(2)
		case r == want:
			step(1)
		case space(r) && space(want):
			step(1)
			if want != '\n' {
				// A fold: one space for a line break and the indentation behind it.
				for r, ok = next(); ok && space(r) && n+1 < len(value) && !space(value[n+1]); r, ok = next() {
					step(1)
				}
			}
		default:
			return pos // not aligned: better the start than a wrong place
		}
	}
	return Pos{line + 1, col + 1}
}

// Written returns the scalar before variables were replaced.
func (t Text) Written() string { return t.written }

// End returns the place behind the scalar's last rune.
func (t Text) End() Pos {
	if t.file == nil {
		return t.Pos
	}
	return t.file.align(t, len([]rune(t.written)))
}

// Contains reports whether a place lies within the scalar.
func (t Text) Contains(p Pos) bool {
	if t.file == nil {
		return false
	}
	end := t.End()
	after := p.Line > t.Pos.Line || p.Line == t.Pos.Line && p.Col >= t.Pos.Col
	return after && (p.Line < end.Line || p.Line == end.Line && p.Col <= end.Col)
}

// BeforeComment reports whether a comment follows an unquoted scalar on its line.
func (t Text) BeforeComment() bool {
	if t.file == nil || t.style != plain {
		return false
	}
	end := t.At(len([]rune(t.Value)))
	line := []rune(t.file.Line(end.Line))
	return end.Col <= len(line) && strings.HasPrefix(strings.TrimSpace(string(line[end.Col-1:])), "#")
}

// escape returns the length of the escape sequence at the start of s.
func escape(s []rune) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case 'x':
		return min(4, len(s))
	case 'u':
		return min(6, len(s))
	case 'U':
		return min(10, len(s))
	}
	return 2
}

// Problem makes a problem about a part of the scalar, given in runes of its value.
func (t Text) Problem(from, to int, severity Severity, message, hint string) Problem {
	if t.file == nil {
		return Problem{Severity: severity, Message: message, Hint: hint}
	}
	start := t.At(from)
	var width int
	if end := t.At(max(from, to-1)); end.Line == start.Line {
		width = end.Col - start.Col + 1
	} else {
		width = len(strings.TrimRight(t.file.Line(start.Line), " ")) // cut off by the excerpt
	}
	return t.file.Problem(start, width, severity, message, hint)
}

// Error makes an error about the whole scalar.
func (t Text) Error(message, hint string) Problem {
	return t.Problem(0, len([]rune(t.Value)), Error, message, hint)
}
