package statestore_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

const benchKeys = 10_000

// every commits a transaction after as many records as one usually has.
func every(b *testing.B, s *statestore.State, i int) {
	if i%benchKeys == benchKeys-1 {
		if err := s.Seal(func(statestore.ChangelogRecord) error { return nil }); err != nil {
			b.Fatal(err)
		}
		if err := s.Commit(nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBytesPut(b *testing.B) {
	s := declared(b, statestore.NewMemory(), words("a"))
	a := open(b, s, "a")
	key, value := make([]byte, 16), make([]byte, 100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Mark()
		binary.BigEndian.PutUint64(key, uint64(i%benchKeys))
		if err := a.Put(key, value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBytesGet(b *testing.B) {
	s := declared(b, statestore.NewMemory(), words("a"))
	a := open(b, s, "a")
	key := make([]byte, 16)
	for i := range benchKeys {
		binary.BigEndian.PutUint64(key, uint64(i))
		if err := a.Put(key, make([]byte, 100)); err != nil {
			b.Fatal(err)
		}
	}
	get := func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			binary.BigEndian.PutUint64(key, uint64(i%benchKeys))
			if _, ok, err := a.Get(key); err != nil || !ok {
				b.Fatal(ok, err)
			}
		}
	}
	b.Run("open", get)
	commit(b, s)
	b.Run("base", get)
}

func BenchmarkScan100(b *testing.B) {
	s := declared(b, statestore.NewMemory(), words("a"))
	a := open(b, s, "a")
	for i := range 300 {
		if err := a.Put([]byte{byte(i >> 8), byte(i)}, []byte("value")); err != nil {
			b.Fatal(err)
		}
		if i == 150 {
			commit(b, s)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range a.Scan([]byte{0, 100}, []byte{0, 200}, false) {
			n++
		}
		if n != 100 {
			b.Fatal(n)
		}
	}
}

func BenchmarkKVCount(b *testing.B) {
	spec := statestore.NewKV("a", codec.Int64, codec.Int64)
	s := declared(b, statestore.NewMemory(), spec)
	h := spec.Open(s)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Mark()
		n, _, err := h.Get(int64(i % benchKeys))
		if err != nil {
			b.Fatal(err)
		}
		if err := h.Put(int64(i%benchKeys), n+1); err != nil {
			b.Fatal(err)
		}
		every(b, s, i)
	}
}

func BenchmarkKVPutBytes(b *testing.B) {
	spec := statestore.NewKV("a", codec.Int64, codec.Bytes)
	s := declared(b, statestore.NewMemory(), spec)
	h := spec.Open(s)
	value := make([]byte, 100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Mark()
		if err := h.Put(int64(i%benchKeys), value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWindowPut(b *testing.B) {
	for name, duplicates := range map[string]bool{"last": false, "duplicates": true} {
		b.Run(name, func(b *testing.B) {
			spec := statestore.NewWindow("w", codec.Int64, codec.Int64,
				statestore.WindowConfig{Size: time.Minute, Retention: time.Hour, Duplicates: duplicates})
			s := declared(b, statestore.NewMemory(), spec)
			h := spec.Open(s)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Mark()
				if _, err := h.Put(int64(i%1000), int64(i), 1, int64(i)); err != nil {
					b.Fatal(err)
				}
				every(b, s, i)
			}
		})
	}
}

func BenchmarkVersioned(b *testing.B) {
	spec := statestore.NewVersioned("v", codec.Int64, codec.Int64, statestore.VersionedConfig{HistoryRetention: time.Second})
	s := declared(b, statestore.NewMemory(), spec)
	h := spec.Open(s)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Mark()
		if _, _, err := h.Put(int64(i%1000), 1, int64(i)); err != nil {
			b.Fatal(err)
		}
		if _, _, _, err := h.GetAsOf(int64(i%1000), int64(i)); err != nil {
			b.Fatal(err)
		}
		every(b, s, i)
	}
}
