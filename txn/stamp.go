package txn

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
)

// Offset is the position of one input partition after a commit.
type Offset struct {
	Topic     string
	Partition int32
	// Next is the offset of the first record that is not covered.
	Next int64
	// LeaderEpoch of the last record that is covered; -1 if unknown.
	LeaderEpoch int32
	// StreamTime is the task's stream time in milliseconds; -1 if there is none yet.
	StreamTime int64
}

// Incarnation names one run of one worker. Together with the number of a
// commit it makes a stamp that no other commit has.
type Incarnation [8]byte

func newIncarnation() (in Incarnation) {
	// crypto/rand.Read never fails since Go 1.24: it would end the program.
	_, _ = rand.Read(in[:])
	return in
}

// Stamp is the metadata of a committed offset. It begins like the metadata of
// Kafka Streams (TopicPartitionMetadata, version 1: the partition's time), so
// that either can read the other's stream time; what follows tells commits apart.
type Stamp struct {
	StreamTime  int64
	Incarnation Incarnation
	Commit      uint64
}

const (
	stampVersion = 1
	stampSize    = 1 + 8 + 8 + 8
)

// Encode returns the metadata string.
func (s Stamp) Encode() string {
	var b [stampSize]byte
	b[0] = stampVersion
	binary.BigEndian.PutUint64(b[1:], uint64(s.StreamTime))
	copy(b[9:], s.Incarnation[:])
	binary.BigEndian.PutUint64(b[17:], s.Commit)
	return base64.StdEncoding.EncodeToString(b[:])
}

// DecodeStamp reads the metadata of a committed offset. ok is false if it was
// not written by eosproc or Kafka Streams; of the latter's only StreamTime is set.
func DecodeStamp(metadata string) (s Stamp, ok bool) {
	b, err := base64.StdEncoding.DecodeString(metadata)
	if err != nil || len(b) < 9 || b[0] < 1 || b[0] > 2 {
		return Stamp{StreamTime: -1}, false
	}
	s.StreamTime = int64(binary.BigEndian.Uint64(b[1:]))
	if b[0] == stampVersion && len(b) == stampSize {
		copy(s.Incarnation[:], b[9:])
		s.Commit = binary.BigEndian.Uint64(b[17:])
	}
	return s, true
}

func (s Stamp) sameCommit(o Stamp) bool {
	return s.Incarnation == o.Incarnation && s.Commit == o.Commit
}
