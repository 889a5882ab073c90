package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// runEOS is the exactly-once copy as kgo's documentation advises it: one
// session, one transaction open at a time, committed once the interval since
// its first record has passed.
func runEOS(ctx context.Context, c RawConfig) error {
	s, err := kgo.NewGroupTransactSession(append(c.options(),
		kgo.TransactionalID(c.Group+"-0"),
	)...)
	if err != nil {
		return fmt.Errorf("create transact session: %w", err)
	}
	defer s.Close()

	var failed firstError
	promise := func(r *kgo.Record, err error) {
		failed.set(err)
		r.Recycle()
	}
	var open bool
	var due time.Time
	for {
		fetches := pollUntil(ctx, open, due, func(ctx context.Context) kgo.Fetches {
			return s.PollRecords(ctx, c.MaxPollRecords)
		})
		if err := fetchError(fetches); err != nil {
			return err
		}
		if !open && !fetches.Empty() {
			if err := s.Begin(); err != nil {
				return fmt.Errorf("begin transaction: %w", err)
			}
			open, due = true, time.Now().Add(c.Interval)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			r.Topic = c.Output
			s.Produce(context.WithoutCancel(ctx), r, promise)
		})
		stopping := ctx.Err() != nil
		if open && (stopping || !time.Now().Before(due)) {
			// The outcome of a flush is known only inside End, which kgo
			// aborts by itself when a produce of the transaction failed
			// for good; failed catches what it would still commit.
			if err := s.Client().Flush(context.WithoutCancel(ctx)); err != nil {
				return fmt.Errorf("flush transaction: %w", err)
			}
			commit := failed.get() == nil
			if _, err := s.End(context.WithoutCancel(ctx), kgo.TransactionEndTry(commit)); err != nil {
				return fmt.Errorf("end transaction: %w", err)
			}
			failed.clear()
			open = false
		}
		if stopping {
			return nil
		}
	}
}

// pollUntil polls with no deadline while nothing waits for a commit, and
// until due while something does: a quiet input must not delay a commit.
func pollUntil(ctx context.Context, pending bool, due time.Time, poll func(context.Context) kgo.Fetches) kgo.Fetches {
	if !pending {
		return poll(ctx)
	}
	ctx, cancel := context.WithDeadline(ctx, due)
	defer cancel()
	return poll(ctx)
}

// fetchError returns the first error of a poll that is not merely the end of
// its context.
func fetchError(fetches kgo.Fetches) error {
	for _, e := range fetches.Errors() {
		if errors.Is(e.Err, context.DeadlineExceeded) || errors.Is(e.Err, context.Canceled) {
			continue
		}
		return fmt.Errorf("fetch %s[%d]: %w", e.Topic, e.Partition, e.Err)
	}
	return nil
}
