package txn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/failpoint"
	"github.com/eosproc/eosproc/internal/seeded"
)

// perform does what the cycle asks for.
func (s *Session) perform(e Effect, a Answer, before State, out *Outcome) {
	switch e {
	case Begin:
		s.begin(out)
	case Release:
		s.release()
	case Flush:
		s.async(s.flush)
	case SendOffsets:
		s.async(s.sendOffsets)
	case EndCommit:
		s.sealed.ending = true
		s.async(s.endCommit)
	case CommitPlain:
		s.async(s.commitPlain)
	case Resolve:
		s.async(s.resolve)
	case AbortAll:
		s.startAbort(a)
	case Prove:
		s.startProof(a)
	case TellCommitted:
		out.Committed = s.sealed
		s.sealed = nil
	case TellRewind:
		out.Rewind, out.Cause = true, s.cause
		s.cause = nil
	case TellFenced, TellFailed:
		out.Stop = a.err
		if out.Stop == nil {
			out.Stop = errors.New("commit cycle stopped")
		}
	case Illegal:
		out.Stop = fmt.Errorf("commit cycle: event %q in state %q is a fault of this program", a.event, before)
	}
}

func (s *Session) begin(out *Outcome) {
	slot := int(s.begun % uint64(len(s.slots)))
	s.begun++
	t := newTransaction(s.begun, slot, s.cfg.Release, s.produceFailed)
	t.holding = s.state.Next == Held
	if p := s.slots[slot]; !p.plain {
		if err := p.client.BeginTransaction(); err != nil {
			// The id is known to be good (R1), so this is a fence or a fault. Nothing
			// milder is possible: an abort or a proof would begin while a step of
			// the sealed transaction is under way.
			failed := s.judge(&stepError{fencing.InitProducerID, fmt.Errorf("begin transaction of %s: %w", p.id, err)}, Failed, 0)
			if failed.event != Fenced {
				failed.event = Failed
			}
			*out = s.step(failed)
			return
		}
	}
	s.open = t
	failpoint.Pass(failpoint.Begun)
}

func (s *Session) release() {
	t := s.open
	if t == nil || !t.holding {
		return
	}
	t.holding = false
	client := s.slots[t.slot].client
	for _, r := range t.held {
		client.Produce(s.ctx, r, t.promise)
	}
	t.held = nil
}

// produceFailed runs on a producer's goroutine. There is room in the channel
// for one failure of each transaction that can be alive.
func (s *Session) produceFailed(t *transaction, err *ProduceError) {
	select {
	case s.answers <- Answer{event: NextFailed, err: &stepError{fencing.Produce, err}, txn: t}:
	default:
	}
}

// async runs one step in a goroutine of its own. There is never more than one.
func (s *Session) async(step func(context.Context, *Sealed) Answer) {
	done := make(chan struct{})
	s.busy = done
	sealed := s.sealed
	go func() {
		defer close(done)
		s.answers <- step(s.ctx, sealed)
	}()
}

func (s *Session) flush(ctx context.Context, n *Sealed) Answer {
	start := time.Now()
	if limit := s.cfg.DeliveryTimeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	p := s.slots[n.txn.slot]
	if !p.plain {
		// Lingering batches are sent at once. The records of the transaction are
		// counted by themselves, since the client of at-least-once
		// processing goes on to buffer those of the next.
		if err := p.client.Flush(ctx); err != nil {
			return s.judge(&stepError{fencing.Produce, fmt.Errorf("flush: %w", err)}, ProduceFailed, n.age())
		}
	}
	if err := wait(ctx, n.txn.settled); err != nil {
		return s.judge(&stepError{fencing.Produce, fmt.Errorf("flush: %w", err)}, ProduceFailed, n.age())
	}
	n.Flush = time.Since(start)
	if err := n.txn.err(); err != nil {
		return s.judge(err, ProduceFailed, n.age())
	}
	failpoint.Pass(failpoint.Acknowledged)
	return Answer{event: Acked}
}

func (s *Session) sendOffsets(ctx context.Context, n *Sealed) Answer {
	start := time.Now()
	if err := s.slots[n.txn.slot].sendOffsets(ctx, n.Token, n.Offsets, s.stamp(n)); err != nil {
		return s.judge(err, Refused, n.age())
	}
	n.Offsetting = time.Since(start)
	failpoint.Pass(failpoint.OffsetsSent)
	return Answer{event: OffsetsTaken}
}

func (s *Session) endCommit(ctx context.Context, n *Sealed) Answer {
	start := time.Now()
	failpoint.Pass(failpoint.Ending)
	if err := s.slots[n.txn.slot].end(ctx, true); err != nil {
		if seeded.Is(seeded.UnknownCommitted) {
			return Answer{event: Ended, err: s.slots[n.txn.slot].replace(ctx)}
		}
		return s.judge(err, Refused, n.age())
	}
	n.EndTxn = time.Since(start)
	failpoint.Pass(failpoint.Ended)
	return Answer{event: Ended}
}

