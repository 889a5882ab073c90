package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the module's directory.
const root = "../.."

// files returns the paths of all files of the tree, with slashes, below root:
// those that git tracks or would, or all but hidden ones where there is no git.
func files(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	var names []string
	if err == nil {
		for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
			if _, err := os.Stat(filepath.Join(root, name)); err == nil { // not one that was deleted
				names = append(names, name)
			}
		}
		return names
	}
	require.NoError(t, filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			name, err := filepath.Rel(root, p)
			names = append(names, filepath.ToSlash(name))
			return err
		}
		return nil
	}))
	return names
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(b)
}

// goFile is a Go source file; its package is the path of its directory.
type goFile struct {
	name string
	pkg  string
	test bool
	*ast.File
}

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var out []goFile
	for _, name := range files(t) {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "testdata/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		pkg := path.Dir(name)
		if pkg == "." {
			pkg = "eosproc"
		}
		out = append(out, goFile{name, pkg, strings.HasSuffix(name, "_test.go"), f})
	}
	require.NotEmpty(t, out)
	return out
}
