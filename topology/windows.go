package topology

import (
	"fmt"
	"math"
	"time"
)

// Windows divides time for an aggregation. It is made by [Tumbling], [Hopping],
// [Sliding] or [Unlimited]; sessions are [Sessions]. All times are taken to the millisecond.
type Windows struct {
	kind                        windowKind
	size, advance, grace, begin int64 // ms
}

type windowKind uint8

const (
	alignedWindows windowKind = iota
	slidingWindows
	unlimitedWindow
)

// Tumbling are windows [n·size, (n+1)·size) since the Unix epoch: each record is in one.
func Tumbling(size time.Duration) Windows { return Hopping(size, size) }

// Hopping are windows of a size of which one begins at each multiple of advance
// since the Unix epoch: a record is in all of which it is not before the start and
// is before the end. advance is at most the size.
func Hopping(size, advance time.Duration) Windows {
	return Windows{kind: alignedWindows, size: size.Milliseconds(), advance: advance.Milliseconds()}
}

// Sliding are windows [t, t+difference], both ends included, that records bring
// about: one ends at each record, and one begins 1 ms after each record if there is a
// later one of its key in it. Records with a null value are dropped.
func Sliding(difference time.Duration) Windows {
	return Windows{kind: slidingWindows, size: difference.Milliseconds()}
}

// Unlimited is one window that begins at a time and does not end. Earlier records
// are in no window, and count as late.
func Unlimited(from time.Time) Windows {
	return Windows{kind: unlimitedWindow, begin: from.UnixMilli()}
}

// Grace sets for how long after a window's end records that belong to it are
// still taken in, by the stream time of the aggregation. The default is 0.
func (w Windows) Grace(d time.Duration) Windows {
	w.grace = d.Milliseconds()
	return w
}

// check returns what is wrong with the windows, for a store of the given size and retention in ms.
func (w Windows) check(size, retention int64, final bool) error {
	switch {
	case w.kind == unlimitedWindow && final:
		return fmt.Errorf("an unlimited window has no final result")
	case w.kind == unlimitedWindow && w.begin < 0:
		return fmt.Errorf("windows from %d ms on: they begin at 0 or later", w.begin)
	case w.grace < 0:
		return fmt.Errorf("a grace of %d ms", w.grace)
	case w.kind == unlimitedWindow:
		return nil
	case w.size < 1:
		return fmt.Errorf("windows of %d ms: at least 1 ms is needed", w.size)
	case w.kind == alignedWindows && (w.advance < 1 || w.advance > w.size):
		return fmt.Errorf("windows of %d ms that advance by %d ms: from 1 ms up to the size is possible", w.size, w.advance)
	case size != w.size:
		return fmt.Errorf("windows of %d ms, a store for windows of %d ms", w.size, size)
	case retention < w.needs():
		return fmt.Errorf("the store keeps windows for %d ms, %d ms are needed", retention, w.needs())
	}
	return nil
}

// needs returns how long, in ms, a store has to keep a window from its start.
func (w Windows) needs() int64 {
	if w.kind == slidingWindows {
		// A late record is told from the windows of up to twice the difference before
		// it; and a window may begin 1 ms after the stream time.
		return 2*w.size + w.grace + 2
	}
	return w.size + w.grace
}

// closes returns the first stream time at which a window of the given end has
// its final result.
func (w Windows) closes(end int64) int64 {
	if w.kind == slidingWindows {
		return after(end, w.grace+1)
	}
	return after(end, w.grace)
}

// end returns the end of the window that begins at start.
func (w Windows) end(start int64) int64 {
	if w.kind == unlimitedWindow {
		return math.MaxInt64
	}
	return after(start, w.size)
}

// after adds a span to a time, up to the last one there is.
func after(t, span int64) int64 {
	if t > math.MaxInt64-span {
		return math.MaxInt64
	}
	return t + span
}

// first returns the start of the first window that a time is in; the others
// follow by the advance.
func (w Windows) first(t int64) int64 {
	return max(0, t-w.size+w.advance) / w.advance * w.advance
}

// Sessions divides time, for each key, into sessions: records of which each is
// at most the gap apart from the next. It is made by [SessionWindows].
type Sessions struct{ gap, grace int64 } // ms

// SessionWindows are sessions that end when there is no record of the key for
// longer than gap. A session's window begins at its first and ends at its last
// record, both included. The gap is taken to the millisecond.
func SessionWindows(gap time.Duration) Sessions { return Sessions{gap: gap.Milliseconds()} }

// Grace sets for how long after gap has passed records that extend a session are
// still taken in, by the stream time of the aggregation. The default is 0.
func (s Sessions) Grace(d time.Duration) Sessions {
	s.grace = d.Milliseconds()
	return s
}

func (s Sessions) check(retention int64) error {
	switch {
	case s.gap < 0 || s.grace < 0:
		return fmt.Errorf("sessions with a gap of %d ms and a grace of %d ms", s.gap, s.grace)
	case retention <= s.gap+s.grace:
		return fmt.Errorf("the store keeps sessions for %d ms, %d ms are needed", retention, s.gap+s.grace+1)
	}
	return nil
}

// EmitFinal makes a windowed aggregation pass on one result of each window, when
// it is closed, instead of each update (EmitStrategy.onWindowClose of Kafka
// Streams). A window closes with a record that brings the stream time of the
// aggregation beyond its end and grace. Which windows are still to come out is kept
// in a second store, <store>-open.
func EmitFinal() Option { return func(o *options) { o.final = true } }
