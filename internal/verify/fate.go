package verify

import "encoding/binary"

// fateTracker finds out from the markers in a partition's log which records
// were aborted and which committed. It is independent of the list of aborted
// transactions that the broker adds to a fetch, which is what consumers trust.
type fateTracker struct {
	open map[int64][]span // by producer id: the rows of its current transaction
}

// span is a run of rows of one producer.
type span struct{ from, to int }

// data notes that row belongs to the current transaction of producer.
func (f *fateTracker) data(producer int64, row int) {
	spans := f.open[producer]
	if n := len(spans); n > 0 && spans[n-1].to == row {
		spans[n-1].to++
		return
	}
	if f.open == nil {
		f.open = make(map[int64][]span)
	}
	f.open[producer] = append(spans, span{row, row + 1})
}

// marker ends the current transaction of producer and marks its rows in log. A
// marker for a producer without rows is usual: its records are before the start,
// in other partitions, or compacted away.
func (f *fateTracker) marker(log *partitionLog, producer int64, key []byte) {
	if len(key) < 4 {
		return
	}
	var fate flags
	switch binary.BigEndian.Uint16(key[2:]) {
	case 0:
		fate = aborted
	case 1:
		fate = committed
	default:
		return // other control records (leader change, snapshots) end no transaction
	}
	for _, s := range f.open[producer] {
		log.mark(s.from, s.to, fate)
	}
	delete(f.open, producer)
}
