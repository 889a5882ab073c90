package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// readerMaxWait bounds how long a fetch is parked in the broker. Kafka 4.4.0
// sometimes does not wake a fetch that was parked on a new, empty partition
// when its first record arrives; with kgo's default the reader would then add
// 5 s to a start-up. Under load a fetch is answered much sooner anyway.
const readerMaxWait = 10 * time.Millisecond

// visibleReader reads an output topic read_committed as it grows and notes
// when each record became visible: the moment the poll that held it returned.
// It goes on until its context ends; samples and tally are valid once run has
// returned.
type visibleReader struct {
	client  *kgo.Client
	epoch   time.Time     // the clock that intended times are set against
	after   int64         // sequence numbers below are warm-up: counted, not sampled
	seen    atomic.Int64  // first sightings so far
	all     chan struct{} // closed at the last first sighting
	samples []time.Duration
	tally   *tallier
}

// newVisibleReader starts at the given offset of each partition.
func newVisibleReader(brokers []string, topic string, from map[int32]int64, epoch time.Time, after, total int64) (*visibleReader, error) {
	offsets := make(map[int32]kgo.Offset)
	for p, at := range from {
		offsets[p] = kgo.NewOffset().At(at)
	}
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMinBytes(1),
		kgo.FetchMaxWait(readerMaxWait),
		kgo.MetadataMinAge(measuringMetadataAge),
	)
	if err != nil {
		return nil, fmt.Errorf("create visible reader: %w", err)
	}
	return &visibleReader{
		client: cl, epoch: epoch, after: after, all: make(chan struct{}),
		samples: make([]time.Duration, 0, max(0, total-after)),
		tally:   newTallier(total),
	}, nil
}

func (v *visibleReader) run(ctx context.Context) error {
	total := int64(v.tally.n)
	for {
		fetches := v.client.PollFetches(ctx)
		now := time.Since(v.epoch)
		if ctx.Err() != nil {
			return nil
		}
		if err := fetchError(fetches); err != nil {
			return err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			seq, first := v.tally.add(r.Value)
			if !first {
				return
			}
			if v.seen.Add(1) == total {
				close(v.all)
			}
			if int64(seq) < v.after {
				return
			}
			intended, ok := uint64(0), false
			if len(r.Value) >= minLatencyBytes {
				intended, ok = number(r.Value[numberBytes:])
			}
			if !ok {
				v.tally.t.Foreign++
				return
			}
			v.samples = append(v.samples, now-time.Duration(int64(intended)-v.epoch.UnixNano()))
		})
	}
}

// task is a goroutine with one owner, who calls stop exactly once.
type task struct {
	cancel context.CancelFunc
	wg     sync.WaitGroup
	err    error
}

func startTask(ctx context.Context, run func(context.Context) error) *task {
	t := &task{}
	ctx, t.cancel = context.WithCancel(ctx)
	t.wg.Go(func() { t.err = run(ctx) })
	return t
}

// stop ends the goroutine, waits for it and returns its error.
func (t *task) stop() error {
	t.cancel()
	t.wg.Wait()
	return t.err
}
