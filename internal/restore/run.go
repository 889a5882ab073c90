package restore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// parallel is how many tasks are restored at a time; each holds about fetchBytes in memory.
const parallel = 4

// retryPause is the wait before a broker that is out of reach is asked again.
const retryPause = 100 * time.Millisecond

// Run restores the stores of tasks: each element of tasks holds the changelogs of
// one, which are read one after the other, since the stores of a task are not
// safe for concurrent use. It returns when all are complete, ctx ends, or one
// fails; brokers that are out of reach are waited for. It must be called after the
// committed offsets of the tasks' inputs were read, so that the changelogs hold
// at least what belongs to these.
func Run(ctx context.Context, client *kgo.Client, tasks [][]Changelog, listener Listener) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	places := make(chan struct{}, parallel)
	var wg sync.WaitGroup
	for _, changelogs := range tasks {
		wg.Go(func() {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}
			defer func() { <-places }()
			for i := range changelogs {
				r := reader{client: client, admin: kadm.NewClient(client), c: &changelogs[i], listener: &listener}
				if err := r.run(ctx); err != nil {
					cancel(fmt.Errorf("restore from %s-%d: %w", changelogs[i].Topic, changelogs[i].Partition, err))
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// reader restores one store.
type reader struct {
	client   *kgo.Client
	admin    *kadm.Client
	c        *Changelog
	listener *Listener
	leader   int32 // -1 if unknown
}

func (r *reader) run(ctx context.Context) error {
	begin, end, err := r.bounds(ctx)
	if err != nil {
		return err
	}
	from := r.c.Position
	switch {
	case from > end:
		return fmt.Errorf("%w (position %d, end %d)", ErrAhead, from, end)
	case from < 0:
		from = begin
	case from < begin:
		if err := r.c.Wipe(); err != nil {
			return fmt.Errorf("wipe the store, which ends at %d before the changelog begins at %d: %w", from, begin, err)
		}
		from = begin
	}
	r.listener.began(r.c, from, end)
	r.leader = -1
	for from < end {
		records, next, err := r.fetch(ctx, from)
		if err != nil {
			return err
		}
		if next == from {
			continue // nothing is committed yet behind here
		}
		if err := r.c.Apply(records, next); err != nil {
			return err
		}
		from = next
		r.listener.restored(r.c, len(records), next)
	}
	r.listener.ended(r.c)
	return nil
}

// bounds returns the first offset and the high watermark.
func (r *reader) bounds(ctx context.Context) (begin, end int64, err error) {
	if begin, err = r.offset(ctx, r.admin.ListStartOffsets); err != nil {
		return 0, 0, fmt.Errorf("list start offset: %w", err)
	}
	if end, err = r.offset(ctx, r.admin.ListEndOffsets); err != nil {
		return 0, 0, fmt.Errorf("list end offset: %w", err)
	}
	return begin, end, nil
}

func (r *reader) offset(ctx context.Context, list func(context.Context, ...string) (kadm.ListedOffsets, error)) (int64, error) {
	for {
		listed, err := list(ctx, r.c.Topic)
		if err == nil {
			o, ok := listed.Lookup(r.c.Topic, r.c.Partition)
			if err = o.Err; err == nil && ok {
				return o.Offset, nil
			}
			if !ok {
				err = kerr.UnknownTopicOrPartition
			}
		}
		if errors.Is(err, kerr.UnknownTopicOrPartition) {
			return 0, ErrMissing
		}
		if err := mayRetry(ctx, err); err != nil {
			return 0, err
		}
	}
}

// mayRetry waits before another attempt, or returns the error if that is no use.
func mayRetry(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused, ok := errors.AsType[*kerr.Error](err); ok && !refused.Retriable {
		return err
	}
	t := time.NewTimer(retryPause)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
