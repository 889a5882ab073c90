package pebblestore

// Metrics are counts and sizes of a [DB]. Counters start with the process.
type Metrics struct {
	// Cursors is the number of open cursors; one that stays is a leak.
	Cursors int64
	// Tasks and OpenTasks are the numbers of tasks that are present and open.
	Tasks, OpenTasks int
	// DiskBytes is what the files take, MemTableBytes and CacheBytes what is held in memory.
	DiskBytes, MemTableBytes, CacheBytes int64
	// CacheHits and CacheMisses count blocks that were looked for in the cache.
	CacheHits, CacheMisses int64
	// Flushes and Compactions count finished jobs.
	Flushes, Compactions int64
	// CompactionDebtBytes is how much compaction has to rewrite until it has caught up.
	CompactionDebtBytes int64
}

// Metrics returns the current values, zero after Close.
func (db *DB) Metrics() Metrics {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.ended || db.health.jammed.Load() {
		return Metrics{}
	}
	m := db.pebble.Metrics()
	return Metrics{
		Cursors:             db.cursors.Load(),
		Tasks:               len(db.ids),
		OpenTasks:           len(db.open),
		DiskBytes:           int64(m.DiskSpaceUsage()),
		MemTableBytes:       int64(m.MemTable.Size + m.MemTable.ZombieSize),
		CacheBytes:          m.BlockCache.Size,
		CacheHits:           m.BlockCache.Hits,
		CacheMisses:         m.BlockCache.Misses,
		Flushes:             m.Flush.Count,
		Compactions:         m.Compact.Count,
		CompactionDebtBytes: int64(m.Compact.EstimatedDebt),
	}
}
