package bench

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// lateAfter is how long after its intended time a record may be handed to the
// client before it counts as late. It is wider than the timer's granularity
// and far under the latencies of interest.
const lateAfter = 5 * time.Millisecond

// measuringMetadataAge lets the generator and the reader recover in a moment
// from metadata that a young topic has outdated; kgo's default of 5 s would be
// measured as the arm's.
const measuringMetadataAge = 100 * time.Millisecond

// schedule is an open-loop plan: record i is due at start + i/rate whatever
// happened before. It is computed, not rate-limited: a limiter would forgive
// the time lost in a stall, and with it the stall's latencies.
type schedule struct {
	start time.Time // with its monotonic reading, the one clock of a run
	rate  int64     // records per second
	total int64
}

func (s schedule) intended(i int64) time.Duration {
	return time.Duration(i/s.rate)*time.Second + time.Duration(i%s.rate)*time.Second/time.Duration(s.rate)
}

// generator sends a schedule. sent may be read while it runs; late is valid
// once run has returned.
type generator struct {
	client      *kgo.Client
	topic       string
	maker       *recordMaker
	recordBytes int
	sent        atomic.Int64
	late        int64
	err         firstError
}

func newGenerator(brokers []string, topic string, c LatencyConfig) (*generator, error) {
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.MetadataMinAge(measuringMetadataAge),
		kgo.ProducerLinger(gatherTick),
	)
	if err != nil {
		return nil, fmt.Errorf("create generator client: %w", err)
	}
	return &generator{
		client: cl, topic: topic, maker: newRecordMaker(c.Keys, c.Seed), recordBytes: c.RecordBytes,
	}, nil
}

const (
	// tick is how often the generator sends. Sent one by one, 5 000 records a second
	// would cost a small machine more than the pipelines that are measured; what a
	// record waits for its tick counts as latency, of every arm alike.
	tick = time.Millisecond
	// gatherTick lets the records of a tick leave in one request.
	gatherTick = 100 * time.Microsecond
)

// run sends every record of the schedule and waits for the last
// acknowledgement.
func (g *generator) run(ctx context.Context, s schedule) error {
	wake := time.NewTimer(0)
	defer wake.Stop()
	for i := int64(0); i < s.total; {
		now := time.Since(s.start)
		if wait := s.intended(i) - now; wait > 0 {
			wake.Reset(max(wait, tick)) // what falls due meanwhile goes out together
			select {
			case <-wake.C:
			case <-ctx.Done():
				return fmt.Errorf("generate load: %w", ctx.Err())
			}
			continue
		}
		if now-s.intended(i) > lateAfter {
			g.late++
		}
		g.send(ctx, i, s.start.Add(s.intended(i)))
		g.sent.Add(1)
		i++
	}
	return g.flush(ctx)
}

func (g *generator) send(ctx context.Context, seq int64, intended time.Time) {
	value := make([]byte, g.recordBytes)
	g.maker.fillTimed(value, uint64(seq), intended.UnixNano())
	g.client.Produce(ctx, &kgo.Record{
		Topic: g.topic, Key: g.maker.key(uint64(seq)), Value: value, Timestamp: intended,
	}, func(_ *kgo.Record, err error) { g.err.set(err) })
}

func (g *generator) flush(ctx context.Context) error {
	if err := g.client.Flush(ctx); err != nil {
		return fmt.Errorf("flush load: %w", err)
	}
	if err := g.err.get(); err != nil {
		return fmt.Errorf("generate load: %w", err)
	}
	return nil
}
