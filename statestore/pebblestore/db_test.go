package pebblestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/statestore/pebblestore"
	"github.com/eosproc/eosproc/statestore/storetest"
)

// owned is a task with a database of its own, which Close closes and Reopen reopens.
type owned struct {
	*pebblestore.Task
	db *pebblestore.DB
	fs vfs.FS
}

func newOwned(t *testing.T, fs vfs.FS) *owned {
	db := open(t, fs)
	return &owned{Task: task(t, db, "0_0"), db: db, fs: fs}
}

func (o *owned) Close() error {
	if err := o.Task.Close(); err != nil {
		return err
	}
	return o.db.Close()
}

func (o *owned) Reopen(t *testing.T) statestore.Base {
	require.NoError(t, o.Close())
	return newOwned(t, o.fs)
}

func TestBase(t *testing.T) {
	storetest.Exercise(t, func(t *testing.T) statestore.Base { return newOwned(t, vfs.NewMem()) })
}

// TestTasks: tasks and stores whose names begin alike do not see each other.
func TestTasks(t *testing.T) {
	fs := vfs.NewMem()
	db := open(t, fs)
	ids := []string{"0_1", "0_10", "0_1\x00", "", "1_0"}
	names := []string{"s", "st", "s\x00", ""}
	for _, id := range ids {
		b := task(t, db, id)
		for i, name := range names {
			require.NoError(t, b.Apply(changes(int64(i), write(name, "", id+name), write(name, "\xff\xff\xff\xff", "last"))))
		}
		require.NoError(t, b.Close())
	}
	check := func(absent string) {
		for _, id := range ids {
			if id == absent {
				continue
			}
			b := task(t, db, id)
			for _, name := range names {
				require.Equal(t, map[string]string{"": id + name, "\xff\xff\xff\xff": "last"}, content(t, b, name), "%q %q", id, name)
			}
			require.Equal(t, int64(len(names)-1), offset(t, b))
			require.NoError(t, b.Close())
		}
	}
	check("none")
	require.NoError(t, db.DropTask("0_1"))
	require.NoError(t, db.DropTask("0_1"), "not present")
	check("0_1")
	require.NoError(t, db.Close())

	db = open(t, fs)
	check("0_1")
	list, err := db.Tasks()
	require.NoError(t, err)
	require.Len(t, list, len(ids)-1)
	require.Equal(t, "0_10", list[2].ID)
	require.Equal(t, map[string]int64{"s": int64(len(names) - 1)}, list[2].Position.Changelogs)

	again := task(t, db, "0_1")
	require.Empty(t, content(t, again, "s"), "a dropped task begins empty")
	require.Zero(t, offset(t, again))
	require.NoError(t, again.Apply(changes(1, write("st", "a", "1"))))
	require.Empty(t, content(t, again, "s"))
	finish(t, db, again)
}

// TestTasksInParallel: each goroutine has its own task and sees only that.
func TestTasksInParallel(t *testing.T) {
	db := open(t, vfs.NewMem())
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			b := task(t, db, fmt.Sprint(i))
			for n := range 200 {
				_ = b.Apply(changes(int64(n), write("s", fmt.Sprint(n), fmt.Sprint(i))))
				_, _, _ = b.Get("s", []byte("0"))
			}
			_ = b.Close()
		})
	}
	wg.Wait()
	for i := range 4 {
		b := task(t, db, fmt.Sprint(i))
		all := content(t, b, "s")
		require.Len(t, all, 200)
		require.Equal(t, fmt.Sprint(i), all["199"])
		require.NoError(t, b.Close())
	}
	finish(t, db)
}

