package statestore

import (
	"encoding/binary"
	"fmt"
	"iter"
	"time"
)

// segments divides time as Kafka's segmented stores do, so that what has expired
// is dropped as a whole range of keys.
type segments struct{ retention, interval int64 } // ms

const minSegmentInterval = 60_000 // ms, as Kafka's Stores.persistentWindowStore

func newSegments(retention time.Duration) segments {
	r := retention.Milliseconds()
	return segments{retention: r, interval: max(r/2, minSegmentInterval)}
}

// appendSegment appends the prefix of the keys of the segment that a time is in.
func (s segments) appendSegment(dst []byte, t int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(t/s.interval))
}

// earliest returns the first time that has not expired. Kafka's persistent stores
// accept what expired for as long as its segment lives, and its in-memory ones do
// not; here what can be put and what can be read are the same.
func (s segments) earliest(observed int64) int64 { return max(0, observed-s.retention+1) }

const segmentPrefix = 8 // bytes

// segmented is what window and session stores have in common: entries that
// have a time, by which their keys begin with a segment.
type segmented struct {
	segments
	bytes  *Bytes
	timeOf func(key []byte) (int64, error)
}

func (s *segmented) observedTime() (int64, error) { return s.bytes.observedTime(s.recovered) }

// recovered looks through the newest segment.
func (s *segmented) recovered(b *Bytes) (int64, error) {
	newest := int64(-1)
	var prefix []byte
	for p, err := range b.Scan(nil, nil, true) {
		if err != nil {
			return 0, err
		}
		t, err := s.timeOf(p.Key)
		if err != nil {
			return 0, err
		}
		if prefix == nil {
			prefix = p.Key[:segmentPrefix]
		} else if string(p.Key[:segmentPrefix]) != string(prefix) {
			break
		}
		newest = max(newest, t)
	}
	return newest, nil
}

// earliest returns the first time that has not expired.
func (s *segmented) earliest() (int64, error) {
	observed, err := s.observedTime()
	return s.segments.earliest(observed), err
}

// advance notes that something is put at a time, and drops the segments that
// expire thereby. It returns false if the time itself has expired.
func (s *segmented) advance(t int64) (kept bool, err error) {
	observed, err := s.observedTime()
	if err != nil {
		return false, err
	}
	before, now := s.segments.earliest(observed), s.segments.earliest(max(observed, t))
	if t < now {
		return false, nil
	}
	s.bytes.observe(t)
	if before/s.interval < now/s.interval {
		err = s.bytes.Drop(nil, s.appendSegment(nil, now))
	}
	return true, err
}

// perSegment scans segment by segment what has times in [from, to] and has not
// expired. bounds is given the first and the last such time of a segment, and
// returns the keys to scan in it.
func (s *segmented) perSegment(from, to int64, reverse bool, bounds func(first, last int64) (lo, hi []byte)) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		observed, err := s.observedTime()
		if err != nil {
			yield(Pair{}, err)
			return
		}
		from, to := max(from, s.segments.earliest(observed)), min(to, observed)
		if from > to {
			return
		}
		begin, end, step := from/s.interval, to/s.interval, int64(1)
		if reverse {
			begin, end, step = end, begin, -1
		}
		for seg := begin; seg != end+step; seg += step {
			first, last := max(from, seg*s.interval), to
			if to/s.interval > seg {
				last = (seg+1)*s.interval - 1
			}
			lo, hi := bounds(first, last)
			for p, err := range s.bytes.Scan(lo, hi, reverse) {
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// whole scans all that has times in [from, to] and has not expired.
func (s *segmented) whole(from, to int64) iter.Seq2[Pair, error] {
	var first, last int64
	bounds := func(f, l int64) (lo, hi []byte) {
		first, last = f, l
		lo = s.appendSegment(nil, f)
		return lo, prefixEnd(lo)
	}
	return func(yield func(Pair, error) bool) {
		for p, err := range s.perSegment(from, to, false, bounds) {
			if err == nil {
				var t int64
				if t, err = s.timeOf(p.Key); err == nil && (t < first || t > last) {
					continue
				}
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// cutSegment removes the segment from a key.
func cutSegment(key []byte) ([]byte, error) {
	if len(key) < segmentPrefix {
		return nil, fmt.Errorf("%w: key of %d bytes has no segment", ErrCorrupt, len(key))
	}
	return key[segmentPrefix:], nil
}
