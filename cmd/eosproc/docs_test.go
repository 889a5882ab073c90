package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reference is where the pages that docs writes are kept.
const reference = "../../docs/cli"

func TestReferenceIsUpToDate(t *testing.T) {
	t.Setenv("HOME", "/home/user") // no default may come from the machine
	dir := t.TempDir()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		dir = reference
	}
	require.NoError(t, writeDocs(dir))
	const mend = "run: go run ./cmd/eosproc docs docs/cli"
	want, got := pages(t, dir), pages(t, reference)
	assert.Len(t, got, len(want), mend)
	for name, page := range want {
		assert.Equal(t, page, got[name], "%s: %s", name, mend)
	}
}

func pages(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	out := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		out[filepath.Base(name)] = string(b)
	}
	return out
}
