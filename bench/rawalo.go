package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// runALO is the at-least-once copy: offsets are committed only after every
// record polled before them is acknowledged. A rebalance is held back while
// records are uncommitted, so that a revoked partition is handed over with
// its position.
func runALO(ctx context.Context, c RawConfig) error {
	cl, err := kgo.NewClient(append(c.options(), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll())...)
	if err != nil {
		return fmt.Errorf("create client: %w", err)
	}
	defer cl.CloseAllowingRebalance()

	var failed firstError
	promise := func(r *kgo.Record, err error) {
		failed.set(err)
		r.Recycle()
	}
	var pending bool
	var due time.Time
	for {
		fetches := pollUntil(ctx, pending, due, func(ctx context.Context) kgo.Fetches {
			return cl.PollRecords(ctx, c.MaxPollRecords)
		})
		if err := fetchError(fetches); err != nil {
			return err
		}
		if !pending && !fetches.Empty() {
			pending, due = true, time.Now().Add(c.Interval)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			r.Topic = c.Output
			cl.Produce(context.WithoutCancel(ctx), r, promise)
		})
		stopping := ctx.Err() != nil
		if pending && (stopping || !time.Now().Before(due)) {
			if err := commitALO(context.WithoutCancel(ctx), cl, &failed); err != nil {
				return err
			}
			pending = false
		}
		if !pending {
			cl.AllowRebalance()
		}
		if stopping {
			return nil
		}
	}
}

func commitALO(ctx context.Context, cl *kgo.Client, failed *firstError) error {
	if err := cl.Flush(ctx); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	if err := failed.get(); err != nil {
		return fmt.Errorf("produce: %w", err)
	}
	if err := cl.CommitUncommittedOffsets(ctx); err != nil {
		return fmt.Errorf("commit offsets: %w", err)
	}
	return nil
}
