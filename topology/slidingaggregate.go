package topology

import "github.com/eosproc/eosproc/statestore"

// slidingIntake is KStreamSlidingWindowAggregate. A record updates the windows of
// its key that it is in, and makes up to three: the one that ends at it, the one
// that begins right after it, and the one that begins right after the record before it,
// whose first record it may be. What is in a new window is known from a window that
// holds the same records but the one at hand.
//
// A time before the difference has no window that ends at it; its place takes
// the window that begins at 0.
func slidingIntake[K, A any](e *windowed[K, A]) func(addition[K, A], int64) (touched bool, err error) {
	return func(a addition[K, A], now int64) (touched bool, err error) {
		t, size := a.timestamp, e.w.size
		open := func(start int64) bool { return e.w.closes(e.w.end(start)) > now }
		if !open(t) {
			return false, nil // the last window that it is in is closed
		}
		around, err := lookAround(e, &a)
		if err != nil {
			return false, err
		}
		set := func(start int64, base slidingResult[A], ts int64) error {
			if !open(start) {
				return nil
			}
			touched = true
			var old A
			if base.existed {
				old = base.value
			}
			return setWindow(e, &a, start, a.apply(base.value, base.has), ts, old, base.existed)
		}
		for _, w := range around.holding {
			if err := set(w.start, w.slidingResult, max(w.ts, t)); err != nil {
				return touched, err
			}
		}
		own := func() error { return set(max(0, t-size), around.own, max(t, around.own.ts)) }
		beforeIt := func() error {
			if around.previous < 0 || around.starts[around.previous+1] || after(around.previous+1, size) < t {
				return nil
			}
			return set(around.previous+1, slidingResult[A]{}, t)
		}
		behind := func() error {
			r := around.right
			if around.starts[t+1] || !r.has || r.ts <= t {
				return nil
			}
			touched = true
			var none A
			return setWindow(e, &a, t+1, r.value, r.ts, none, false)
		}
		steps := []func() error{beforeIt, own, behind}
		if t < size {
			steps = []func() error{behind, beforeIt, own}
		} else if around.own.existed {
			steps = []func() error{beforeIt, behind}
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return touched, err
			}
		}
		return touched, nil
	}
}

// slidingResult is the result of a window: what is known of one that is there,
// or what a new one begins with.
type slidingResult[A any] struct {
	value   A
	ts      int64
	has     bool
	existed bool
}

type slidingWindow[A any] struct {
	slidingResult[A]
	start int64
}

// surroundings are the windows of a key around a record.
type surroundings[A any] struct {
	starts map[int64]bool
	// holding are the windows that the record is in, the one that ends at it included.
	holding []slidingWindow[A]
	// own is the window that ends at the record, or what it begins with.
	own slidingResult[A]
	// right is the result of a window that has all records right after the record at hand, before that is added.
	right slidingResult[A]
	// previous is the timestamp of the record before, -1 if there is none near.
	previous int64
}

func lookAround[K, A any](e *windowed[K, A], a *addition[K, A]) (s surroundings[A], err error) {
	t, size := a.timestamp, e.w.size
	s = surroundings[A]{starts: map[int64]bool{}, previous: -1}
	var left slidingResult[A]
	for w, err := range statestore.Fetch(e.h, a.key, max(0, t-2*size), after(t, 1)) {
		if err != nil {
			return s, err
		}
		s.starts[w.Start] = true
		r := slidingResult[A]{value: w.Value, ts: w.Timestamp, has: true, existed: true}
		end := e.w.end(w.Start)
		switch {
		case t < size && w.Start == 0:
			s.own = r
			if r.ts < t {
				s.previous = r.ts
			}
		case end < t:
			left, s.previous = r, r.ts
		case end == t:
			s.own = r
			if r.ts < t {
				s.previous = r.ts
			}
			s.holding = append(s.holding, slidingWindow[A]{r, w.Start})
		case w.Start <= t:
			s.right = r
			s.holding = append(s.holding, slidingWindow[A]{r, w.Start})
		}
	}
	switch {
	case t < size:
		// Without a window that begins between the records before and the record at
		// hand, what the window at 0 holds lies behind it altogether.
		if !s.right.has && s.own.has && s.own.ts > t {
			s.right = s.own
		}
	case !s.own.existed && s.previous >= t-size:
		s.own = slidingResult[A]{value: left.value, has: left.has}
	}
	return s, nil
}
