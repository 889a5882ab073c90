package yamlfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a file; the zero Pos means the file as a whole.
type Pos struct {
	Line, Col int
}

// Severity of a problem.
type Severity uint8

// The severities.
const (
	// Error means that the file cannot be used.
	Error Severity = iota
	// Warning means that it can, but hardly as its author expects.
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// MarshalText returns the same as String.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Problem is something wrong with a file. It is an error.
type Problem struct {
	File string `json:"file"`
	// Line and Col count from 1, in runes; both 0 mean the file as a whole.
	Line int `json:"line,omitempty"`
	Col  int `json:"column,omitempty"`
	// Width is how many runes are meant, at least 1 if there is a place.
	Width    int      `json:"width,omitempty"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Hint is how to mend it; may be empty.
	Hint string `json:"hint,omitempty"`
	// Source is the line as it stands in the file.
	Source string `json:"source,omitempty"`
}

// Error returns the place, the message and the hint in one line.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Col)
	}
	b.WriteString(": ")
	if p.Severity == Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// Excerpt returns the line with a caret below the place, or "".
func (p Problem) Excerpt() string {
	if p.Line == 0 || p.Source == "" {
		return ""
	}
	line := []rune(p.Source)
	start := min(p.Col-1, len(line))
	width := max(1, min(p.Width, len(line)-start))
	indent := make([]rune, start)
	for i, r := range line[:start] {
		indent[i] = ' '
		if r == '\t' {
			indent[i] = '\t'
		}
	}
	number := fmt.Sprintf("%4d", p.Line)
	return fmt.Sprintf("%s | %s\n%s | %s%s\n", number, p.Source, strings.Repeat(" ", len(number)), string(indent), strings.Repeat("^", width))
}

// Problems are the problems of a file, in the order of their places.
type Problems []Problem

// Sort puts the problems in order and removes repeated ones.
func (ps *Problems) Sort() {
	slices.SortStableFunc(*ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Message, b.Message))
	})
	*ps = slices.Compact(*ps)
}

// Err returns the errors among the problems as one error, nil if there are none.
func (ps Problems) Err() error {
	var errs Problems
	for _, p := range ps {
		if p.Severity == Error {
			errs = append(errs, p)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// Error returns one line per problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Format writes the problems as "text" (with excerpts), "json" (an array) or
// "github" (annotations of a workflow run). Another format is an error.
func (ps Problems) Format(format string) (string, error) {
	switch format {
	case "text":
		var b strings.Builder
		for _, p := range ps {
			b.WriteString(p.Error() + "\n" + p.Excerpt())
		}
		return b.String(), nil
	case "json":
		if ps == nil {
			ps = Problems{}
		}
		out, err := json.MarshalIndent(ps, "", "  ")
		if err != nil {
			return "", fmt.Errorf("write problems as JSON: %w", err)
		}
		return string(out) + "\n", nil
	case "github":
		var b strings.Builder
		for _, p := range ps {
			message := p.Message
			if p.Hint != "" {
				message += "; " + p.Hint
			}
			fmt.Fprintf(&b, "::%s file=%s", p.Severity, escapeProperty(p.File))
			if p.Line > 0 {
				fmt.Fprintf(&b, ",line=%d,col=%d", p.Line, p.Col)
			}
			fmt.Fprintf(&b, "::%s\n", escapeData(message))
		}
		return b.String(), nil
	}
	return "", fmt.Errorf("unknown format %q: use text, json or github", format)
}

var data = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

func escapeData(s string) string { return data.Replace(s) }

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data.Replace(s))
}
