package doctest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGoFiles builds the complete Go files of every page in a reader's own module,
// and runs their tests and examples.
func TestGoFiles(t *testing.T) {
	dir := readersModule(t)
	found := false
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.lang != "go" || !strings.HasPrefix(b.text, "package ") {
				continue
			}
			found = true
			name := "page.go"
			if regexp.MustCompile(`(?m)^func (Test|Example)`).MatchString(b.text) {
				name = "page_test.go"
			}
			pkg := filepath.Join(dir, strings.Trim(regexp.MustCompile(`\W+`).ReplaceAllString(strings.ToLower(d.at(&b)), "_"), "_"))
			require.NoError(t, os.Mkdir(pkg, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(pkg, name), []byte(b.text), 0o600))
		}
	}
	require.True(t, found)
	// A package without tests is not compiled by go test; vet does that.
	cmd := exec.Command("bash", "-euc", "go vet ./... && go test ./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// readersModule makes a module that requires this tree.
func readersModule(t *testing.T) string {
	t.Helper()
	tree, err := filepath.Abs(root)
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		if name == "go.mod" {
			// Its own requirements stay, so that nothing has to be looked up.
			text = bytes.Replace(text, []byte("module github.com/eosproc/eosproc\n"), []byte("module reader\n"), 1)
			text = fmt.Appendf(text, "\nrequire github.com/eosproc/eosproc v0.0.0\n\nreplace github.com/eosproc/eosproc => %s\n", tree)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return dir
}

// TestGoFragments checks the types of the other Go blocks, each as the body of a
// function behind its document's preamble, or as declarations if it begins with one.
func TestGoFragments(t *testing.T) {
	imports := exports(t)
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if b.lang != "go" || strings.HasPrefix(b.text, "package ") {
				continue
			}
			text := b.text
			if !regexp.MustCompile(`^(func|type|var|const) `).MatchString(text) {
				text = fmt.Sprintf("func _() {\n//line %s:%d\n%s\n}\n", d.name, b.line, text)
			} else {
				text = fmt.Sprintf("//line %s:%d\n%s", d.name, b.line, text)
			}
			for _, err := range check(t, imports, "package page\n"+d.preamble+"\n"+text) {
				t.Errorf("%s: %v", d.at(&b), err)
			}
		}
	}
}

// unused are the faults that a fragment has because it is one.
var unused = regexp.MustCompile(`declared and not used|imported and not used`)

func check(t *testing.T, imports types.Importer, text string) (faults []error) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "page.go", text, parser.SkipObjectResolution)
	if err != nil {
		return []error{err}
	}
	c := types.Config{Importer: imports, Error: func(err error) {
		if !unused.MatchString(err.Error()) {
			faults = append(faults, err)
		}
	}}
	_, err = c.Check("page", files, []*ast.File{file}, nil)
	if err != nil && !unused.MatchString(err.Error()) && len(faults) == 0 {
		faults = append(faults, err)
	}
	return faults
}

// exports reads what the compiler has noted of the packages that pages may use.
func exports(t *testing.T) types.Importer {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".", "./eostest", "./codec/registry")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	at := map[string]string{}
	for line := range bytes.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		at[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if at[path] == "" {
			return nil, fmt.Errorf("package %s is not among those that pages may use", path)
		}
		return os.Open(at[path])
	})
}

func TestFragmentsWithFaultsAreFound(t *testing.T) {
	imports := exports(t)
	const head = "package page\nimport \"github.com/eosproc/eosproc/topology\"\nvar b *topology.Builder\n"
	assert.Empty(t, check(t, imports, head+"func _() { unused := b }"))
	assert.NotEmpty(t, check(t, imports, head+"func _() { b.Built() }"))
	assert.NotEmpty(t, check(t, imports, head+"func _() {"))
}