func TestInUse(t *testing.T) {
	db := open(t, vfs.NewMem())
	b := task(t, db, "0_0")
	require.NoError(t, b.Apply(changes(1, write("s", "a", "1"))))
	_, err := db.Task("0_0")
	require.ErrorIs(t, err, pebblestore.ErrInUse)
	require.ErrorIs(t, db.DropTask("0_0"), pebblestore.ErrInUse)
	require.ErrorIs(t, db.Close(), pebblestore.ErrInUse)

	c := b.Scan("s", nil, nil, false)
	require.EqualValues(t, 1, db.Metrics().Cursors)
	require.ErrorIs(t, b.Close(), pebblestore.ErrInUse)
	require.True(t, c.Next())
	require.NoError(t, c.Close())
	require.NoError(t, c.Close(), "a second Close is harmless")
	require.Zero(t, db.Metrics().Cursors)

	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
	_, _, err = b.Get("s", []byte("a"))
	require.ErrorIs(t, err, pebblestore.ErrClosed)
	require.ErrorIs(t, b.Apply(changes(2)), pebblestore.ErrClosed)
	require.ErrorIs(t, b.Scan("s", nil, nil, false).Close(), pebblestore.ErrClosed)
	_, err = b.Position()
	require.ErrorIs(t, err, pebblestore.ErrClosed)
	require.NoError(t, db.Close())
	require.NoError(t, db.Close())
	_, err = db.Task("0_0")
	require.ErrorIs(t, err, pebblestore.ErrClosed)
	require.ErrorIs(t, db.DropTask("0_0"), pebblestore.ErrClosed)
	require.ErrorIs(t, db.Flush(), pebblestore.ErrClosed)
	_, err = db.Tasks()
	require.ErrorIs(t, err, pebblestore.ErrClosed)
}

func TestTooManyStores(t *testing.T) {
	db := open(t, vfs.NewMem())
	b := task(t, db, "0_0")
	var writes []statestore.Write
	for i := range 65_536 {
		writes = append(writes, write(fmt.Sprint(i), "a", "1"))
	}
	require.ErrorIs(t, b.Apply(changes(1, writes...)), pebblestore.ErrTooLarge)
	require.Zero(t, offset(t, b))
	require.NoError(t, b.Apply(changes(2, writes[1:]...)))
	require.ErrorIs(t, b.Apply(changes(3, writes[0])), pebblestore.ErrTooLarge)
	require.NoError(t, b.Apply(changes(4, writes[1])))
	require.Equal(t, map[string]string{"a": "1"}, content(t, b, "65535"), "the last number")
	finish(t, db, b)
}

func TestTooManyBytes(t *testing.T) {
	b := newOwned(t, vfs.NewMem())
	large := statestore.Write{Store: "s", Key: []byte("k"), Value: make([]byte, 64<<20)}
	require.ErrorIs(t, b.Apply(changes(1, slices.Repeat([]statestore.Write{large}, 16)...)), pebblestore.ErrTooLarge)
	require.NoError(t, b.Apply(changes(2, write("s", "k", "small"))), "nothing is wrong with the task")
	require.NoError(t, b.Close())
}

// TestLargeChanges: more than a memtable holds.
func TestLargeChanges(t *testing.T) {
	fs := vfs.NewMem()
	b := newOwned(t, fs)
	value := strings.Repeat("x", 1<<20)
	var writes []statestore.Write
	for i := range 40 {
		writes = append(writes, write("s", fmt.Sprintf("%02d", i), value))
	}
	require.NoError(t, b.Apply(changes(40, writes...)))
	again := b.Reopen(t)
	require.Len(t, content(t, again, "s"), 40)
	require.EqualValues(t, 40, offset(t, again))
	require.NoError(t, again.Close())
}

func TestLayout(t *testing.T) {
	fs := vfs.NewMem()
	require.NoError(t, open(t, fs).Close())
	require.NoError(t, open(t, fs).Close())

	_, err := pebblestore.Open(dir, pebblestore.Options{Owner: "other", FS: fs})
	require.ErrorIs(t, err, pebblestore.ErrLayout)
	require.ErrorContains(t, err, "own directory")

	for name, text := range map[string]string{
		"newer": "eosproc state\nlayout 2\nowner \"app\"\n", "empty": "", "foreign": "\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			d := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(d, "EOSPROC"), []byte(text), 0o600))
			_, err := pebblestore.Open(d, pebblestore.Options{Owner: "app"})
			require.ErrorIs(t, err, pebblestore.ErrLayout)
		})
	}
	d := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(d, "holiday.jpg"), nil, 0o600))
	_, err = pebblestore.Open(d, pebblestore.Options{Owner: "app"})
	require.ErrorIs(t, err, pebblestore.ErrLayout)
	names, err := os.ReadDir(d)
	require.NoError(t, err)
	require.Len(t, names, 1, "nothing is written into a directory that is not ours")
}

func TestPrivate(t *testing.T) {
	d := filepath.Join(t.TempDir(), "a", "b")
	db, err := pebblestore.Open(d, pebblestore.Options{})
	require.NoError(t, err)
	finish(t, db)
	info, err := os.Stat(d)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}
