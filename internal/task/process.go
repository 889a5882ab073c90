package task

import (
	"errors"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

// Emit takes the outputs of one record, whose origin is in; the slice is valid
// during the call only.
type Emit func(in *Input, offset int64, outputs []topology.Output) error

// Process takes up to limit records through the operators, lowest head
// timestamp first. It returns how many are done; fewer than limit means that
// the task has to wait for input, or for the time of a retry. An error is a record that
// failed and whose handler says so, or an error of emit.
func (t *Task) Process(limit int, emit Emit) (done int, err error) {
	defer func() { t.stalled = done == 0 && t.Buffered() > 0 }()
	if !t.retryAt.IsZero() && t.cfg.Now().Before(t.retryAt) {
		return 0, nil
	}
	for done < limit {
		q, err := t.choose()
		if err != nil || q == nil {
			return done, err
		}
		waits, err := t.one(q, emit)
		if err != nil || waits {
			return done, err
		}
		done++
	}
	return done, nil
}

// one takes the head of a queue through the operators; waits is true if it is to be tried again later.
func (t *Task) one(q *queue, emit Emit) (waits bool, err error) {
	r := q.peek()
	if err = q.headErr; err == nil {
		err = q.refused[r.Offset]
	}
	taken := err == nil
	if taken {
		err = t.in.Process(q.source, r)
	}
	outputs := t.in.Outputs()
	if err = t.punctuationFailed(err); err == nil {
		err = t.checkSizes(r, outputs)
	}
	if err != nil {
		if outputs, waits, err = t.failed(r, err); waits || err != nil {
			t.retrying = q
			return waits, err
		}
	}
	t.settled()
	if len(outputs) > 0 {
		if err := emit(q.input, r.Offset, outputs); err != nil {
			return false, err
		}
	}
	if taken {
		q.time = max(q.time, r.Timestamp)
	}
	q.pop()
	return false, nil
}

// settled forgets the failures of the record at hand.
func (t *Task) settled() {
	t.attempts, t.retryAt, t.retrying = 0, time.Time{}, nil
	t.outages, t.unavailableSince = 0, time.Time{}
}

// choose returns the queue whose head is to be processed next; nil if the task
// has to wait.
func (t *Task) choose() (*queue, error) {
	t.idleUntil = time.Time{}
	if t.retrying != nil {
		// A record that arrived meanwhile must not use up the other's attempts.
		return t.retrying, nil
	}
	if len(t.queues) == 1 {
		q := t.queues[0]
		if q.count == 0 {
			return nil, nil
		}
		if waits, err := t.settle(q); waits || err != nil || q.count == 0 {
			return nil, err
		}
		return q, nil
	}
	var best *queue
	for _, q := range t.queues {
		if q.count > 0 {
			if waits, err := t.settle(q); waits || err != nil {
				return nil, err
			}
		}
		if q.count == 0 {
			continue
		}
		// Equal timestamps: topic and partition decide, so that the choice can be repeated.
		if best == nil || q.headTime < best.headTime {
			best = q
		}
	}
	if best != nil && !t.mayGoOn() {
		return nil, nil
	}
	return best, nil
}

// settle gives the head of a queue its timestamp; heads that are to be skipped are
// dropped. waits is true if it has to be tried again later.
func (t *Task) settle(q *queue) (waits bool, _ error) {
	for q.count > 0 && !q.ready {
		r := q.peek()
		ts, take := r.Timestamp, true
		var err error
		if q.source.Timestamp != nil {
			ts, take, err = q.source.Timestamp(r, q.time)
		} else if ts < 0 {
			err = invalidTimestamp(r)
		}
		switch {
		case errors.Is(err, codec.ErrUnavailable):
			return true, t.unavailable(err)
		case err != nil:
			// The failure belongs to the record's turn: it must not stop the
			// other inputs, nor come before records that are older.
			q.headErr, q.headTime = err, max(q.time, 0)
		case !take:
			t.cfg.Observe.Dropped(t.id, topology.DropInvalidTimestamp)
			t.settled()
			q.pop()
			continue
		default:
			r.Timestamp, q.headTime = ts, ts
		}
		q.ready = true
	}
	return false, nil
}

// mayGoOn says whether a task with several inputs may process although some are
// empty, as PartitionGroup#readyToProcess does.
func (t *Task) mayGoOn() bool {
	if t.cfg.MaxIdle < 0 {
		return true
	}
	now := t.cfg.Now()
	for _, q := range t.queues {
		if q.count > 0 {
			q.idleSince = time.Time{}
			continue
		}
		if q.end < 0 || q.fetched < q.end {
			q.idleSince = time.Time{}
			return false
		}
		if q.idleSince.IsZero() {
			q.idleSince = now
		}
		if until := q.idleSince.Add(t.cfg.MaxIdle); now.Before(until) {
			t.idleUntil = until
			return false
		}
	}
	return true
}

// Punctuate calls the wall-clock punctuations that are due.
func (t *Task) Punctuate(emit Emit) error {
	err := t.punctuationFailed(t.in.Punctuate(t.cfg.Now().UnixMilli()))
	outputs := t.in.Outputs()
	if err == nil && len(outputs) > 0 {
		err = emit(nil, -1, outputs)
	}
	return err
}

// WakeAt returns when the task has something to do without new input: a
// punctuation, a retry, the end of an idle wait. ok is false if never.
func (t *Task) WakeAt() (at time.Time, ok bool) {
	earlier := func(x time.Time) {
		if !ok || x.Before(at) {
			at, ok = x, true
		}
	}
	if ms, due := t.in.NextPunctuation(); due {
		earlier(time.UnixMilli(ms))
	}
	if !t.retryAt.IsZero() {
		earlier(t.retryAt)
	}
	if !t.idleUntil.IsZero() {
		earlier(t.idleUntil)
	}
	return at, ok
}

// Stalled reports whether the last call of [Task.Process] could do nothing
// although records waited.
func (t *Task) Stalled() bool { return t.stalled }

// CommitRequested reports whether a processor has asked for a commit since the last call.
func (t *Task) CommitRequested() bool { return t.in.CommitRequested() }

// Buffered returns the number of records that wait in all queues.
func (t *Task) Buffered() int {
	n := 0
	for _, q := range t.queues {
		n += q.count
	}
	return n
}
