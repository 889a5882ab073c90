package pebblestore_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/statestore/pebblestore"
)

const dir = "/state"

func open(t require.TestingT, fs vfs.FS) *pebblestore.DB {
	db, err := pebblestore.Open(dir, pebblestore.Options{Owner: "app", FS: fs})
	require.NoError(t, err)
	return db
}

func task(t require.TestingT, db *pebblestore.DB, id string) *pebblestore.Task {
	task, err := db.Task(id)
	require.NoError(t, err)
	return task
}

func write(store, key, value string) statestore.Write {
	return statestore.Write{Store: store, Key: []byte(key), Value: []byte(value)}
}

func changes(offset int64, writes ...statestore.Write) *statestore.Changes {
	return &statestore.Changes{Writes: writes, Position: statestore.Position{Changelogs: map[string]int64{"s": offset}}}
}

// content returns all entries of a store.
func content(t require.TestingT, b statestore.Base, store string) map[string]string {
	all := map[string]string{}
	c := b.Scan(store, nil, nil, false)
	for c.Next() {
		all[string(c.Key())] = string(c.Value())
	}
	require.NoError(t, c.Close())
	return all
}

func offset(t require.TestingT, b statestore.Base) int64 {
	p, err := b.Position()
	require.NoError(t, err)
	return p.Changelogs["s"]
}

func finish(t *testing.T, db *pebblestore.DB, tasks ...*pebblestore.Task) {
	for _, task := range tasks {
		require.NoError(t, task.Close())
	}
	require.Zero(t, db.Metrics().Cursors)
	require.NoError(t, db.Close())
}
