//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fencing

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A lock file that an operator removed while it was held leaves the holder with
// a lock that excludes nobody. A lock on it taken later must not count either.
func TestReplacedLockFileDoesNotCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockFile)
	f, err := lock(path)
	require.NoError(t, err)
	same, err := stillAt(path, f)
	require.NoError(t, err)
	require.True(t, same)

	require.NoError(t, os.Remove(path))
	same, err = stillAt(path, f)
	require.NoError(t, err)
	require.False(t, same)

	require.NoError(t, os.WriteFile(path, nil, 0o600))
	same, err = stillAt(path, f)
	require.NoError(t, err)
	require.False(t, same)
	require.NoError(t, f.Close())
}
