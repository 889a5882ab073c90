package demo

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// feed produces orders at a steady rate until it is stopped.
type feed struct {
	produced, wanted atomic.Int64 // acknowledged orders, and those of them that become payments

	cancel context.CancelFunc
	done   chan error    // its error, once
	ended  chan struct{} // closed after that
}

// feedTick is how often orders are sent; fine enough to look steady.
const feedTick = 10 * time.Millisecond

func startFeed(client []kgo.Opt, topic string, seed uint64, perSecond int) (*feed, error) {
	c, err := kgo.NewClient(append(client[:len(client):len(client)], kgo.ProducerLinger(0))...)
	if err != nil {
		return nil, fmt.Errorf("make producer: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := &feed{cancel: cancel, done: make(chan error, 1), ended: make(chan struct{})}
	go func() {
		defer close(f.ended)
		defer c.Close()
		f.done <- f.run(ctx, c, newOrders(seed), topic, perSecond)
	}()
	return f, nil
}

func (f *feed) run(ctx context.Context, c *kgo.Client, source *orders, topic string, perSecond int) error {
	failed := make(chan error, 1)
	start, sent := time.Now(), 0
	tick := time.NewTicker(feedTick)
	defer tick.Stop()
	for {
		for due := int(time.Since(start).Seconds() * float64(perSecond)); sent < due; sent++ {
			record, wanted := source.order(topic)
			// Not ctx: an order that is sent is an order that counts.
			c.Produce(context.Background(), record, func(_ *kgo.Record, err error) {
				if err != nil {
					select {
					case failed <- err:
					default:
					}
					return
				}
				f.produced.Add(1)
				if wanted {
					f.wanted.Add(1)
				}
			})
		}
		select {
		case <-tick.C:
		case err := <-failed:
			return fmt.Errorf("produce order: %w", err)
		case <-ctx.Done():
			return f.flush(c, failed)
		}
	}
}

func (f *feed) flush(c *kgo.Client, failed <-chan error) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainPatience)
	defer cancel()
	if err := c.Flush(ctx); err != nil {
		return fmt.Errorf("produce last orders: %w", errors.Join(err, c.AbortBufferedRecords(context.Background())))
	}
	select {
	case err := <-failed:
		return fmt.Errorf("produce order: %w", err)
	default:
		return nil
	}
}

// stop sends no more and returns when all that was sent is acknowledged.
func (f *feed) stop() error {
	f.cancel()
	return <-f.done
}
