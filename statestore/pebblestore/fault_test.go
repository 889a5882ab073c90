package pebblestore_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/statestore/pebblestore"
)

// faulty fails every write after as many as are left, with the error given.
type faulty struct {
	left atomic.Int64
	err  error
}

func (f *faulty) wrap(fs vfs.FS) vfs.FS {
	return errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		// Removing and closing work on a full disk.
		switch op.Kind {
		case errorfs.OpRemove, errorfs.OpFileClose, errorfs.OpLock:
			return nil
		}
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && f.left.Add(-1) < 0 {
			return f.err
		}
		return nil
	}))
}

// TestDiskFails: at whichever write a disk begins to fail, the calls return
// errors that say what it is, and after the cause is gone a prefix is found.
func TestDiskFails(t *testing.T) {
	for name, c := range map[string]struct{ cause, want error }{
		"full":      {syscall.ENOSPC, pebblestore.ErrDiskFull},
		"quota":     {syscall.EDQUOT, pebblestore.ErrDiskFull},
		"read-only": {syscall.EROFS, pebblestore.ErrReadOnly},
		"broken":    {syscall.EIO, syscall.EIO},
	} {
		t.Run(name, func(t *testing.T) {
			for left := int64(0); left < 400; left += 1 + left/10 {
				under := vfs.NewMem()
				f := &faulty{err: c.cause}
				f.left.Store(left)
				err := fillUp(t, f.wrap(under))
				require.ErrorIs(t, err, c.want, "after %d writes", left)
				require.ErrorIs(t, err, c.cause)

				db := open(t, under)
				b := task(t, db, "0_0")
				n := offset(t, b)
				require.Len(t, content(t, b, "s"), int(n), "after %d writes", left)
				require.NoError(t, b.Apply(changes(n+1, write("s", fmt.Sprint(n), "x"))))
				finish(t, db, b)
			}
		})
	}
}

// fillUp applies changes until there is an error, and expects it from then on.
func fillUp(t *testing.T, fs vfs.FS) error {
	db, err := pebblestore.Open(dir, pebblestore.Options{Owner: "app", FS: fs, MemTableBytes: 256 << 10})
	if err != nil {
		return err
	}
	b, err := db.Task("0_0")
	if err != nil {
		require.Error(t, db.Close())
		return err
	}
	value := strings.Repeat("x", 10_000)
	for n := int64(0); err == nil; n++ {
		err = b.Apply(changes(n+1, write("s", fmt.Sprint(n), value)))
	}
	require.Equal(t, err, db.Err())
	require.Equal(t, err, b.Apply(changes(0)))
	_, _, got := b.Get("s", []byte("0"))
	require.Equal(t, err, got)
	require.Equal(t, err, b.Scan("s", nil, nil, false).Close())
	_, got = b.Position()
	require.Equal(t, err, got)
	require.Equal(t, err, db.Flush())
	require.NoError(t, b.Close())
	require.Equal(t, err, db.Close())
	return err
}

// TestDiskFillsAtClose: what could not be made durable is told.
func TestDiskFillsAtClose(t *testing.T) {
	f := &faulty{err: syscall.ENOSPC}
	f.left.Store(1 << 30)
	db := open(t, f.wrap(vfs.NewMem()))
	b := task(t, db, "0_0")
	require.NoError(t, b.Apply(changes(1, write("s", "a", "1"))))
	require.NoError(t, b.Close())
	f.left.Store(0)
	require.ErrorIs(t, db.Close(), pebblestore.ErrDiskFull)
}

// TestReadFails: an error of one read is returned and is not taken for damage or absence.
func TestReadFails(t *testing.T) {
	var failing atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing.Load() && op.Kind == errorfs.OpFileReadAt && strings.HasSuffix(op.Path, ".sst") {
			return syscall.EIO
		}
		return nil
	}))
	db := open(t, fs)
	b := task(t, db, "0_0")
	require.NoError(t, b.Apply(changes(1, write("s", "a", "1"))))
	require.NoError(t, b.Close())
	require.NoError(t, db.Close())

	db = open(t, fs)
	b = task(t, db, "0_0")
	require.NoError(t, b.Apply(changes(2, write("s", "b", "1"))))
	require.NoError(t, b.Close())
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())

	db, err := pebblestore.Open(dir, pebblestore.Options{Owner: "app", FS: fs, CacheBytes: 1})
	require.NoError(t, err)
	b = task(t, db, "0_0")
	failing.Store(true)
	_, _, err = b.Get("s", []byte("a"))
	require.ErrorIs(t, err, syscall.EIO)
	c := b.Scan("s", nil, nil, false)
	require.False(t, c.Next())
	require.ErrorIs(t, c.Close(), syscall.EIO)
	require.NoError(t, b.Close())
	require.Zero(t, db.Metrics().Cursors, "a failed cursor is no leak")
	_ = db.Close() // a job in the background may have met the fault, or not
}

