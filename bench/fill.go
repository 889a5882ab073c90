package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	chunkRecords = 4096
	maxChunks    = 64
)

// Fill creates topic and writes the workload to it, uncompressed, with
// idempotence and acks=all, keys going to partitions by murmur2 as Kafka's
// own producer does. It returns once every record is acknowledged.
//
// An existing topic is an error: what it holds would be measured too. Errors
// wrap [ErrInvalidConfig] for a bad workload, else the client's error.
func Fill(ctx context.Context, brokers []string, topic string, w Workload) error {
	if err := w.Validate(); err != nil {
		return err
	}
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.DefaultProduceTopic(topic),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.MaxBufferedRecords(chunkRecords*maxChunks),
		kgo.ProducerLinger(5*time.Millisecond),
	)
	if err != nil {
		return fmt.Errorf("create fill client: %w", err)
	}
	defer cl.Close()
	if err := createTopics(ctx, kadm.NewClient(cl), w.Partitions, topic); err != nil {
		return err
	}
	f := filler{client: cl, maker: newRecordMaker(w.Keys, w.Seed), free: make(chan *chunk, maxChunks)}
	return f.run(ctx, w)
}

// chunk is a block of records that is allocated once and reused, because
// millions of small records would otherwise be bounded by the allocator.
type chunk struct {
	records [chunkRecords]kgo.Record
	values  []byte
	pending atomic.Int64
}

type filler struct {
	client *kgo.Client
	maker  *recordMaker
	free   chan *chunk
	made   int
	err    firstError
}

func (f *filler) run(ctx context.Context, w Workload) error {
	for seq := int64(0); seq < w.Records; {
		c, err := f.take(ctx, w.RecordBytes)
		if err != nil {
			return fmt.Errorf("fill topic: %w", err)
		}
		n := min(int64(chunkRecords), w.Records-seq)
		c.pending.Store(n)
		promise := func(_ *kgo.Record, err error) {
			f.err.set(err)
			if c.pending.Add(-1) == 0 {
				f.free <- c
			}
		}
		for i := range n {
			at := int(i) * w.RecordBytes
			value := c.values[at : at+w.RecordBytes]
			f.maker.fill(value, uint64(seq))
			c.records[i] = kgo.Record{Key: f.maker.key(uint64(seq)), Value: value}
			f.client.Produce(ctx, &c.records[i], promise)
			seq++
		}
		if err := f.err.get(); err != nil {
			return fmt.Errorf("fill topic: %w", err)
		}
	}
	if err := f.client.Flush(ctx); err != nil {
		return fmt.Errorf("flush filled topic: %w", err)
	}
	if err := f.err.get(); err != nil {
		return fmt.Errorf("fill topic: %w", err)
	}
	return nil
}

func (f *filler) take(ctx context.Context, recordBytes int) (*chunk, error) {
	if f.made < maxChunks {
		select {
		case c := <-f.free:
			return c, nil
		default:
			f.made++
			return &chunk{values: make([]byte, chunkRecords*recordBytes)}, nil
		}
	}
	select {
	case c := <-f.free:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// firstError keeps the first error of many goroutines. The zero value is
// ready to use.
type firstError struct {
	mu  sync.Mutex
	err error
}

func (f *firstError) set(err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *firstError) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// clear forgets the error, so that the next unit of work starts clean.
func (f *firstError) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = nil
}
