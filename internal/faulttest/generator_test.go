//go:build linux

package faulttest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/kafkatest"
)

// generator writes input without pause, in chunks that are acknowledged before
// the next begins, so that the sequence of a partition is the order of its log.
type generator struct {
	topic      string
	partitions int32
	run        string
	plain      *kgo.Client
	txn        *kgo.Client // nil: nothing is written in transactions

	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	written [][]entry // by partition and sequence
	err     error
}

// entry is one input record.
type entry struct {
	uid    uid
	offset int64
}

const (
	chunkPause   = 20 * time.Millisecond
	chunkRecords = 10 // of each partition
	keys         = 8  // of each partition
)

func startGenerator(t *testing.T, bootstrap, topic string, partitions int32, transactions bool) *generator {
	t.Helper()
	g := &generator{topic: topic, partitions: partitions, run: topic, written: make([][]entry, partitions), done: make(chan struct{})}
	g.plain = kafkatest.Client(t, bootstrap, kgo.ClientID("generator"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if transactions {
		g.txn = kafkatest.Client(t, bootstrap, kgo.ClientID("generator"), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID(topic+"-generator"))
	}
	ctx, stop := context.WithCancel(context.Background())
	g.stop = stop
	go g.loop(ctx)
	t.Cleanup(func() { stop(); <-g.done })
	return g
}

func (g *generator) loop(ctx context.Context) {
	defer close(g.done)
	tick := time.NewTicker(chunkPause)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := g.chunk(n); err != nil {
			g.mu.Lock()
			g.err = err
			g.mu.Unlock()
			return
		}
	}
}

// chunk writes some records of every partition. Without a definite answer the
// records' fate would be unknown, so it waits for as long as it takes.
func (g *generator) chunk(n int) error {
	ctx := context.Background()
	client, f := g.plain, lives
	if g.txn != nil && n%5 >= 3 {
		if client = g.txn; n%5 == 4 {
			f = dies
		}
		if err := client.BeginTransaction(); err != nil {
			return fmt.Errorf("begin input transaction: %w", err)
		}
	}
	var records []*kgo.Record
	var fresh []entry
	for p := range g.partitions {
		for i := range chunkRecords {
			u := uid{g.run, p, int64(len(g.written[p]) + i), f}
			records = append(records, &kgo.Record{Topic: g.topic, Partition: p, Key: fmt.Appendf(nil, "%d-%d", p, u.seq%keys), Value: u.value()})
			fresh = append(fresh, entry{uid: u})
		}
	}
	if err := client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return fmt.Errorf("write input: %w", err)
	}
	// Noted before the transaction ends: from then on a worker may have read it.
	g.mu.Lock()
	for i, e := range fresh {
		e.offset = records[i].Offset
		g.written[e.uid.partition] = append(g.written[e.uid.partition], e)
	}
	g.mu.Unlock()
	if client == g.txn {
		if err := client.EndTransaction(ctx, kgo.TransactionEndTry(f == lives)); err != nil {
			return fmt.Errorf("end input transaction: %w", err)
		}
	}
	return nil
}

// finish stops the generator and returns all that was written.
func (g *generator) finish(t *testing.T) [][]entry {
	t.Helper()
	g.stop()
	select {
	case <-g.done:
	case <-time.After(patience):
		t.Fatal("the input could not be written to its end")
	}
	require.NoError(t, g.err)
	return g.written
}

// offset returns where a record stands; ok is false until it is known.
func (g *generator) offset(partition int32, seq int64) (offset int64, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if int64(len(g.written[partition])) <= seq {
		return 0, false
	}
	return g.written[partition][seq].offset, true
}

// ends returns the last offset that was written to each partition.
func (g *generator) ends() []int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]int64, g.partitions)
	for p, list := range g.written {
		out[p] = -1
		if len(list) > 0 {
			out[p] = list[len(list)-1].offset
		}
	}
	return out
}

// beyond reports whether every partition has more than the given offsets.
func (g *generator) beyond(offsets []int64) bool {
	for p, end := range g.ends() {
		if end <= offsets[p] {
			return false
		}
	}
	return true
}

// failure returns why the generator has ended by itself.
func (g *generator) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}
