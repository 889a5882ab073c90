package demo

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// watch follows the output as it is written, with its transaction markers, and so
// knows what is committed, aborted and open at any time.
type watch struct {
	topic  string
	client *kgo.Client
	cancel context.CancelFunc
	done   chan struct{}

	mu        sync.Mutex
	seen      []uint8 // how often each order id is committed, up to 255
	counts    liveCounts
	open      map[writer]*pending
	positions map[int32]int64 // next offset, by partition
	moved     chan struct{}   // closed and replaced when the positions move
	err       error
}

// writer is one producer in one partition: markers end transactions by partition.
type writer struct {
	producer  int64
	partition int32
}

type pending struct{ ids []int64 }

// liveCounts are numbers of records of the output.
type liveCounts struct {
	committed, duplicates, aborted, open int64
}

func startWatch(client []kgo.Opt, topic string, partitions int32) (*watch, error) {
	starts := map[int32]kgo.Offset{}
	for p := range partitions {
		starts[p] = kgo.NewOffset().At(0)
	}
	c, err := kgo.NewClient(append(client[:len(client):len(client)],
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: starts}), kgo.KeepControlRecords())...)
	if err != nil {
		return nil, fmt.Errorf("make consumer: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &watch{
		topic: topic, client: c, cancel: cancel, done: make(chan struct{}),
		open: map[writer]*pending{}, positions: map[int32]int64{}, moved: make(chan struct{}),
	}
	go w.run(ctx)
	return w, nil
}

func (w *watch) run(ctx context.Context) {
	defer close(w.done)
	defer w.client.Close()
	for ctx.Err() == nil {
		fetches := w.client.PollFetches(ctx)
		w.mu.Lock()
		fetches.EachError(func(topic string, partition int32, err error) {
			if ctx.Err() == nil {
				w.err = fmt.Errorf("watch %s-%d: %w", topic, partition, err)
			}
		})
		fetches.EachRecord(w.take)
		close(w.moved)
		w.moved = make(chan struct{})
		w.mu.Unlock()
	}
}

func (w *watch) take(r *kgo.Record) {
	w.positions[r.Partition] = r.Offset + 1
	by := writer{r.ProducerID, r.Partition}
	if r.Attrs.IsControl() {
		w.end(by, r.Key)
		return
	}
	id, err := orderID(r.Value)
	if err != nil {
		w.err = fmt.Errorf("%s-%d offset %d: %w", r.Topic, r.Partition, r.Offset, err)
		return
	}
	if !r.Attrs.IsTransactional() {
		w.commit(id)
		return
	}
	if w.open[by] == nil {
		w.open[by] = &pending{}
	}
	w.open[by].ids = append(w.open[by].ids, id)
	w.counts.open++
}

// end applies a marker: its key is a version and a type, 0 for abort and 1 for commit.
func (w *watch) end(by writer, key []byte) {
	ended := w.open[by]
	if ended == nil || len(key) < 4 {
		return
	}
	delete(w.open, by)
	w.counts.open -= int64(len(ended.ids))
	if binary.BigEndian.Uint16(key[2:]) != 1 {
		w.counts.aborted += int64(len(ended.ids))
		return
	}
	for _, id := range ended.ids {
		w.commit(id)
	}
}

func (w *watch) commit(id int64) {
	for int64(len(w.seen)) <= id {
		w.seen = append(w.seen, make([]uint8, 1+id)...)
	}
	w.counts.committed++
	if w.seen[id] > 0 {
		w.counts.duplicates++
	}
	w.seen[id] = min(w.seen[id], 254) + 1
}

// live returns the counts so far, and what has gone wrong with watching.
func (w *watch) live() (liveCounts, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts, w.err
}

// openOf returns how many records the open transactions of some transactional
// ids hold, once everything that is in the log by now has been seen.
func (w *watch) openOf(ctx context.Context, admin *kadm.Client, ids []string) (records int64, err error) {
	ends, err := admin.ListEndOffsets(ctx, w.topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("list end offsets: %w", err)
	}
	described, err := admin.DescribeTransactions(ctx, ids...)
	if err != nil {
		return 0, fmt.Errorf("describe transactions: %w", err)
	}
	if err := w.catchUp(ctx, ends); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for by, p := range w.open {
		for _, d := range described {
			if d.Err == nil && d.ProducerID == by.producer {
				records += int64(len(p.ids))
			}
		}
	}
	return records, nil
}

func (w *watch) catchUp(ctx context.Context, ends kadm.ListedOffsets) error {
	for {
		w.mu.Lock()
		behind, moved := false, w.moved
		ends.Each(func(o kadm.ListedOffset) { behind = behind || w.positions[o.Partition] < o.Offset })
		w.mu.Unlock()
		if !behind {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *watch) stop() {
	w.cancel()
	<-w.done
}
