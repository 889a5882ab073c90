package pebblestore

import (
	"encoding/binary"
	"sync"
)

// prefixLen is the length of task and store numbers in a key.
const prefixLen = 6

// The kinds of a task's own entries.
const (
	positionKey  = 0
	storeNameKey = 1
)

func appendPrefix(b []byte, task uint32, store uint16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(b, task), store)
}

func appendKey(b []byte, task uint32, store uint16, key []byte) []byte {
	return append(appendPrefix(b, task, store), key...)
}

// bounds returns the range of Pebble's keys for [from, to) of a store. The last
// task number is never given away, so there is always a next prefix.
func bounds(task uint32, store uint16, from, to []byte) (lower, upper []byte) {
	lower = appendKey(nil, task, store, from)
	if to != nil {
		return lower, appendKey(nil, task, store, to)
	}
	return lower, after(lower[:prefixLen])
}

// after returns the prefix that follows.
func after(prefix []byte) []byte {
	n := uint64(binary.BigEndian.Uint32(prefix))<<16 | uint64(binary.BigEndian.Uint16(prefix[4:]))
	n++
	return appendPrefix(nil, uint32(n>>16), uint16(n))
}

// keyBuffers spare point lookups an allocation. A task has none of its own, since
// several goroutines may read.
var keyBuffers = sync.Pool{New: func() any { return new([]byte) }}
