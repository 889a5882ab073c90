//go:build linux

package faulttest

import (
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// fate is what becomes of the transaction in which an input record is written.
type fate byte

const (
	lives fate = 'c' // written without a transaction, or in one that commits
	dies  fate = 'a' // in a transaction that aborts
)

// uid names an input record.
type uid struct {
	run       string
	partition int32
	seq       int64
	fate      fate
}

func (u uid) String() string {
	return fmt.Sprintf("%s/%d/%d/%c", u.run, u.partition, u.seq, u.fate)
}

// value is the record's content: its name and a checksum of it.
func (u uid) value() []byte {
	s := u.String()
	return fmt.Appendf(nil, "%s/%08x", s, crc32.ChecksumIEEE([]byte(s)))
}

var errForeignValue = errors.New("not a value of the generator")

func parseValue(value []byte) (uid, error) {
	s := string(value)
	cut := strings.LastIndexByte(s, '/')
	if cut < 0 || fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(s[:cut]))) != s[cut+1:] {
		return uid{}, fmt.Errorf("%q: %w", s, errForeignValue)
	}
	parts := strings.Split(s[:cut], "/")
	if len(parts) != 4 || len(parts[3]) != 1 {
		return uid{}, fmt.Errorf("%q: %w", s, errForeignValue)
	}
	p, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil {
		return uid{}, fmt.Errorf("%q: %w", s, errForeignValue)
	}
	seq, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return uid{}, fmt.Errorf("%q: %w", s, errForeignValue)
	}
	return uid{parts[0], int32(p), seq, fate(parts[3][0])}, nil
}

// route is where a record is expected.
type route int

const (
	toOutput route = iota
	toDeadLetters
	filtered
)

// routed says what the topology does with a record.
func (u uid) routed(topology string) route {
	switch topology {
	case topologyCopy:
		return toOutput
	case topologySparse:
		if u.seq/chunkRecords%20 == 0 {
			return toOutput
		}
		return filtered
	}
	switch u.seq % 10 {
	case 3:
		return filtered
	case 7:
		return toDeadLetters
	default:
		return toOutput
	}
}
