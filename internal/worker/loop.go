package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/failpoint"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/txn"
)

// chunk is how many records of a task are processed before the loop looks at
// what else has happened.
const chunk = 500

// loop is the worker's life: events, processing, commit, waiting.
func (w *Worker) loop(graceful, abort context.Context) error {
	for {
		if abort.Err() != nil {
			return ErrAborted
		}
		worked, err := w.process()
		if err != nil {
			return err
		}
		if graceful.Err() != nil {
			return w.finish(abort)
		}
		if err := w.commitIfDue(); err != nil {
			return err
		}
		if w.wantsRecords() {
			w.poller.start()
		}
		if err := w.wait(graceful, abort, worked); err != nil {
			return err
		}
	}
}

// wait takes one event; it returns at once if there is none and more records wait.
func (w *Worker) wait(graceful, abort context.Context, more bool) error {
	var expired <-chan time.Time
	if !more {
		at, ok := w.wakeAt()
		if ok {
			timer := time.NewTimer(time.Until(at))
			defer timer.Stop()
			expired = timer.C
		}
		w.clock.lap(w, Idle)
	}
	var ready chan struct{}
	if more {
		ready = closed
	}
	// Events other than ready have a select of their own first, or a worker with
	// work to do would see them only by chance.
	select {
	case e := <-w.member.events:
		return w.regroup(e)
	case a := <-w.session.Answers():
		return w.took(w.session.Take(a))
	case f := <-w.poller.fetched:
		w.poller.took()
		return w.ingest(f)
	default:
	}
	select {
	case e := <-w.member.events:
		return w.regroup(e)
	case a := <-w.session.Answers():
		return w.took(w.session.Take(a))
	case f := <-w.poller.fetched:
		w.poller.took()
		return w.ingest(f)
	case <-expired:
	case <-w.nudge:
	case <-ready:
	case <-graceful.Done():
	case <-abort.Done():
		return ErrAborted
	}
	return nil
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// process lets every task take some records. It reports whether any did.
func (w *Worker) process() (worked bool, err error) {
	if w.paused.Load() || !w.mayProcess() {
		return false, nil
	}
	w.clock.lap(w, Idle)
	if w.emitter.loose {
		if err := w.commitAhead(); err != nil {
			return false, err
		}
	}
	for _, t := range w.tasks.all() {
		n, err := t.Process(w.chunk(), w.emitter.emit)
		if n > 0 {
			worked = true
			w.commit.processed += n
			w.observe.Processed(t.ID(), n)
		}
		if err == nil {
			err = w.punctuate(t)
		}
		if err != nil {
			return worked, fmt.Errorf("task %s: %w", t.ID(), err)
		}
		if t.CommitRequested() {
			w.commit.requested = true
		}
		if w.full() || w.cornered() {
			break
		}
	}
	w.clock.lap(w, Processing)
	if records, _, _ := w.session.Open(); records > 0 {
		failpoint.Pass(failpoint.Processed)
	}
	return worked, nil
}

func (w *Worker) punctuate(t *task.Task) error {
	at, ok := t.WakeAt()
	if !ok || time.Now().Before(at) {
		return nil
	}
	return t.Punctuate(w.emitter.emit)
}

// mayProcess says whether what is processed now could be committed later.
func (w *Worker) mayProcess() bool {
	return w.session.CanProcess() && !w.full() && !w.cornered() && !w.isStuck()
}

// full reports whether the open transaction has reached a cap; it must be sealed
// before more is processed, or, if its records are held, be released.
func (w *Worker) full() bool {
	if w.session.Held() > heldRecords {
		return true
	}
	records, bytes, _ := w.session.Open()
	t := &w.cfg.Settings.Transaction
	return records > int64(t.MaxRecords) || bytes > t.MaxBytes
}

// isStuck reports whether nothing that is processed now could be committed: the
// group has refused this member and the client has not noticed yet, or the client
// is on its way back into the group as another member.
func (w *Worker) isStuck() bool {
	now := w.member.token()
	if w.isEstranged(now) {
		return true
	}
	if !w.stuck.Valid() {
		return false
	}
	if w.stuck.SameMembership(now) {
		return true
	}
	w.stuck.Generation = -1
	return false
}

// isEstranged reports whether the client has another member id than the one to
// which the partitions were assigned. The group has then removed that member, and
// others may have had its partitions in between: what was processed as the old
// member must not be committed as the new one.
func (w *Worker) isEstranged(now fencing.Token) bool {
	return w.memberID != "" && now.MemberID != w.memberID
}

// wantsRecords applies back-pressure: no more is polled while enough waits. A
// partition that fills up while its task is stalled, by an empty input or by a
// record that is to be tried again, is paused by itself and does not count.
// Others are not paused: the client would throw away what it has fetched of them.
func (w *Worker) wantsRecords() bool {
	if w.paused.Load() {
		return false
	}
	limit := w.cfg.Settings.Tasks.BufferedRecords
	waiting, inputs := 0, 0
	for _, t := range w.tasks.all() {
		for _, in := range t.Inputs() {
			inputs++
			if !t.Stalled() {
				waiting += in.Buffered()
			}
			w.throttle(in, t.Stalled(), limit)
		}
	}
	return waiting <= limit*max(inputs, 1)/2
}

func (w *Worker) throttle(in *task.Input, stalled bool, limit int) {
	full := stalled && in.Buffered() > limit
	if full == in.Paused || !full && in.Buffered() > limit/2 {
		return
	}
	in.Paused = full
	partition := map[string][]int32{in.Topic(): {in.Partition()}}
	if full {
		w.member.client.PauseFetchPartitions(partition)
	} else {
		w.member.client.ResumeFetchPartitions(partition)
	}
}

// ingest puts fetched records into the queues of their tasks.
func (w *Worker) ingest(fetches kgo.Fetches) (err error) {
	for _, f := range fetches {
		for i := range f.Topics {
			topic := &f.Topics[i]
			for j := range topic.Partitions {
				p := &topic.Partitions[j]
				if p.Err != nil {
					err = errors.Join(err, w.fetchError(topic.Topic, p.Partition, p.Err))
					continue
				}
				if in := w.tasks.input(topic.Topic, p.Partition); in != nil && in.Position() >= 0 {
					w.enqueue(in, p)
				}
			}
		}
	}
	if !fetches.Empty() {
		failpoint.Pass(failpoint.Polled)
	}
	return err
}

func (w *Worker) enqueue(in *task.Input, p *kgo.FetchPartition) {
	if end := p.LastStableOffset; end >= 0 {
		in.SetEnd(end)
	} else {
		in.SetEnd(p.HighWatermark)
	}
	n := 0
	for _, r := range p.Records {
		if r.Offset < in.Fetched() {
			r.Recycle()
			continue
		}
		if r.Attrs.IsControl() {
			in.Pass(r.Offset)
			r.Recycle()
			continue
		}
		raw := in.Add(r.Offset, r.LeaderEpoch)
		raw.Topic, raw.Partition, raw.Offset = r.Topic, r.Partition, r.Offset
		raw.Timestamp = r.Timestamp.UnixMilli()
		raw.Key, raw.Value = r.Key, r.Value
		raw.Headers = ourHeaders(r.Headers)
		r.Recycle()
		n++
	}
	w.observe.Consumed(in.Topic(), n)
}

// fetchError tells the errors that stop from those that the client mends.
func (w *Worker) fetchError(topic string, partition int32, err error) error {
	var session *kgo.ErrGroupSession
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, kgo.ErrClientClosed):
		return nil
	case errors.As(err, &session):
		return w.sessionError(err)
	case errors.Is(err, kerr.OffsetOutOfRange):
		return fmt.Errorf("%s-%d: %w", topic, partition, ErrOutOfRange)
	case kerr.IsRetriable(err), errors.Is(err, kerr.UnknownServerError):
		w.log.Warn("fetch failed; trying again", "topic", topic, "partition", partition, "error", err)
		return nil
	default:
		return fmt.Errorf("fetch %s-%d: %w", topic, partition, err)
	}
}

// took goes on after a step of the commit cycle.
func (w *Worker) took(out txn.Outcome) error {
	w.clock.lap(w, Idle)
	defer w.clock.lap(w, Committing)
	if n := out.Committed; n != nil {
		if err := w.committed(n); err != nil {
			return err
		}
	}
	if out.Stop != nil {
		return out.Stop
	}
	if out.Rewind {
		return w.rewind(out.Cause)
	}
	return nil
}
