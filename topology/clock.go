package topology

import (
	"fmt"
	"runtime/debug"
)

// Clock is the time that drives a punctuation.
type Clock uint8

const (
	// StreamTime moves with the records of the task.
	StreamTime Clock = iota
	// WallClock moves by itself.
	WallClock
)

type punctuation struct {
	node  *node
	id    int // in order of scheduling, so that it is found again in a new instance
	every int64
	next  int64
	fn    func(now int64) error
	done  bool
}

func (in *Instance) schedule(n *node, every int64, clock Clock, fn func(int64) error) (cancel func()) {
	if every < 1 {
		panic(fmt.Sprintf("topology: %s schedules a punctuation every %d ms; at least 1 ms is needed", n.name, every))
	}
	// Stream time is aligned to 0 and so due with the first record; the wall
	// clock begins now (StreamTask#schedule).
	p := &punctuation{node: n, id: in.scheduled[clock], every: every, fn: fn}
	in.scheduled[clock]++
	if clock == WallClock {
		p.next = in.env.Now() + every
	}
	in.punctuations[clock] = append(in.punctuations[clock], p)
	return func() { p.done = true }
}

// Punctuate calls the wall-clock punctuations that are due at now, in
// milliseconds. If it fails, what the failing call had forwarded is taken back.
func (in *Instance) Punctuate(now int64) error {
	in.current = nil
	return in.fire(WallClock, now)
}

// NextPunctuation returns when the next wall-clock punctuation is due, in
// milliseconds; ok is false if there is none.
func (in *Instance) NextPunctuation() (at int64, ok bool) {
	for _, p := range in.punctuations[WallClock] {
		if !p.done && (!ok || p.next < at) {
			at, ok = p.next, true
		}
	}
	return at, ok
}

// fire calls what is due, earliest first, as PunctuationQueue does: each
// punctuation once, however many of its turns have passed.
func (in *Instance) fire(clock Clock, now int64) error {
	list := in.punctuations[clock]
	if len(list) == 0 {
		return nil
	}
	for {
		var due *punctuation
		for _, p := range list {
			if !p.done && p.next <= now && (due == nil || p.next < due.next) {
				due = p
			}
		}
		if due == nil {
			break
		}
		due.next += due.every * ((now-due.next)/due.every + 1)
		due.done = due.next <= now // beyond the end of int64: no time comes after now
		if err := in.punctuate(due, now); err != nil {
			return err
		}
		list = in.punctuations[clock]
	}
	in.punctuations[clock] = removeDone(list)
	return nil
}

// punctuate makes one call. Like a record, one that fails or panics leaves nothing behind.
func (in *Instance) punctuate(p *punctuation, now int64) (err error) {
	mark := in.mark()
	defer func() {
		if r := recover(); r != nil {
			err = &RecordError{Stage: Processing, Node: p.node.name, Stack: debug.Stack(), Err: panicked(r)}
		}
		if err != nil {
			in.rollback(mark)
		}
	}()
	if err := p.fn(now); err != nil {
		return in.failure(p.node, Processing, err)
	}
	return nil
}

func removeDone(list []*punctuation) []*punctuation {
	kept := list[:0]
	for _, p := range list {
		if !p.done {
			kept = append(kept, p)
		}
	}
	return kept
}
