package demo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/fencing"
)

func write(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
}

func TestDirectoryIsMadeAndUsedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "demo")
	d, err := openDirectory(path)
	require.NoError(t, err)
	require.NoError(t, d.write(reportFile, []byte("{}")))
	write(t, d.file("worker-2/payments-demo/x"))
	write(t, d.file("worker-3.log"))
	write(t, d.file("notes.txt")) // not the demo's
	_, err = openDirectory(path)
	require.ErrorIs(t, err, fencing.ErrLocked, "a demo is using it")
	assert.FileExists(t, d.file(reportFile))
	require.NoError(t, d.close())

	d, err = openDirectory(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, d.close()) }()
	assert.NoFileExists(t, d.file(reportFile))
	assert.NoDirExists(t, d.file("worker-2"))
	assert.NoFileExists(t, d.file("worker-3.log"))
	assert.FileExists(t, d.file("notes.txt"))
	text, err := os.ReadFile(d.file(pipelineFile))
	require.NoError(t, err)
	assert.Equal(t, pipelineYAML, text)
}

func TestDirectoriesThatAreNotTheDemos(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, path string)
	}{
		{"with content", func(t *testing.T, path string) { write(t, filepath.Join(path, "worker-1", "x")) }},
		{"a file", write},
		{"a link to a directory", func(t *testing.T, path string) {
			target := t.TempDir()
			write(t, filepath.Join(target, markerFile))
			require.NoError(t, os.Symlink(target, path))
		}},
		{"a marker that is a directory", func(t *testing.T, path string) { write(t, filepath.Join(path, markerFile, "x")) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "demo")
			tt.make(t, path)
			before := tree(t, filepath.Dir(path))
			_, err := openDirectory(path)
			require.ErrorIs(t, err, ErrForeignDirectory)
			assert.Contains(t, err.Error(), "--dir", "it names the remedy")
			assert.Equal(t, before, tree(t, filepath.Dir(path)), "nothing has changed")
		})
	}
}

// A link inside the directory must not lead the cleaning outside of it.
func TestLinksInTheDirectoryAreNotFollowed(t *testing.T) {
	path, outside := filepath.Join(t.TempDir(), "demo"), t.TempDir()
	write(t, filepath.Join(outside, "precious"))
	d, err := openDirectory(path)
	require.NoError(t, err)
	require.NoError(t, d.close())
	require.NoError(t, os.Symlink(outside, filepath.Join(path, "worker-1")))
	d, err = openDirectory(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, d.close()) }()
	assert.FileExists(t, filepath.Join(outside, "precious"))
	assert.NoFileExists(t, d.file("worker-1"))
}

func tree(t *testing.T, root string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	}))
	return names
}
