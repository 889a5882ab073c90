package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the module's directory, as seen from this package.
const root = "../.."

// document is one page.
type document struct {
	name     string // relative to root
	text     string
	blocks   []block
	preamble string // Go declarations for fragments
}

// block is one fenced code block.
type block struct {
	line  int // of its first line of code, counted from 1
	lang  string
	text  string
	notes []note
}

// note is one annotation of a block.
type note struct{ verb, rest string }

func (b *block) note(verb string) (rest string, ok bool) {
	for _, n := range b.notes {
		if n.verb == verb {
			return n.rest, true
		}
	}
	return "", false
}

// verbs are the annotations, longest first where one begins with another.
var verbs = []string{"background until", "exit", "needs kafka", "file", "skip because"}

// documents reads all pages.
func documents(t *testing.T) []document {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	for _, p := range pages {
		names = append(names, filepath.ToSlash(filepath.Join("docs", filepath.Base(p))))
	}
	var docs []document
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		d, err := parse(name, string(text))
		require.NoError(t, err)
		docs = append(docs, d)
	}
	return docs
}

var preamble = regexp.MustCompile(`(?s)<!-- doctest: preamble\n(.*?)-->`)

// parse finds the blocks of a page. A fence stands in the first column: an indented one
// would not be executed, and so is an error.
func parse(name, text string) (document, error) {
	d := document{name: name, text: text}
	if m := preamble.FindStringSubmatch(text); m != nil {
		d.preamble = m[1]
	}
	var notes []note
	var open *block
	for i, line := range strings.Split(text, "\n") {
		switch {
		case open != nil && line == "```":
			d.blocks = append(d.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		case strings.HasPrefix(line, "```"):
			open = &block{line: i + 2, lang: strings.TrimPrefix(line, "```"), notes: notes}
			notes = nil
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			return d, fmt.Errorf("%s:%d: a block begins in the first column", name, i+1)
		case strings.HasPrefix(line, "<!-- doctest: preamble"):
		case strings.HasPrefix(line, "<!-- doctest:"):
			n, err := parseNote(line)
			if err != nil {
				return d, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
			notes = append(notes, n)
		case strings.TrimSpace(line) != "" && notes != nil:
			return d, fmt.Errorf("%s:%d: an annotation stands directly before its block", name, i+1)
		}
	}
	if open != nil || notes != nil {
		return d, fmt.Errorf("%s: a block is not closed, or an annotation has none", name)
	}
	return d, nil
}

func parseNote(line string) (note, error) {
	text, ok := strings.CutSuffix(strings.TrimPrefix(line, "<!-- doctest:"), "-->")
	text = strings.TrimSpace(text)
	for _, v := range verbs {
		if rest, found := strings.CutPrefix(text, v); found && ok {
			return note{v, strings.Trim(strings.TrimSpace(rest), `"`)}, nil
		}
	}
	return note{}, fmt.Errorf("annotation %q: want one of %s", text, strings.Join(verbs, ", "))
}

// at names a block in a failure.
func (d *document) at(b *block) string { return fmt.Sprintf("%s:%d", d.name, b.line) }
