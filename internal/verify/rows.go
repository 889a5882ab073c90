package verify

// chunkRows is the number of rows of a chunk. Chunks of a fixed size make a row's
// number (chunk × chunkRows + index) an address, without copying on growth.
const (
	chunkShift = 12
	chunkRows  = 1 << chunkShift
)

// flags is what is known of one row.
type flags uint8

const (
	shown      flags = 1 << iota // a read_committed consumer sees it
	aborted                      // an abort marker ends its transaction
	committed                    // a commit marker ends its transaction
	undecided                    // read at or above the last stable offset
	filtered                     // left out by the Identify function
	unknown                      // has no identity
	contentful                   // the chunk holds its content hash
)

// chunk is a column store of up to chunkRows records of one partition, without
// pointers inside, so that the collector does not scan it.
type chunk struct {
	log     *partitionLog
	base    int64 // offset of the first row
	n       int
	id      [chunkRows][2]uint64
	offset  [chunkRows]uint32 // relative to base
	flags   [chunkRows]flags
	key     *[chunkRows]uint64 // hash of the key, 0 for none; outputs only
	content *[chunkRows]uint64 // hash of key and value; only if compared
}

// partitionLog is what was read of one partition. One goroutine at a time uses it.
type partitionLog struct {
	side      Side
	topic     string
	partition int32
	chunks    []*chunk
	rows      int

	start, position   int64
	stable, high      int64 // the latest last stable offset and high watermark seen
	required, allowed int64 // inputs below required must, at or above allowed must not be in the output
	markers           int64
	fate              fateTracker
}

// row is one record as it is stored.
type row struct {
	id           [2]uint64
	key, content uint64
	flags        flags
}

// add appends a row and returns its index within the log.
func (l *partitionLog) add(offset int64, r row) int {
	var last *chunk
	if len(l.chunks) > 0 {
		last = l.chunks[len(l.chunks)-1]
	}
	// A chunk ends early where a gap in the offsets exceeds the column's width.
	// Its unused rows stay unused, which keeps row numbers computable.
	if last == nil || last.n == chunkRows || offset-last.base > 1<<32-1 {
		last = &chunk{log: l, base: offset}
		if l.side == Output {
			last.key = new([chunkRows]uint64)
		}
		if r.flags&contentful != 0 {
			last.content = new([chunkRows]uint64)
		}
		l.chunks = append(l.chunks, last)
	}
	i := last.n
	last.n++
	last.id[i], last.offset[i], last.flags[i] = r.id, uint32(offset-last.base), r.flags
	if last.key != nil {
		last.key[i] = r.key
	}
	if last.content != nil {
		last.content[i] = r.content
	}
	l.rows++
	return (len(l.chunks)-1)<<chunkShift | i
}

// mark sets flags on the rows from and up to, not including, to. The numbers are
// those that add returned.
func (l *partitionLog) mark(from, to int, set flags) {
	for i := from; i < to; i++ {
		c := l.chunks[i>>chunkShift]
		if at := i & (chunkRows - 1); at < c.n {
			c.flags[at] |= set
		}
	}
}

func (c *chunk) at(i int) *Position {
	return &Position{Topic: c.log.topic, Partition: c.log.partition, Offset: c.base + int64(c.offset[i])}
}

// table numbers the rows of several logs in one sequence: log by log, each in
// the order of its offsets.
type table struct {
	logs   []*partitionLog
	chunks []*chunk
	of     []int32 // chunk → index of its log
	first  []int   // log → index of its first chunk
}

func newTable(logs []*partitionLog) *table {
	t := &table{logs: logs}
	for i, log := range logs {
		t.first = append(t.first, len(t.chunks))
		for _, c := range log.chunks {
			t.chunks = append(t.chunks, c)
			t.of = append(t.of, int32(i))
		}
	}
	return t
}

// size is one more than the highest row number.
func (t *table) size() int { return len(t.chunks) << chunkShift }

// get returns the chunk of row n and the index in it.
func (t *table) get(n uint32) (*chunk, int) { return t.chunks[n>>chunkShift], int(n & (chunkRows - 1)) }

func (t *table) at(n uint32) *Position {
	c, i := t.get(n)
	return c.at(i)
}

func (t *table) logOf(n uint32) int32 { return t.of[n>>chunkShift] }
