package fencing

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func openNotes(t *testing.T, root string) *Dir {
	t.Helper()
	d, err := OpenDir(root, Identity{ApplicationID: "app"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	return d
}

func TestNotesOutliveTheProcess(t *testing.T) {
	root := t.TempDir()
	d := openNotes(t, root)
	assert.Empty(t, d.Note("member-1"), "nothing is noted yet")
	require.NoError(t, d.SetNote("member-1", "first"))
	require.NoError(t, d.SetNote("member-1", "client-7d<\"é>"))
	require.NoError(t, d.SetNote("member-2", strings.Repeat("<", maxNote)))
	require.NoError(t, d.Close())
	assert.ErrorIs(t, d.SetNote("member-1", "late"), fs.ErrClosed)
	assert.Empty(t, d.Note("member-1"), "a closed directory may be another process's by now")

	d = openNotes(t, root)
	assert.Equal(t, "client-7d<\"é>", d.Note("member-1"))
	assert.Equal(t, strings.Repeat("<", maxNote), d.Note("member-2"), "the longest value fits, whatever its escapes")
	info, err := os.Stat(d.noteFile("member-1"))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
}

func TestDamagedNoteIsNoNote(t *testing.T) {
	d := openNotes(t, t.TempDir())
	require.NoError(t, d.SetNote("n", "value"))
	whole, err := os.ReadFile(d.noteFile("n"))
	require.NoError(t, err)
	for name, content := range map[string]string{
		"empty":     "",
		"torn":      string(whole[:len(whole)/2]),
		"tampered":  strings.Replace(string(whole), `"value":"value"`, `"value":"other"`, 1),
		"too large": string(whole) + strings.Repeat(" ", maxSealed),
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(d.noteFile("n"), []byte(content), 0o600))
			assert.Empty(t, d.Note("n"))
			require.NoError(t, d.SetNote("n", "again"))
			assert.Equal(t, "again", d.Note("n"), "a damaged note is replaced")
		})
	}
}

func TestNoteDoesNotTravelWithACopy(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	d := openNotes(t, root)
	require.NoError(t, d.SetNote("member-1", "living"))
	require.NoError(t, os.CopyFS(filepath.Join(other, "app"), os.DirFS(d.Path())))
	copied := openNotes(t, other)
	assert.Empty(t, copied.Note("member-1"))
	require.NoError(t, copied.SetNote("member-1", "mine"))
	assert.Equal(t, "mine", copied.Note("member-1"))
	assert.Equal(t, "living", d.Note("member-1"))
}

func TestNoteRefusesNamesAndValues(t *testing.T) {
	d := openNotes(t, t.TempDir())
	for _, name := range []string{"", "..", "../identity", "a/b", strings.Repeat("n", maxNoteName+1)} {
		assert.ErrorIs(t, d.SetNote(name, "v"), ErrInvalidID, "%q", name)
		assert.Empty(t, d.Note(name))
	}
	assert.ErrorIs(t, d.SetNote("n", strings.Repeat("v", maxNote+1)), ErrInvalidID)
	assert.ErrorIs(t, d.SetNote("n", "\xff"), ErrInvalidID)
	assert.Empty(t, d.Note("n"))
}

func TestNotesFromManyGoroutines(t *testing.T) {
	d := openNotes(t, t.TempDir())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := fmt.Sprintf("member-%d", i%2)
			assert.NoError(t, d.SetNote(name, name))
			assert.Equal(t, name, d.Note(name))
		})
	}
	wg.Wait()
}
