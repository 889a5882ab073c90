//go:build linux

package faulttest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/kafkatest"
)

// watcher samples the group's committed offsets, and compares them with what
// the reader has seen so far.
type watcher struct {
	group, topic string
	gen          *generator
	reader       *reader
	atomically   bool // outputs and offsets become visible together
	client       func() *kgo.Client
	admin        *kadm.Client // nil after a failure: a client may keep to a coordinator that is dead
	stop         context.CancelFunc
	done         chan struct{}

	mu        sync.Mutex
	committed map[int32]int64
	samples   int
	faults    []string
}

func startWatcher(t *testing.T, bootstrap, group, topic string, g *generator, r *reader, atomically bool) *watcher {
	t.Helper()
	w := &watcher{
		group: group, topic: topic, gen: g, reader: r, atomically: atomically, committed: map[int32]int64{}, done: make(chan struct{}),
		client: func() *kgo.Client { return kafkatest.Client(t, bootstrap, kgo.ClientID("watcher")) },
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	go w.loop(ctx)
	t.Cleanup(func() { stop(); <-w.done })
	return w
}

func (w *watcher) loop(ctx context.Context) {
	defer close(w.done)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		w.sample(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// sample asks after it has looked at the outputs, and waits for transactions
// that are being ended: what is visible must be covered by the answer.
func (w *watcher) sample(ctx context.Context) {
	newest := w.reader.newest()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if w.admin == nil {
		w.admin = kadm.NewClient(w.client())
	}
	offsets, err := w.admin.FetchOffsets(kadm.RequireStable(ctx), w.group)
	if err != nil || offsets.Error() != nil {
		w.admin.Close()
		w.admin = nil
		return // no answer, no finding
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.samples++
	offsets.Each(func(o kadm.OffsetResponse) {
		if o.Topic != w.topic || o.At < 0 {
			return
		}
		if before := w.committed[o.Partition]; o.At < before {
			w.fault("C10: the committed offset of partition %d went back from %d to %d", o.Partition, before, o.At)
		}
		w.committed[o.Partition] = o.At
	})
	if !w.atomically {
		return
	}
	for p, seq := range newest {
		if offset, ok := w.gen.offset(p, seq); ok && offset >= w.committed[p] {
			w.fault("C2: the output of %s/%d/%d (offset %d) is visible, but only %d is committed", w.gen.run, p, seq, offset, w.committed[p])
		}
	}
}

func (w *watcher) fault(format string, args ...any) {
	w.faults = append(w.faults, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// offsets returns the committed offsets as last sampled.
func (w *watcher) offsets() map[int32]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[int32]int64, len(w.committed))
	for p, o := range w.committed {
		out[p] = o
	}
	return out
}

// beyond reports whether more than the given offsets is committed in every partition.
func (w *watcher) beyond(offsets []int64) bool {
	committed := w.offsets()
	for p, o := range offsets {
		if committed[int32(p)] <= o {
			return false
		}
	}
	return true
}
