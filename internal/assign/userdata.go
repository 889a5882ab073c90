package assign

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// userData is the part of a member's metadata that the consumer protocol leaves
// to the assignor:
//
//	version     1 byte   1
//	readable    1 byte   the oldest version whose readers understand it
//	topology    8 bytes  hash of the sub-topologies, big endian
//	process     bytes
//	groups      count, then for each subscribed topic, in sorted order, its group's number from 1 on or 0
//	remembered  count, then for each topic its name (bytes), a count, and the partitions
//
// Counts, lengths and numbers are unsigned varints; bytes have a length in front.
// A later version may add fields at the end and be readable by version 1.
type userData struct {
	topology   uint64
	process    string
	groups     []int
	remembered map[string][]int32
}

const userDataVersion = 1

var (
	// errNewerUserData means that a newer version of eosproc wrote it.
	errNewerUserData = errors.New("written by a newer version")
	errShortUserData = errors.New("cut short")
	errUserDataRange = errors.New("number out of range")
)

func (u *userData) append(b []byte) []byte {
	b = append(b, userDataVersion, userDataVersion)
	b = binary.BigEndian.AppendUint64(b, u.topology)
	b = appendString(b, u.process)
	b = binary.AppendUvarint(b, uint64(len(u.groups)))
	for _, g := range u.groups {
		b = binary.AppendUvarint(b, uint64(g))
	}
	b = binary.AppendUvarint(b, uint64(len(u.remembered)))
	for _, topic := range slices.Sorted(maps.Keys(u.remembered)) {
		b = appendString(b, topic)
		b = binary.AppendUvarint(b, uint64(len(u.remembered[topic])))
		for _, p := range u.remembered[topic] {
			b = binary.AppendUvarint(b, uint64(p))
		}
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func parseUserData(b []byte) (userData, error) {
	if len(b) < 2 {
		return userData{}, errShortUserData
	}
	if b[1] > userDataVersion {
		return userData{}, fmt.Errorf("%w: %d", errNewerUserData, b[0])
	}
	r := reader{b: b[2:]}
	u := userData{topology: r.uint64(), process: r.string()}
	if n := r.count(); n > 0 {
		u.groups = make([]int, n)
		for i := range u.groups {
			u.groups[i] = int(r.number())
		}
	}
	if n := r.count(); n > 0 {
		u.remembered = map[string][]int32{}
		for range n {
			topic := r.string()
			list := make([]int32, r.count())
			for i := range list {
				list[i] = r.number()
			}
			u.remembered[topic] = list
		}
	}
	if r.err != nil {
		return userData{}, r.err
	}
	return u, nil
}

// reader keeps the first error; what it returns after it is zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

func (r *reader) uint64() uint64 {
	if len(r.b) < 8 {
		r.fail(errShortUserData)
		return 0
	}
	v := binary.BigEndian.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

func (r *reader) number() int32 {
	v, n := binary.Uvarint(r.b)
	switch {
	case n == 0:
		r.fail(errShortUserData)
		return 0
	case n < 0 || v > math.MaxInt32:
		r.fail(errUserDataRange)
		return 0
	}
	r.b = r.b[n:]
	return int32(v)
}

// count reads the length of something whose elements take a byte or more each,
// so that a wrong one does not allocate more than the input is long.
func (r *reader) count() int {
	n := int(r.number())
	if n > len(r.b) {
		r.fail(errShortUserData)
		return 0
	}
	return n
}

func (r *reader) string() string {
	n := r.count()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}