func (s *Session) commitPlain(ctx context.Context, n *Sealed) Answer {
	start := time.Now()
	p := s.slots[0]
	err := p.retry(ctx, fencing.OffsetCommit, func() error { return CommitOffsets(ctx, p.client, n.Token, n.Offsets, s.stamp(n)) })
	if p.sentOnce(keyOffsetCommit) && unanswered(err) {
		// Were the commit repeated, the copy that is still under way could later take
		// back what is committed by then. It is refused once this member is gone.
		s.log.Warn("no answer to a commit of offsets; the group has to be joined anew", "error", err)
		return Answer{event: Fenced, err: fencing.NewFencedError(fencing.Decision{By: fencing.ByGeneration, Code: fencing.CodeTransport}, fencing.OffsetCommit, err)}
	}
	if err != nil {
		a := s.judge(err, Refused, 0)
		if decide(err, s.version).Verdict == fencing.Retry {
			// The coordinator was out of reach for long. Nothing is lost by reading
			// again when it is back, so this is no reason to stop.
			a.event = Refused
		}
		return a
	}
	n.Offsetting = time.Since(start)
	return Answer{event: Ended}
}

// resolve finds out whether N is committed (R8). Initialising its producer
// makes the coordinator finish a decided transaction and abort an undecided one;
// after that the committed offsets tell: they bear N's stamp or they do not.
func (s *Session) resolve(ctx context.Context, n *Sealed) Answer {
	p := s.slots[n.txn.slot]
	if n.age() >= s.cfg.Timeout {
		// Long enough for a replacement of this process to have the id by now.
		if err := s.prove(ctx); err != nil {
			return Answer{event: Fenced, err: err}
		}
	}
	if err := p.replace(ctx); err != nil {
		return s.judge(err, Failed, 0)
	}
	for {
		found, err := FetchCommitted(ctx, p.client, n.Token, n.Offsets)
		if err == nil {
			committed := len(found) > 0
			for _, c := range found {
				committed = committed && c.Stamp.sameCommit(s.stamp(n))
			}
			s.log.Warn("outcome of a transaction was unknown; read it back", "transactional_id", p.id, "number", n.Number, "committed", committed)
			if committed {
				return Answer{event: FoundCommitted}
			}
			return Answer{event: FoundAborted, err: errors.New("the transaction turned out to be aborted")}
		}
		if d := decide(err, s.version); d.Verdict != fencing.Retry {
			return s.judge(err, Failed, 0)
		}
		if err := pause(ctx, retryPause); err != nil {
			return Answer{event: Failed, err: err}
		}
	}
}

func (s *Session) stamp(n *Sealed) Stamp {
	return Stamp{Incarnation: s.incarnation, Commit: n.Number}
}

// startAbort aborts the sealed and the open transaction.
func (s *Session) startAbort(a Answer) {
	if s.cause == nil {
		s.cause = a.err
	}
	var begun []*transaction
	if n := s.sealed; n != nil && n.txn != nil {
		begun = append(begun, n.txn)
	}
	if t := s.open; t != nil {
		t.held = nil
		begun = append(begun, t)
	}
	s.sealed, s.open = nil, nil
	s.async(func(ctx context.Context, _ *Sealed) Answer {
		for _, t := range begun {
			p := s.slots[t.slot]
			if p.plain {
				// What has been sent cannot be taken back: at least once.
				if err := p.client.AbortBufferedRecords(ctx); err != nil {
					return Answer{event: Failed, err: fmt.Errorf("abort buffered records: %w", err)}
				}
				continue
			}
			if err := p.abort(ctx); err != nil {
				return s.judge(err, Failed, time.Since(t.begun))
			}
		}
		return Answer{event: Aborted}
	})
}

// startProof proves membership. Only then may the producers take their ids back
// from whoever made the broker refuse them (R9).
func (s *Session) startProof(a Answer) {
	if s.cause == nil {
		s.cause = a.err
	}
	s.sealed, s.open = nil, nil
	s.async(func(ctx context.Context, _ *Sealed) Answer {
		if err := s.prove(ctx); err != nil {
			return Answer{event: Fenced, err: err}
		}
		for _, p := range s.slots {
			if err := p.replace(ctx); err != nil {
				return Answer{event: Failed, err: err}
			}
		}
		return Answer{event: Proved}
	})
}

// prove asks until there is an answer; the error is a fence by generation.
func (s *Session) prove(ctx context.Context) error {
	token := s.cfg.Membership()
	p := s.slots[0]
	for {
		err := proveMembership(ctx, p.client, token, s.cfg.ConsumerProtocol)
		if err == nil {
			return nil
		}
		if d := decide(err, s.version); d.Verdict != fencing.Retry {
			d.Verdict, d.By = fencing.Fenced, fencing.ByGeneration
			return fencing.NewFencedError(d, requestOf(err), err)
		}
		if err := pause(ctx, retryPause); err != nil {
			return err
		}
	}
}
