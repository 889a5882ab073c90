//go:build linux

package faulttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/kafkatest"
)

// seen is an output record as a reader got it.
type seen struct {
	topic     string
	partition int32
	offset    int64
	value     string
	at        time.Time
}

// reader reads outputs read_committed while everything else goes on.
type reader struct {
	client *kgo.Client
	done   chan struct{}
	stop   context.CancelFunc

	mu       sync.Mutex
	records  []seen
	position map[string]map[int32]int64
	latest   map[int32]int64 // largest sequence seen of each input partition
	err      error
}

func startReader(t *testing.T, bootstrap string, topics ...string) *reader {
	t.Helper()
	r := &reader{done: make(chan struct{}), position: map[string]map[int32]int64{}, latest: map[int32]int64{}}
	for _, topic := range topics {
		r.position[topic] = map[int32]int64{}
	}
	r.client = kafkatest.Client(t, bootstrap, kgo.ClientID("reader"),
		kgo.ConsumeTopics(topics...), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		// Markers move the position although they are no records.
		kgo.KeepControlRecords(), kgo.FetchMaxWait(200*time.Millisecond))
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go r.loop(ctx)
	t.Cleanup(func() { stop(); <-r.done })
	return r
}

func (r *reader) loop(ctx context.Context) {
	defer close(r.done)
	for {
		fetches := r.client.PollFetches(ctx)
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		r.mu.Lock()
		fetches.EachError(func(topic string, p int32, err error) {
			// A broker that is away is waited for; lost data is not.
			if errors.As(err, new(*kgo.ErrDataLoss)) || errors.Is(err, kerr.OffsetOutOfRange) {
				r.err = fmt.Errorf("read %s-%d: %w", topic, p, err)
			}
		})
		fetches.EachRecord(func(rec *kgo.Record) {
			r.position[rec.Topic][rec.Partition] = rec.Offset + 1
			if rec.Attrs.IsControl() {
				return
			}
			r.records = append(r.records, seen{rec.Topic, rec.Partition, rec.Offset, string(rec.Value), now})
			if u, err := parseValue(bytes.TrimPrefix(rec.Value, mapped)); err == nil {
				if last, ok := r.latest[u.partition]; !ok || u.seq > last {
					r.latest[u.partition] = u.seq
				}
			}
		})
		r.mu.Unlock()
	}
}

// reached reports whether all of a topic up to the given offsets has been read.
func (r *reader) reached(topic string, ends map[int32]int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p, end := range ends {
		if r.position[topic][p] < end {
			return false
		}
	}
	return true
}

func (r *reader) snapshot() ([]seen, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]seen(nil), r.records...), r.err
}

func (r *reader) newest() map[int32]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[int32]int64, len(r.latest))
	for p, seq := range r.latest {
		out[p] = seq
	}
	return out
}
