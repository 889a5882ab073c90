package fencing

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const childRoot = "FENCING_TEST_CHILD_ROOT"

// TestMain lets the test binary be the second process of a test.
func TestMain(m *testing.M) {
	if root := os.Getenv(childRoot); root != "" {
		holdDirectory(root)
		return
	}
	os.Exit(m.Run())
}

// holdDirectory locks the directory, says so, and holds it until its input ends.
func holdDirectory(root string) {
	d, err := OpenDir(root, Identity{ApplicationID: "app", ClusterID: "c1", Layout: "l1"})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	id, err := d.InstanceID("")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("locked", id)
	// Neither error nor end of input matters: both mean that the test is over.
	_, _ = io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(d)
}

func testIdentity() Identity { return Identity{ApplicationID: "app", ClusterID: "c1", Layout: "l1"} }

func open(t *testing.T, root string, id Identity) *Dir {
	t.Helper()
	d, err := OpenDir(root, id)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func startHolder(t *testing.T, root string) (*exec.Cmd, string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childRoot+"="+root)
	_, err = cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	var id string
	_, err = fmt.Sscanf(line, "locked %s", &id)
	require.NoError(t, err, line)
	return cmd, id
}

// D7 and D8 of the failure list: a second process is refused while the first
// one lives, and the lock file that a killed one leaves is no obstacle.
func TestSecondProcessIsRefusedUntilTheFirstIsKilled(t *testing.T) {
	root := t.TempDir()
	cmd, childID := startHolder(t, root)

	_, err := OpenDir(root, testIdentity())
	require.ErrorIs(t, err, ErrLocked)
	assert.ErrorContains(t, err, fmt.Sprintf("held by process %d since ", cmd.Process.Pid))
	assert.ErrorContains(t, err, filepath.Join(root, "app"))

	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait(), "killed")
	require.FileExists(t, filepath.Join(root, "app", lockFile))

	d := open(t, root, testIdentity())
	id, err := d.InstanceID("")
	require.NoError(t, err)
	assert.Equal(t, childID, id, "the successor must finish what the killed one left open")
}

func TestSecondDirInOneProcessIsRefused(t *testing.T) {
	root := t.TempDir()
	d := open(t, root, testIdentity())
	_, err := OpenDir(root, testIdentity())
	require.ErrorIs(t, err, ErrLocked)
	assert.ErrorContains(t, err, fmt.Sprintf("process %d", os.Getpid()))

	require.NoError(t, d.Close())
	require.NoError(t, d.Close(), "closing twice is harmless")
	open(t, root, testIdentity())
}

func TestOneOfManyGetsTheDirectory(t *testing.T) {
	root := t.TempDir()
	const rivals = 16
	var wg sync.WaitGroup
	won := make(chan *Dir, rivals)
	for range rivals {
		wg.Go(func() {
			d, err := OpenDir(root, testIdentity())
			if err == nil {
				won <- d
				return
			}
			assert.ErrorIs(t, err, ErrLocked)
		})
	}
	wg.Wait()
	close(won)
	require.Len(t, won, 1)
	require.NoError(t, (<-won).Close())
}

func TestTwoApplicationsShareARoot(t *testing.T) {
	root := t.TempDir()
	open(t, root, Identity{ApplicationID: "a"})
	open(t, root, Identity{ApplicationID: "b"})
}

func TestHolderTrustsNoText(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockFile)
	for _, text := range []string{"", "process \x1b[31m", "rm -rf /", "process " + string(make([]byte, 1<<20))} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		assert.Equal(t, "a process that did not note its number", holder(path))
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	root := filepath.Join(t.TempDir(), "new", "root")
	d := open(t, root, testIdentity())
	_, err := d.InstanceID("")
	require.NoError(t, err)
	for path, want := range map[string]fs.FileMode{
		root: 0o700, d.Path(): 0o700,
		d.file(lockFile): 0o600, d.file(identityFile): 0o600, d.file(instanceFile): 0o600,
	} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode().Perm(), path)
	}
}

func TestUnsafePlacesAreRefused(t *testing.T) {
	tmp := t.TempDir()
	home := filepath.Join(tmp, "home")
	require.NoError(t, os.MkdirAll(filepath.Join(home, "link-target"), 0o700))
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	link := filepath.Join(tmp, "link")
	require.NoError(t, os.Symlink(filepath.Join(home, "link-target"), link))
	plain := filepath.Join(tmp, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))

	for _, root := range []string{"", "/", home, home + "/.", filepath.Join(home, "x", ".."), link, plain} {
		_, err := OpenDir(root, testIdentity())
		require.ErrorIs(t, err, ErrUnsafeDirectory, root)
	}
	entries, err := os.ReadDir(home)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "a refusal makes nothing")

	open(t, filepath.Join(home, "state"), testIdentity())
}

func TestUnsafeDirectoryBelowRootIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	root, elsewhere := t.TempDir(), t.TempDir()
	dir := filepath.Join(root, "app")

	require.NoError(t, os.Symlink(elsewhere, dir))
	_, err := OpenDir(root, testIdentity())
	require.ErrorIs(t, err, ErrUnsafeDirectory)
	require.NoError(t, os.Remove(dir))

	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	_, err = OpenDir(root, testIdentity())
	require.ErrorIs(t, err, ErrUnsafeDirectory)
	require.NoError(t, os.Remove(dir))

	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Chmod(dir, 0o777))
	_, err = OpenDir(root, testIdentity())
	require.ErrorIs(t, err, ErrUnsafeDirectory)
	require.NoError(t, os.Chmod(dir, 0o770))
	open(t, root, testIdentity())
}

func TestPlantedSymlinksAreNotFollowed(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte("precious"), 0o600))
	for _, name := range []string{lockFile, identityFile, identityFile + tmpSuffix} {
		root := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(root, "app"), 0o700))
		require.NoError(t, os.Symlink(victim, filepath.Join(root, "app", name)))
		d, err := OpenDir(root, testIdentity())
		if name == identityFile+tmpSuffix {
			// The leftover of a crash is replaced, whatever it is.
			require.NoError(t, err)
			require.NoError(t, d.Close())
		} else {
			require.ErrorIs(t, err, ErrUnsafeDirectory, name)
		}
		b, err := os.ReadFile(victim)
		require.NoError(t, err)
		assert.Equal(t, "precious", string(b), name)
	}
}

func TestClosedDirRefuses(t *testing.T) {
	d := open(t, t.TempDir(), testIdentity())
	require.NoError(t, d.Close())
	require.ErrorIs(t, d.BindCluster("c1"), fs.ErrClosed)
	_, err := d.InstanceID("")
	require.ErrorIs(t, err, fs.ErrClosed)
}
