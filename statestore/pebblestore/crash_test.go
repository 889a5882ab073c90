package pebblestore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/statestore/pebblestore"
)

// history is what a task's store "s" held after each Apply, by position.
type history map[int64]map[string]string

// step draws changes, applies them, and adds the result to the history.
func step(r *rapid.T, b statestore.Base, h history, n int64) {
	key := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 2, -1)
	now := maps.Clone(h[n-1])
	c := changes(n)
	for range rapid.IntRange(0, 1).Draw(r, "drops") {
		from, to := key.Draw(r, "from"), key.Draw(r, "to")
		c.Drops = append(c.Drops, statestore.Range{Store: "s", From: []byte(from), To: []byte(to)})
		maps.DeleteFunc(now, func(k, _ string) bool { return k >= from && k < to })
	}
	for range rapid.IntRange(0, 5).Draw(r, "writes") {
		k := key.Draw(r, "key")
		if rapid.IntRange(0, 4).Draw(r, "remove") == 0 {
			c.Writes = append(c.Writes, statestore.Write{Store: "s", Key: []byte(k)})
			delete(now, k)
			continue
		}
		// Large values make logs rotate and tables appear.
		v := fmt.Sprintf("%d %0*d", n, rapid.IntRange(0, 60_000).Draw(r, "size"), 0)
		c.Writes = append(c.Writes, write("s", k, v))
		now[k] = v
	}
	require.NoError(r, b.Apply(c))
	h[n] = now
}

// TestCrash: whatever is lost in a crash, what is found is what one of the
// changes left, with its position, in every task; and nothing that was flushed is lost.
func TestCrash(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		fs := vfs.NewCrashableMem()
		ids := []string{"0_0", "0_1"}
		histories := map[string]history{"0_0": {0: {}}, "0_1": {0: {}}}
		at := map[string]int64{}      // the position of each task
		durable := map[string]int64{} // and of its last flush
		next := int64(1)
		for range rapid.IntRange(1, 3).Draw(r, "crashes") {
			db, err := pebblestore.Open(dir, pebblestore.Options{Owner: "app", FS: fs, MemTableBytes: 256 << 10})
			require.NoError(r, err)
			tasks := map[string]*pebblestore.Task{}
			for _, id := range ids {
				b := task(r, db, id)
				found := offset(r, b)
				require.Contains(r, histories[id], found)
				require.Equal(r, histories[id][found], content(r, b, "s"))
				require.GreaterOrEqual(r, found, durable[id])
				histories[id][next-1] = histories[id][found]
				at[id], tasks[id] = found, b
			}
			for range rapid.IntRange(0, 25).Draw(r, "steps") {
				id := rapid.SampledFrom(ids).Draw(r, "task")
				histories[id][next-1] = histories[id][at[id]]
				step(r, tasks[id], histories[id], next)
				at[id] = next
				next++
				if rapid.IntRange(0, 9).Draw(r, "flush") == 0 {
					require.NoError(r, db.Flush())
					maps.Copy(durable, at)
				}
			}
			seed := rapid.Uint64().Draw(r, "seed")
			after := fs.CrashClone(vfs.CrashCloneCfg{
				UnsyncedDataPercent: rapid.SampledFrom([]int{0, 30, 70, 100}).Draw(r, "survives"), RNG: rand.New(rand.NewPCG(seed, 0)),
			})
			for _, id := range ids {
				require.NoError(r, tasks[id].Close())
			}
			require.NoError(r, db.Close())
			fs = after
		}
		db := open(r, fs)
		for _, id := range ids {
			b := task(r, db, id)
			found := offset(r, b)
			require.Contains(r, histories[id], found)
			require.Equal(r, histories[id][found], content(r, b, "s"))
			require.GreaterOrEqual(r, found, durable[id])
			require.NoError(r, b.Close())
		}
		require.Zero(r, db.Metrics().Cursors)
		require.NoError(r, db.Close())
	})
}

// TestCrashOrder: tasks share one log, so what survives of all of them is a prefix too.
func TestCrashOrder(t *testing.T) {
	for seed := range uint64(20) {
		fs := vfs.NewCrashableMem()
		db := open(t, fs)
		a, b := task(t, db, "a"), task(t, db, "b")
		for n := range int64(2000) {
			require.NoError(t, []*pebblestore.Task{a, b}[n%2].Apply(changes(n+1, write("s", fmt.Sprint(n), "x"))))
		}
		after := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(seed, 0))})
		finish(t, db, a, b)

		db = open(t, after)
		a, b = task(t, db, "a"), task(t, db, "b")
		require.LessOrEqual(t, max(offset(t, a)-offset(t, b), offset(t, b)-offset(t, a)), int64(2))
		finish(t, db, a, b)
	}
}
