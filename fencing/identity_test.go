package fencing

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// snapshot reads every file below root.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files[path] = string(b)
		return err
	}))
	return files
}

// D9 of the failure list.
func TestForeignDirectoryIsRefusedAndKept(t *testing.T) {
	tests := []struct {
		name     string
		change   func(*Identity)
		messages []string
	}{
		{"cluster", func(id *Identity) { id.ClusterID = "c2" }, []string{`cluster "c1"`, `"c2"`, "bootstrap.servers"}},
		{"layout", func(id *Identity) { id.Layout = "l2" }, []string{`layout "l1"`, `"l2"`, "rebuilt from the changelogs"}},
		{"both", func(id *Identity) { id.ClusterID, id.Layout = "c2", "l2" }, []string{`cluster "c1"`, `layout "l1"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			d := open(t, root, testIdentity())
			require.NoError(t, os.WriteFile(d.file("000001.sst"), []byte("data"), 0o600))
			require.NoError(t, d.Close())
			before := snapshot(t, root)

			other := testIdentity()
			tt.change(&other)
			_, err := OpenDir(root, other)
			require.ErrorIs(t, err, ErrForeignDirectory)
			for _, m := range tt.messages {
				assert.ErrorContains(t, err, m)
			}
			assert.ErrorContains(t, err, filepath.Join(root, "app"))
			assert.Equal(t, before, snapshot(t, root))

			open(t, root, testIdentity())
		})
	}
}

// A directory renamed to another application's, or a file system that ignores
// the case of names.
func TestDirectoryOfAnotherApplicationIsRefused(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, open(t, root, testIdentity()).Close())
	require.NoError(t, os.Rename(filepath.Join(root, "app"), filepath.Join(root, "other")))
	id := testIdentity()
	id.ApplicationID = "other"
	_, err := OpenDir(root, id)
	require.ErrorIs(t, err, ErrForeignDirectory)
	assert.ErrorContains(t, err, `application "app"`)
	assert.ErrorContains(t, err, `"other"`)
}

func TestStrangersDirectoryIsRefusedUntouched(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "app")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("x"), 0o600))
	_, err := OpenDir(root, testIdentity())
	require.ErrorIs(t, err, ErrForeignDirectory)
	assert.ErrorContains(t, err, "thesis.tex")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "not even a lock file is left behind")

	// Other programs name their lock files like that too.
	require.NoError(t, os.WriteFile(filepath.Join(dir, lockFile), []byte("theirs"), 0o600))
	before := snapshot(t, root)
	_, err = OpenDir(root, testIdentity())
	require.ErrorIs(t, err, ErrForeignDirectory)
	assert.Equal(t, before, snapshot(t, root))
}

func TestFirstStartKilledBeforeTheIdentityIsNoStranger(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "app")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, lockFile), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, identityFile+tmpSuffix), []byte("{"), 0o600))
	d := open(t, root, testIdentity())
	assert.NoFileExists(t, d.file(identityFile+tmpSuffix))
}

func TestClusterIsBoundLater(t *testing.T) {
	root := t.TempDir()
	d := open(t, root, Identity{ApplicationID: "app"})
	require.ErrorIs(t, d.BindCluster(""), ErrInvalidID)
	require.NoError(t, d.BindCluster("c1"))
	require.NoError(t, d.BindCluster("c1"))
	require.ErrorIs(t, d.BindCluster("c2"), ErrForeignDirectory)
	require.NoError(t, d.Close())

	// The note survives, and an empty part is filled in later.
	d = open(t, root, Identity{ApplicationID: "app", Layout: "l1"})
	err := d.BindCluster("c2")
	require.ErrorIs(t, err, ErrForeignDirectory)
	assert.ErrorContains(t, err, `cluster "c1"`)
	require.NoError(t, d.Close())
	open(t, root, Identity{ApplicationID: "app", ClusterID: "c1", Layout: "l1"})
}

func TestIdentityRefusesOddValues(t *testing.T) {
	for _, id := range []Identity{
		{}, {ApplicationID: "../x"}, {ApplicationID: "a", ClusterID: "a\nb"},
		{ApplicationID: "a", Layout: strings.Repeat("x", maxIdentityField+1)},
	} {
		_, err := OpenDir(t.TempDir(), id)
		require.ErrorIs(t, err, ErrInvalidID)
	}
	// The longest legal identity still fits into the file that is read back.
	id := Identity{
		ApplicationID: strings.Repeat("a", maxApplicationID),
		ClusterID:     strings.Repeat("<", maxIdentityField),
		Layout:        strings.Repeat(`"`, maxIdentityField),
	}
	root := t.TempDir()
	require.NoError(t, open(t, root, id).Close())
	open(t, root, id)
}

func TestDamagedIdentityIsRefused(t *testing.T) {
	good, err := seal(testIdentity())
	require.NoError(t, err)
	tests := map[string]struct {
		content string
		want    error
	}{
		"empty":          {"", ErrCorruptIdentity},
		"cut":            {string(good[:len(good)/2]), ErrCorruptIdentity},
		"value changed":  {strings.Replace(string(good), `"c1"`, `"c2"`, 1), ErrCorruptIdentity},
		"version 0":      {strings.Replace(string(good), `"version":1`, `"version":0`, 1), ErrCorruptIdentity},
		"more after it":  {string(good) + "{}", ErrCorruptIdentity},
		"too long":       {string(good) + strings.Repeat(" ", maxSealed), ErrCorruptIdentity},
		"no JSON":        {"\x00\x01\x02", ErrCorruptIdentity},
		"newer":          {strings.Replace(string(good), `"version":1`, `"version":2`, 1), ErrForeignDirectory},
		"newer, unknown": {`{"version":2,"body":{},"extra":1}`, ErrForeignDirectory},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			d := open(t, root, testIdentity())
			path := d.file(identityFile)
			require.NoError(t, d.Close())
			require.NoError(t, os.WriteFile(path, []byte(tt.content), 0o600))
			_, err := OpenDir(root, testIdentity())
			require.ErrorIs(t, err, tt.want)
			assert.ErrorContains(t, err, path)
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, tt.content, string(b), "a refusal changes nothing")
		})
	}
}

