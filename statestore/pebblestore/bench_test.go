package pebblestore_test

import (
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/statestore/pebblestore"
)

// filled returns a task on disk with as many keys of 16 bytes and values of 100.
func filled(b *testing.B, keys int) (*pebblestore.DB, *pebblestore.Task) {
	db, err := pebblestore.Open(filepath.Join(b.TempDir(), "d"), pebblestore.Options{})
	require.NoError(b, err)
	t := task(b, db, "0_0")
	b.Cleanup(func() {
		require.NoError(b, t.Close())
		require.NoError(b, db.Close())
	})
	for from := 0; from < keys; from += 1000 {
		require.NoError(b, t.Apply(batch(from, 1000)))
	}
	require.NoError(b, db.Flush())
	return db, t
}

// key appends a key, spread as hashes are, so that neighbours are not written together.
func key(b []byte, n int) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, uint64(n)*0x9e3779b97f4a7c15), uint64(n))
}

func batch(from, n int) *statestore.Changes {
	c := changes(int64(from + n))
	rng := rand.NewChaCha8([32]byte{byte(from)})
	for i := range n {
		value := make([]byte, 100)
		_, _ = rng.Read(value[:50])
		c.Writes = append(c.Writes, statestore.Write{Store: "s", Key: key(nil, from+i), Value: value})
	}
	return c
}

func BenchmarkGet(b *testing.B) {
	const keys = 200_000
	_, t := filled(b, keys)
	get := func(b *testing.B, from int, want bool) {
		b.ReportAllocs()
		buf := make([]byte, 16)
		for i := 0; b.Loop(); i++ {
			if _, ok, err := t.Get("s", key(buf[:0], from+i*7919%keys)); err != nil || ok != want {
				b.Fatal(ok, err)
			}
		}
	}
	b.Run("present", func(b *testing.B) { get(b, 0, true) })
	b.Run("absent", func(b *testing.B) { get(b, keys, false) })
}

// BenchmarkApply applies 1 000 writes at a time; a write is an op.
func BenchmarkApply(b *testing.B) {
	_, t := filled(b, 0)
	c := batch(0, 1000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%1000 == 999 {
			for j := range c.Writes {
				binary.BigEndian.PutUint64(c.Writes[j].Key, uint64(i-999+j)*0x9e3779b97f4a7c15)
			}
			if err := t.Apply(c); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkScan walks over all of a store; an entry is an op.
func BenchmarkScan(b *testing.B) {
	_, t := filled(b, 200_000)
	b.ReportAllocs()
	c := t.Scan("s", nil, nil, false)
	for b.Loop() {
		if !c.Next() {
			require.NoError(b, c.Close())
			c = t.Scan("s", nil, nil, false)
		}
	}
	require.NoError(b, c.Close())
}

// BenchmarkScanShort opens a cursor for ten entries.
func BenchmarkScanShort(b *testing.B) {
	_, t := filled(b, 200_000)
	b.ReportAllocs()
	buf := make([]byte, 16)
	for i := 0; b.Loop(); i++ {
		c := t.Scan("s", key(buf[:0], i*7919%200_000), nil, false)
		for range 10 {
			c.Next()
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
