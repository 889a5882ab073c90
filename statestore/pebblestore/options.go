package pebblestore

import (
	"log/slog"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options are the options of [Open]; the zero value is usable.
type Options struct {
	// Owner says whose state it is, for instance cluster id and application id.
	// A directory with another owner is refused. It is part of the directory and
	// is never changed.
	Owner string
	// CacheBytes is what all tasks together may hold in memory; 0 means 64 MiB.
	// Memtables count too, the rest caches blocks. More is taken only while flushes lag behind.
	CacheBytes int64
	// MemTableBytes is the size of a memtable; 0 means 16 MiB. Up to three of them are held.
	MemTableBytes int
	// FS is the file system; nil means the operating system's.
	FS vfs.FS
	// Log takes what Pebble reports, most of it at debug level; nil means none.
	Log *slog.Logger
}

const (
	defaultCache    = 64 << 20
	defaultMemTable = 16 << 20
)

func (o Options) withDefaults() Options {
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCache
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = defaultMemTable
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// pebble returns the options for many small tasks with small values, of which
// most are looked up one by one.
func (o Options) pebble(d *disk, held *pebble.Lock) *pebble.Options {
	p := &pebble.Options{
		FS:   d,
		Lock: held,
		// A fixed version: what is written must not change with the library.
		FormatMajorVersion: pebble.FormatTableFormatV6,
		Logger:             logger{d.health},
		EventListener:      events(d.health),

		CacheSize:                   o.CacheBytes,
		MemTableSize:                uint64(o.MemTableBytes),
		MemTableStopWritesThreshold: 3,
		MaxOpenFiles:                500,

		// Restoring writes faster than one compaction can follow.
		CompactionConcurrencyRange: func() (int, int) { return 1, 2 },
		L0CompactionThreshold:      2,
		L0StopWritesThreshold:      20,

		// Nobody waits for a sync; without this the kernel would write a burst at some time.
		WALBytesPerSync: 512 << 10,
	}
	p.Levels[0].FilterPolicy = bloom.FilterPolicy(10)
	return p
}
