package statestore

// sweeper has expired entries removed a little at a time, for stores whose keys
// are not in the order of time. At each 256th put the store looks at about 1,024
// entries more, so a store that is written to is gone through once in N/4 puts.
// Kafka's way, to keep old versions in segments of their own, was rejected: one
// version would then be two entries, and restoring a record a read and two writes.
type sweeper struct {
	puts int
	next []byte // where the next sweep begins, nil at the beginning
}

const (
	sweepEvery = 256
	sweepSize  = 4 * sweepEvery
)

// due counts a put and reports whether it is time for a sweep.
func (s *sweeper) due() bool {
	s.puts++
	return s.puts%sweepEvery == 0
}
