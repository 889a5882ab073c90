package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/failpoint"
	"github.com/eosproc/eosproc/internal/seeded"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/txn"
)

// commitClock says when a commit is due.
type commitClock struct {
	interval  time.Duration
	adaptive  bool
	last      time.Time // when the last commit was sealed
	processed int       // records since
	requested bool
}

func newCommitClock(s *settings.Settings) commitClock {
	return commitClock{interval: s.Commit.Interval, adaptive: s.Commit.Mode == settings.CommitAdaptive, last: time.Now()}
}

// backlog is the lag, in records over all inputs, above which the adaptive mode
// prefers throughput: transactions then last for the whole interval.
const backlog = 5000

// commitIfDue seals what is open if its time has come. The adaptive mode commits
// as soon as the last commit is settled, as long as the input is caught up: at
// low rates a transaction then is as short as the brokers allow, and
// its latency with it; under a backlog nobody gains from short ones.
func (w *Worker) commitIfDue() error {
	if !w.session.State().CanSeal() || w.isStuck() || w.emitter.loose {
		return nil
	}
	records, _, _ := w.session.Open()
	elapsed := time.Since(w.commit.last)
	due := elapsed >= w.commit.interval || w.commit.requested || w.full() || w.cornered() || w.commit.processed >= w.cfg.Settings.Transaction.MaxRecords
	if !due && w.commit.adaptive && records > 0 {
		due = !w.behind()
	}
	if !due {
		return nil
	}
	if records == 0 && !w.tasks.moved() {
		w.commit.last, w.commit.requested = time.Now(), false
		return nil
	}
	return w.seal()
}

func (w *Worker) behind() bool {
	var lag int64
	for _, t := range w.tasks.all() {
		for _, in := range t.Inputs() {
			if n, ok := in.Lag(); ok {
				lag += n
			}
		}
	}
	return lag > backlog
}

// seal begins the commit of all that is processed.
func (w *Worker) seal() error {
	w.clock.lap(w, Idle)
	defer w.clock.lap(w, Committing)
	w.emitter.report()
	w.suspects.seal(w.commit.processed)
	w.commit.last, w.commit.processed, w.commit.requested = time.Now(), 0, false
	token := w.member.token()
	if w.isEstranged(token) || !token.Valid() {
		return w.took(w.session.Abandon(errEstranged))
	}
	w.proof = token
	c, err := w.cutTasks()
	if err != nil {
		return err
	}
	return w.session.Seal(txn.Sealed{Offsets: w.tasks.offsets(), Token: w.proof, Payload: c})
}

func (w *Worker) committed(n *txn.Sealed) error {
	failpoint.Pass(failpoint.Applying)
	if err := cutOf(n).applied(); err != nil {
		return err
	}
	w.suspects.committed()
	w.worked = true
	failpoint.Pass(failpoint.Committed)
	w.observe.Committed(w.cfg.Index, n)
	w.purger.purge(w)
	for _, t := range w.tasks.all() {
		for _, in := range t.Inputs() {
			if lag, ok := in.Lag(); ok {
				w.observe.Lag(in.Topic(), in.Partition(), lag)
			}
		}
	}
	w.log.Debug("committed", "number", n.Number, "records", n.Records, "bytes", n.Bytes, "flush", n.Flush, "offsets", n.Offsetting, "end_txn", n.EndTxn)
	return nil
}

// rewind makes all tasks as they were at the last commit and reads from there
// again (R12).
func (w *Worker) rewind(cause error) error {
	w.poller.stop()
	if cause == nil {
		cause = errLost
	}
	w.log.Warn("aborted; reading again from the committed offsets", "cause", cause)
	w.observe.Aborted(w.cfg.Index, cause)
	if err := w.blame(cause); err != nil {
		return err
	}
	if fence, ok := errors.AsType[*fencing.FencedError](cause); ok {
		w.observe.Fenced(w.cfg.Index, fence.By)
		if fence.By == fencing.ByGeneration {
			// Not the member's token of now: the client may have joined the next
			// generation meanwhile, which nobody has refused.
			w.stuck = w.proof
		}
	}
	for _, t := range w.tasks.all() {
		if err := t.Rewind(); err != nil {
			return fmt.Errorf("rewind task %s: %w", t.ID(), err)
		}
	}
	return w.reposition()
}

