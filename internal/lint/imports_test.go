package lint

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/eosproc/eosproc"

// table is imports.txt.
type table struct {
	rules     map[string]rule   // by package or pattern
	libraries map[string]string // path → name
}

type rule struct{ packages, libraries []string }

func parseTable(text string) (table, error) {
	t := table{map[string]rule{}, map[string]string{}}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if name, path, ok := strings.Cut(line, " = "); ok {
			t.libraries[strings.TrimSpace(path)] = strings.TrimSpace(name)
			continue
		}
		columns := strings.Split(line, "|")
		if len(columns) != 3 {
			return t, fmt.Errorf("line %d has %d columns, not 3", i+1, len(columns))
		}
		pkg := strings.TrimSpace(columns[0])
		if _, ok := t.rules[pkg]; ok {
			return t, fmt.Errorf("line %d: %s has two lines", i+1, pkg)
		}
		t.rules[pkg] = rule{strings.Fields(columns[1]), strings.Fields(columns[2])}
	}
	return t, nil
}

// covers reports whether a pattern of the table stands for a package.
func covers(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	if under, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == under || strings.HasPrefix(pkg, under+"/")
	}
	return pattern == pkg
}

// rule returns the line of a package: its own, else the longest that covers it.
func (t table) rule(pkg string) (rule, bool) {
	if r, ok := t.rules[pkg]; ok {
		return r, true
	}
	best := ""
	for pattern := range t.rules {
		if covers(pattern, pkg) && len(pattern) > len(best) {
			best = pattern
		}
	}
	r, ok := t.rules[best]
	return r, ok
}

func (t table) library(path string) string {
	best := ""
	for p := range t.libraries {
		if covers(p+"/...", path) && len(p) > len(best) {
			best = p
		}
	}
	return t.libraries[best]
}

// check returns what is wrong with an import; "" if nothing is.
func (t table) check(pkg, path string) string {
	r, ok := t.rule(pkg)
	switch own, isOwn := strings.CutPrefix(path, module); {
	case !strings.Contains(strings.SplitN(path, "/", 2)[0], "."):
		return "" // the standard library
	case !ok:
		return fmt.Sprintf("package %s has no line in imports.txt", pkg)
	case isOwn:
		own = strings.TrimPrefix(own, "/")
		if own == "" {
			own = "eosproc"
		}
		if !slices.ContainsFunc(r.packages, func(p string) bool { return covers(p, own) }) {
			return fmt.Sprintf("package %s may not import %s", pkg, own)
		}
	default:
		name := t.library(path)
		if name == "" {
			return fmt.Sprintf("library %s has no name in imports.txt", path)
		}
		if !slices.Contains(r.libraries, name) {
			return fmt.Sprintf("package %s may not import %s (%s)", pkg, name, path)
		}
	}
	return ""
}

func TestImportsFollowTheTable(t *testing.T) {
	text, err := os.ReadFile("imports.txt")
	require.NoError(t, err)
	rules, err := parseTable(string(text))
	require.NoError(t, err)
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		if _, ok := rules.rule(f.pkg); !ok {
			t.Errorf("%s: package %s has no line in imports.txt", f.name, f.pkg)
		}
		for _, i := range f.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			require.NoError(t, err)
			if wrong := rules.check(f.pkg, path); wrong != "" {
				t.Errorf("%s: %s", f.name, wrong)
			}
		}
	}
	named := slices.Collect(maps.Values(rules.libraries))
	for pkg, r := range rules.rules {
		for _, name := range r.libraries {
			assert.Contains(t, named, name, "in the line of %s", pkg)
		}
	}
}

func TestTheTableRefuses(t *testing.T) {
	rules, err := parseTable("a | b/... | l # why\nc/... | ... |\nc/d | |\nl = x.org/l\nm = x.org/l/m\n")
	require.NoError(t, err)
	tests := []struct{ pkg, path, want string }{
		{"a", "fmt", ""},
		{"a", module + "/b", ""},
		{"a", module + "/b/c", ""},
		{"a", module + "/bc", "package a may not import bc"},
		{"a", module, "package a may not import eosproc"},
		{"a", "x.org/l/k", ""},
		{"a", "x.org/l/m", "package a may not import m (x.org/l/m)"},
		{"a", "x.org/y", "library x.org/y has no name in imports.txt"},
		{"a/b", module + "/b", "package a/b has no line in imports.txt"},
		{"c/e/f", module + "/anything", ""},
		{"c/d", module + "/b", "package c/d may not import b"},
	}
	for _, tc := range tests {
		assert.Equal(t, tc.want, rules.check(tc.pkg, tc.path), "%s imports %s", tc.pkg, tc.path)
	}
	for _, wrong := range []string{"a | b", "a | |\na | |"} {
		_, err := parseTable(wrong)
		assert.Error(t, err, wrong)
	}
}
