package topology

import (
	"encoding/binary"
	"math"

	"github.com/eosproc/eosproc/statestore"
)

// The sides of a join of streams, in the order in which their unmatched records come out.
const (
	rightSide = iota
	leftSide
)

// unmatched holds the records of outer sides that have met none, by timestamp,
// side, key and arrival: an entry's key is the timestamp (8 bytes, big endian), the
// side (1 byte), the key, and a number that tells apart what is equal in all three (4 bytes).
type unmatched struct {
	entries *statestore.KVHandle[[]byte, []byte]
	next    *localTime // no window in the store ends before it
	grace   int64      // ms
	sides   [2]waitingSide
}

type waitingSide struct {
	after int64 // how far behind the timestamp the window ends, in ms
	emit  func(key, value []byte, ts int64) error
}

const unmatchedHead = 9

func (u *unmatched) place(side int, key []byte, ts int64) []byte {
	p := binary.BigEndian.AppendUint64(make([]byte, 0, unmatchedHead+len(key)+4), uint64(ts))
	return append(append(append(p, byte(side)), key...), 0, 0, 0, 0)
}

// add lets a record wait.
func (u *unmatched) add(side int, key []byte, ts int64, value []byte) error {
	p := u.place(side, key, ts)
	for number := uint32(0); ; number++ {
		binary.BigEndian.PutUint32(p[len(p)-4:], number)
		_, taken, err := u.entries.Get(p)
		if err != nil {
			return err
		}
		if !taken {
			u.next.now = min(u.next.now, ts+u.sides[side].after)
			return u.entries.Put(p, value)
		}
	}
}

// remove ends the wait of all records with a key and a timestamp.
func (u *unmatched) remove(side int, key []byte, ts int64) error {
	p := u.place(side, key, ts)
	for number := uint32(0); ; number++ {
		binary.BigEndian.PutUint32(p[len(p)-4:], number)
		_, waits, err := u.entries.Get(p)
		if err != nil || !waits {
			return err
		}
		if err := u.entries.Delete(p); err != nil {
			return err
		}
	}
}

// due lets the records come out whose window and grace are over.
func (u *unmatched) due(now int64) error {
	over := func(end int64) bool { return end+u.grace < now }
	if !over(u.next.now) {
		return nil
	}
	var out []statestore.Entry[[]byte, []byte]
	bound := int64(math.MaxInt64) - u.grace
	nearest := min(u.sides[leftSide].after, u.sides[rightSide].after)
	for e, err := range statestore.All(u.entries) {
		if err != nil {
			return err
		}
		ts := int64(binary.BigEndian.Uint64(e.Key))
		if !over(ts + nearest) {
			bound = min(bound, ts+nearest)
			break
		}
		if end := ts + u.sides[e.Key[8]].after; !over(end) {
			bound = min(bound, end)
			continue
		}
		if err := u.entries.Delete(e.Key); err != nil {
			return err
		}
		out = append(out, e)
	}
	u.next.now = bound
	for _, e := range out {
		ts := int64(binary.BigEndian.Uint64(e.Key))
		if err := u.sides[e.Key[8]].emit(e.Key[unmatchedHead:len(e.Key)-4], e.Value, ts); err != nil {
			return err
		}
	}
	return nil
}