// TestDamage flips a bit of a file: the answer is ErrCorrupt or a prefix, never other data and never a panic.
func TestDamage(t *testing.T) {
	const each = 300
	source := t.TempDir()
	build := func(d string) {
		db, err := pebblestore.Open(d, pebblestore.Options{Owner: "app"})
		require.NoError(t, err)
		b := task(t, db, "0_0")
		for n := range int64(3 * each) {
			require.NoError(t, b.Apply(changes(n+1, write("s", fmt.Sprint(n), strings.Repeat(fmt.Sprint(n, " "), 20)))))
			if n == each || n == 2*each {
				require.NoError(t, db.Flush())
			}
		}
		finish(t, db, b)
	}
	build(source)
	files, err := os.ReadDir(source)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	found := map[string]int{}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(source, file.Name()))
		require.NoError(t, err)
		for range min(25, len(data)) {
			d := filepath.Join(t.TempDir(), "d")
			require.NoError(t, os.CopyFS(d, os.DirFS(source)))
			bad := bytes.Clone(data)
			bit := rng.IntN(8 * len(bad))
			bad[bit/8] ^= 1 << (bit % 8)
			require.NoError(t, os.WriteFile(filepath.Join(d, file.Name()), bad, 0o600))
			n, err := readAll(d)
			label := fmt.Sprintf("%s bit %d of %d: %v", file.Name(), bit, 8*len(bad), err)
			if err == nil {
				found["prefix"]++
				require.LessOrEqual(t, n, int64(3*each), label)
				continue
			}
			require.NotErrorIs(t, err, errHole, label)
			found["error"]++
			if strings.HasSuffix(file.Name(), ".sst") || strings.HasPrefix(file.Name(), "MANIFEST") {
				require.ErrorIs(t, err, pebblestore.ErrCorrupt, label)
			}
		}
	}
	require.NotZero(t, found["error"])
}

var errHole = fmt.Errorf("neither a prefix nor an error")

// readAll reads all entries, in both ways, and returns the position.
func readAll(d string) (int64, error) {
	db, err := pebblestore.Open(d, pebblestore.Options{Owner: "app"})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	b, err := db.Task("0_0")
	if err != nil {
		return 0, err
	}
	defer b.Close()
	p, err := b.Position()
	if err != nil {
		return 0, err
	}
	count := int64(0)
	c := b.Scan("s", nil, nil, false)
	for c.Next() {
		count++
	}
	if err := c.Close(); err != nil {
		return 0, err
	}
	for n := range p.Changelogs["s"] {
		v, ok, err := b.Get("s", []byte(fmt.Sprint(n)))
		if err != nil {
			return 0, err
		}
		if !ok || string(v) != strings.Repeat(fmt.Sprint(n, " "), 20) {
			return 0, fmt.Errorf("%w: %d", errHole, n)
		}
	}
	if count != p.Changelogs["s"] {
		return 0, fmt.Errorf("%w: %d entries at %d", errHole, count, p.Changelogs["s"])
	}
	return p.Changelogs["s"], nil
}

// TestMissingFile: a file that is gone is damage too.
func TestMissingFile(t *testing.T) {
	d := filepath.Join(t.TempDir(), "d")
	db, err := pebblestore.Open(d, pebblestore.Options{})
	require.NoError(t, err)
	b := task(t, db, "0_0")
	require.NoError(t, b.Apply(changes(1, write("s", "a", "1"))))
	require.NoError(t, db.Flush())
	finish(t, db, b)
	tables, err := filepath.Glob(filepath.Join(d, "*.sst"))
	require.NoError(t, err)
	require.NotEmpty(t, tables)
	require.NoError(t, os.Remove(tables[0]))
	_, err = pebblestore.Open(d, pebblestore.Options{})
	require.ErrorIs(t, err, pebblestore.ErrCorrupt)
	require.ErrorContains(t, err, "move "+d+" away")
}

func TestLocked(t *testing.T) {
	if d := os.Getenv("PEBBLESTORE_LOCKED"); d != "" {
		_, err := pebblestore.Open(d, pebblestore.Options{})
		require.ErrorIs(t, err, pebblestore.ErrLocked)
		return
	}
	d := filepath.Join(t.TempDir(), "d")
	db, err := pebblestore.Open(d, pebblestore.Options{})
	require.NoError(t, err)
	_, err = pebblestore.Open(d, pebblestore.Options{})
	require.ErrorIs(t, err, pebblestore.ErrLocked, "in this process")

	other := exec.Command(os.Args[0], "-test.run=^TestLocked$")
	other.Env = append(os.Environ(), "PEBBLESTORE_LOCKED="+d)
	out, err := other.CombinedOutput()
	require.NoError(t, err, string(out))

	require.NoError(t, db.Close())
	db, err = pebblestore.Open(d, pebblestore.Options{})
	require.NoError(t, err, "the lock ends with Close")
	require.NoError(t, db.Close())
}

func TestNoPermission(t *testing.T) {
	denied := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpLock {
			return &fs.PathError{Op: "open", Path: op.Path, Err: syscall.EACCES}
		}
		return nil
	}))
	_, err := pebblestore.Open(dir, pebblestore.Options{FS: denied})
	require.ErrorIs(t, err, pebblestore.ErrReadOnly)
	require.NotErrorIs(t, err, pebblestore.ErrLocked)
	require.ErrorContains(t, err, "writable")
}

// TestFaultIsLoggedOnce: the log names the cause once, though Pebble goes on.
func TestFaultIsLoggedOnce(t *testing.T) {
	var out bytes.Buffer
	f := &faulty{err: syscall.ENOSPC}
	f.left.Store(200)
	db, err := pebblestore.Open(dir, pebblestore.Options{FS: f.wrap(vfs.NewMem()), Log: slog.New(slog.NewTextHandler(&out, nil))})
	require.NoError(t, err)
	b := task(t, db, "0_0")
	for err == nil {
		err = b.Apply(changes(1, write("s", "a", strings.Repeat("x", 100_000))))
	}
	require.NoError(t, b.Close())
	require.Error(t, db.Close())
	require.Equal(t, 1, strings.Count(out.String(), "level=ERROR"), out.String())
	require.Contains(t, out.String(), "free space")
}