func TestInstanceID(t *testing.T) {
	root := t.TempDir()
	d := open(t, root, testIdentity())

	id, err := d.InstanceID("pod-0")
	require.NoError(t, err)
	assert.Equal(t, "pod-0", id)
	assert.NoFileExists(t, d.file(instanceFile), "a configured id is not kept")
	_, err = d.InstanceID("pod 0")
	require.ErrorIs(t, err, ErrInvalidID)

	made, err := d.InstanceID("")
	require.NoError(t, err)
	require.NoError(t, ValidateInstanceID(made))
	again, err := d.InstanceID("")
	require.NoError(t, err)
	assert.Equal(t, made, again)
	require.NoError(t, d.Close())

	d = open(t, root, testIdentity())
	restarted, err := d.InstanceID("")
	require.NoError(t, err)
	assert.Equal(t, made, restarted, "stable over restarts")

	require.NoError(t, os.WriteFile(d.file(instanceFile), []byte("{}"), 0o600))
	_, err = d.InstanceID("")
	require.ErrorIs(t, err, ErrCorruptIdentity)
	assert.ErrorContains(t, err, "delete the file")
}

// D10 of the failure list: the state in a copied directory may be used, the
// instance id may not.
func TestCopiedDirectoryGetsItsOwnInstanceID(t *testing.T) {
	root, backup := t.TempDir(), t.TempDir()
	d := open(t, root, testIdentity())
	original, err := d.InstanceID("")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(d.file("000001.sst"), []byte("data"), 0o600))

	// cp -a keeps all that a copy can keep: modes, owners, times.
	out, err := exec.CommandContext(t.Context(), "cp", "-a", d.Path(), filepath.Join(backup, "app")).CombinedOutput()
	if err != nil {
		t.Skipf("no cp -a here: %v %s", err, out)
	}
	twin := open(t, backup, testIdentity())
	other, err := twin.InstanceID("")
	require.NoError(t, err)
	assert.NotEqual(t, original, other)
	again, err := twin.InstanceID("")
	require.NoError(t, err)
	assert.Equal(t, other, again)
	assert.FileExists(t, twin.file("000001.sst"))

	same, err := d.InstanceID("")
	require.NoError(t, err)
	assert.Equal(t, original, same)
}

func TestMovedDirectoryKeepsItsInstanceID(t *testing.T) {
	root := t.TempDir()
	d := open(t, filepath.Join(root, "a"), testIdentity())
	id, err := d.InstanceID("")
	require.NoError(t, err)
	require.NoError(t, d.Close())
	require.NoError(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "b")))
	moved, err := open(t, filepath.Join(root, "b"), testIdentity()).InstanceID("")
	require.NoError(t, err)
	assert.Equal(t, id, moved)
}

func FuzzUnseal(f *testing.F) {
	good, err := seal(testIdentity())
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte(`{"version":1,"body":{},"checksum":""}`))
	f.Add([]byte(`{"version":9}`))
	f.Add([]byte("null"))
	f.Add([]byte(strings.Repeat("[", 5000)))
	f.Fuzz(func(t *testing.T, b []byte) {
		var id Identity
		if unseal(b, &id) != nil {
			return
		}
		// Only what seal could have written is accepted: the checksum covers
		// the body's bytes, and encoding it again loses nothing.
		resealed, err := seal(id)
		require.NoError(t, err)
		var back Identity
		require.NoError(t, unseal(resealed, &back))
		require.Equal(t, id, back)
		var envelope map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(b, &envelope))
		for key := range maps.Keys(envelope) {
			require.Contains(t, []string{"version", "body", "checksum"}, strings.ToLower(key))
		}
	})
}
