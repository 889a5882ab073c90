package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ReadAll reads a topic from its start up to the end that is valid when the
// call begins: the high watermark for [kgo.ReadUncommitted], the last stable
// offset for [kgo.ReadCommitted]. The records come in the order of partitions
// and offsets.
//
// It issues raw fetches instead of polling a consumer, because only these
// return the next position: a consumer's last record says nothing of the
// markers, aborted records and compacted gaps that may follow it.
func ReadAll(t testing.TB, bootstrap, topic string, isolation kgo.IsolationLevel) []*kgo.Record {
	t.Helper()
	ends := EndOffsets(t, bootstrap, topic)
	if isolation == kgo.ReadCommitted() {
		ends = StableOffsets(t, bootstrap, topic)
	}
	return ReadTo(t, bootstrap, topic, isolation, ends)
}

// ReadTo reads as [ReadAll] does, up to the given offset of each partition, and
// waits for partitions that are not there yet. Partitions that ends does not
// list are not read.
func ReadTo(t testing.TB, bootstrap, topic string, isolation kgo.IsolationLevel, ends map[int32]int64) []*kgo.Record {
	t.Helper()
	starts := StartOffsets(t, bootstrap, topic)
	cl := Client(t, bootstrap)
	defer cl.Close()
	var all []*kgo.Record
	for _, p := range slices.Sorted(maps.Keys(ends)) {
		r := reader{cl: cl, topic: topic, partition: p, isolation: isolation, position: starts[p]}
		for r.position < ends[p] {
			if err := r.fetch(limit(t)); err != nil {
				t.Fatalf("read %s/%d from %d to %d: %v", topic, p, r.position, ends[p], err)
			}
		}
		for _, rec := range r.records {
			// A fetch returns whole batches, which may reach beyond the end.
			if rec.Offset < ends[p] {
				all = append(all, rec)
			}
		}
	}
	return all
}

// reader is a position in one partition and what was read so far.
type reader struct {
	cl        *kgo.Client
	topic     string
	partition int32
	isolation kgo.IsolationLevel
	position  int64
	records   []*kgo.Record
}

// fetch reads once from the partition's current leader. Answers that name a
// moved leader count as empty, as does a wait without data.
func (r *reader) fetch(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	topics, err := kadm.NewClient(r.cl).ListTopics(ctx, r.topic)
	if err != nil {
		return fmt.Errorf("find leader: %w", err)
	}
	detail := topics[r.topic]
	part := detail.Partitions[r.partition]
	if err := errors.Join(detail.Err, part.Err); err != nil {
		return fmt.Errorf("find leader: %w", err)
	}

	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis = 200
	req.MinBytes = 1
	req.MaxBytes = 8 << 20
	if r.isolation == kgo.ReadCommitted() {
		req.IsolationLevel = 1
	}
	rt := kmsg.NewFetchRequestTopic()
	rt.Topic, rt.TopicID = r.topic, detail.ID // by name up to v12, by id after
	rp := kmsg.NewFetchRequestTopicPartition()
	rp.Partition = r.partition
	rp.FetchOffset = r.position
	rp.PartitionMaxBytes = 8 << 20
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)

	raw, err := r.cl.Broker(int(part.Leader)).RetriableRequest(ctx, req)
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	resp, ok := raw.(*kmsg.FetchResponse)
	if !ok || len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return fmt.Errorf("fetch: answer %T is not about the one partition", raw)
	}
	opts := kgo.ProcessFetchPartitionOpts{Offset: r.position, IsolationLevel: r.isolation, Topic: r.topic, Partition: r.partition}
	fp, next := kgo.ProcessFetchPartition(opts, &resp.Topics[0].Partitions[0], kgo.DefaultDecompressor(), nil)
	if fp.Err != nil && !kerr.IsRetriable(fp.Err) {
		return fmt.Errorf("fetch: %w", fp.Err)
	}
	r.records = append(r.records, fp.Records...)
	r.position = max(r.position, next)
	return nil
}
