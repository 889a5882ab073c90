package lint

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const maxLines = 500

func TestFilesAreShort(t *testing.T) {
	for _, f := range goFiles(t) {
		if n := strings.Count(content(t, f.name), "\n"); n > maxLines && !ast.IsGenerated(f.File) {
			t.Errorf("%s has %d lines, more than %d: one noun a file", f.name, n, maxLines)
		}
	}
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		if !f.test {
			documented[f.pkg] = documented[f.pkg] || f.Doc != nil
		}
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc comment: say what it owns and what it must not know", pkg)
		}
	}
}

func TestPackagesHaveTellingNames(t *testing.T) {
	for _, f := range goFiles(t) {
		if base := path.Base(f.pkg); slices.Contains([]string{"util", "utils", "common", "types", "helpers", "misc", "base"}, base) {
			t.Errorf("%s: %q says nothing about what a package is for", f.name, base)
		}
	}
}

// A test that sleeps is slow, or fails on a slow machine, or both.
func TestTestsDoNotSleep(t *testing.T) {
	for _, f := range goFiles(t) {
		if !f.test {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && s.Sel.Name == "Sleep" {
				t.Errorf("%s calls time.Sleep: wait for the event instead (require.Eventually, synctest, a channel)", f.name)
			}
			return true
		})
	}
}

// What may not stand in the tree. The patterns are written so that they do not
// match themselves.
var forbidden = []struct {
	pattern *regexp.Regexp
	why     string
}{
	{regexp.MustCompile(`/(work|root)[/]|/[f]arm\b`), "a path of the machine it was written on"},
	{regexp.MustCompile(`\b(TOD[O]|FIXM[E])\b`), "do it, or file an issue"},
}

// unread are files whose content is not ours to write.
var unread = []string{"go.sum", "LICENSE"}

func TestNothingForbiddenStandsInTheTree(t *testing.T) {
	for _, name := range files(t) {
		text := content(t, name)
		if slices.Contains(unread, path.Base(name)) || !utf8.ValidString(text) {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			for _, f := range forbidden {
				if found := f.pattern.FindString(line); found != "" {
					t.Errorf("%s:%d: %q: %s", name, i+1, found, f.why)
				}
			}
		}
	}
}
