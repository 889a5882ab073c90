// Package storetest holds the tests that every [statestore.Base] must pass.
package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/statestore"
)

// Reopener is implemented by a Base that outlives its process. Reopen closes it
// and opens what it left. The factory given to [Exercise] may wrap a Base to
// have this method.
type Reopener interface {
	Reopen(t *testing.T) statestore.Base
}

// Exercise runs the tests. open returns a new, empty Base; Exercise closes it.
func Exercise(t *testing.T, open func(t *testing.T) statestore.Base) {
	t.Helper()
	run := func(name string, test func(t *testing.T, b statestore.Base) statestore.Base) {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, test(t, open(t)).Close())
		})
	}
	run("Empty", empty)
	run("Writes", writes)
	run("Stores", stores)
	run("Bounds", bounds)
	run("Snapshot", snapshot)
	run("Drops", drops)
	run("Position", position)
	run("Kept", kept)
	run("Reopen", reopen)
	t.Run("Random", func(t *testing.T) {
		// One base for all rounds: each has a store of its own.
		b, round := open(t), 0
		rapid.Check(t, func(r *rapid.T) {
			round++
			b = random(t, r, b, round)
		})
		require.NoError(t, b.Close())
	})
}

const store = "store"

func put(key, value string) statestore.Write {
	return statestore.Write{Store: store, Key: []byte(key), Value: []byte(value)}
}

func remove(key string) statestore.Write {
	return statestore.Write{Store: store, Key: []byte(key)}
}

func apply(t require.TestingT, b statestore.Base, writes ...statestore.Write) {
	require.NoError(t, b.Apply(&statestore.Changes{Writes: writes}))
}

func get(t require.TestingT, b statestore.Base, name, key string) (string, bool) {
	v, ok, err := b.Get(name, []byte(key))
	require.NoError(t, err)
	if ok {
		require.NotNil(t, v, "a value that is there is not nil")
	}
	return string(v), ok
}

type pair struct{ key, value string }

// rest returns what a cursor still has, and closes it.
func rest(t require.TestingT, c statestore.Cursor) []pair {
	var list []pair
	for c.Next() {
		list = append(list, pair{string(c.Key()), string(c.Value())})
	}
	require.False(t, c.Next(), "the end stays the end")
	require.NoError(t, c.Close())
	return list
}

func all(t require.TestingT, b statestore.Base, name string) []pair {
	return rest(t, b.Scan(name, nil, nil, false))
}
