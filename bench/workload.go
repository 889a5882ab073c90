package bench

import (
	"fmt"
	"strconv"
)

const (
	numberBytes     = 16 // one uint64 as hexadecimal digits
	minRecordBytes  = numberBytes
	minLatencyBytes = 2 * numberBytes
	fillerBytes     = 1 << 16
)

// Workload describes a topic's records. The same workload yields the same
// bytes in the same order, whatever the machine.
//
// A value is text: 16 hexadecimal digits of the record's sequence number
// (from 0), then printable filler. Text, so that a pipeline which parses
// values can be measured too; self-describing, so that loss and duplication
// are found record by record and not by counting.
type Workload struct {
	Records     int64  `json:"records"`      // at least 1
	RecordBytes int    `json:"record_bytes"` // length of each value, the key not included; at least 16
	Partitions  int32  `json:"partitions"`   // at least 1
	Keys        int    `json:"keys"`         // distinct keys, at least 1; a record's key is drawn by Seed
	Seed        uint64 `json:"seed"`         // any value; zero is a seed like any other
}

// Validate reports the first setting that no topic can be filled with. The
// error wraps [ErrInvalidConfig].
func (w Workload) Validate() error {
	switch {
	case w.Records < 1:
		return fmt.Errorf("%w: records is %d, must be at least 1", ErrInvalidConfig, w.Records)
	case w.RecordBytes < minRecordBytes:
		return fmt.Errorf("%w: record bytes is %d, must be at least %d to hold the sequence number",
			ErrInvalidConfig, w.RecordBytes, minRecordBytes)
	case w.Partitions < 1:
		return fmt.Errorf("%w: partitions is %d, must be at least 1", ErrInvalidConfig, w.Partitions)
	case w.Keys < 1:
		return fmt.Errorf("%w: keys is %d, must be at least 1", ErrInvalidConfig, w.Keys)
	}
	return nil
}

// recordMaker writes keys and values of a workload. Not safe for concurrent
// use; each producer goroutine has its own.
type recordMaker struct {
	keys   [][]byte
	filler []byte
	seed   uint64
}

func newRecordMaker(keys int, seed uint64) *recordMaker {
	m := &recordMaker{seed: seed, keys: make([][]byte, keys), filler: make([]byte, fillerBytes)}
	for i := range m.keys {
		m.keys[i] = fmt.Appendf(nil, "key-%08d", i)
	}
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	for i := range m.filler {
		m.filler[i] = alphabet[mix(seed^uint64(i))%uint64(len(alphabet))]
	}
	return m
}

// key returns the key of record seq. The slice is shared: read only.
func (m *recordMaker) key(seq uint64) []byte {
	return m.keys[mix(m.seed+seq)%uint64(len(m.keys))]
}

// fill writes the value of record seq over all of dst.
func (m *recordMaker) fill(dst []byte, seq uint64) {
	putNumber(dst, seq)
	rest := dst[numberBytes:]
	at := int(mix(seq) % fillerBytes)
	for len(rest) > 0 {
		n := copy(rest, m.filler[at:])
		rest, at = rest[n:], 0
	}
}

// fillTimed writes a value that also carries the intended send time in
// nanoseconds since the Unix epoch. dst is at least minLatencyBytes long.
func (m *recordMaker) fillTimed(dst []byte, seq uint64, intended int64) {
	m.fill(dst, seq)
	putNumber(dst[numberBytes:], uint64(intended))
}

func putNumber(dst []byte, n uint64) {
	const digits = "0123456789abcdef"
	for i := numberBytes - 1; i >= 0; i-- {
		dst[i] = digits[n&15]
		n >>= 4
	}
}

// number reads what putNumber wrote; ok is false for anything else.
func number(b []byte) (n uint64, ok bool) {
	if len(b) < numberBytes {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:numberBytes]), 16, 64)
	return n, err == nil
}

// mix is the finalizer of splitmix64: a cheap bijection with good bits, so
// that neither keys nor filler follow the sequence.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