// reposition reads the committed offsets back from the broker and sets tasks and
// fetching to them.
func (w *Worker) reposition() error {
	owned := w.tasks.offsets()
	if len(owned) == 0 {
		return nil
	}
	found, err := w.fetchCommitted(owned)
	if err != nil {
		return fmt.Errorf("read committed offsets: %w", err)
	}
	for i := range found {
		if seeded.Is(seeded.WrongRewind) {
			found[i].Next += 10
		}
		c := found[i]
		in := w.tasks.input(c.Topic, c.Partition)
		if in == nil {
			continue
		}
		if c.Next < 0 {
			return fmt.Errorf("%s-%d: %w", c.Topic, c.Partition, ErrOffsetVanished)
		}
		in.SetPosition(c.Next, c.Stamp.StreamTime, -1)
	}
	w.member.seek(found)
	w.commit.last, w.commit.processed = time.Now(), 0
	return nil
}

// fetchCommitted asks until there is an answer: brokers that are away for long are
// no reason to stop, as nothing is begun.
func (w *Worker) fetchCommitted(partitions []txn.Offset) ([]txn.Committed, error) {
	for {
		found, err := txn.FetchCommitted(w.patience, w.session.Client(), w.member.token(), partitions)
		if err == nil || w.patience.Err() != nil {
			return found, err
		}
		if fencing.Classify(fencing.OffsetFetch, err, w.session.TransactionVersion()).Verdict != fencing.Retry {
			return nil, err
		}
		w.log.Warn("could not read the committed offsets; trying again", "error", err)
		select {
		case <-time.After(fetchPause):
		case <-w.patience.Done():
		}
	}
}

const fetchPause = 200 * time.Millisecond

// settle commits all that is processed and waits until nothing is under way.
func (w *Worker) settle(ctx context.Context) error {
	if w.emitter.loose {
		return nil // all offsets are committed ahead
	}
	for {
		switch state := w.session.State(); {
		case state == txn.State{}:
			records, _, _ := w.session.Open()
			if records == 0 && !w.tasks.moved() {
				return nil
			}
			if err := w.seal(); err != nil {
				return err
			}
		case state.CanSeal():
			if err := w.seal(); err != nil {
				return err
			}
		case state.Sealed == txn.Stopped:
			return nil
		}
		if err := w.answer(ctx); err != nil {
			return err
		}
	}
}

// abandon drops all that is open and waits until nothing is under way.
func (w *Worker) abandon(ctx context.Context, cause error) error {
	if w.emitter.loose || w.session.State().Idle() && !w.tasks.moved() {
		return nil
	}
	if err := w.took(w.session.Abandon(cause)); err != nil {
		return err
	}
	for !w.session.State().Idle() {
		if err := w.answer(ctx); err != nil {
			return err
		}
	}
	return nil
}

// answer waits for one answer of the commit cycle.
func (w *Worker) answer(ctx context.Context) error {
	select {
	case a := <-w.session.Answers():
		return w.took(w.session.Take(a))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finish ends in order: what is processed is committed, then the group is left.
func (w *Worker) finish(abort context.Context) error {
	w.setState(PendingShutdown)
	w.poller.stop()
	ctx, cancel := context.WithTimeout(abort, w.cfg.Settings.ShutdownTimeout)
	defer cancel()
	if w.isStuck() {
		return nil
	}
	err := w.settle(ctx)
	switch {
	case err == nil:
		return nil
	case abort.Err() != nil:
		return ErrAborted
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("commit at the end took longer than %s; what was open is aborted", w.cfg.Settings.ShutdownTimeout)
	default:
		return fmt.Errorf("commit at the end: %w", err)
	}
}
