package restore

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/statestore"
)

const (
	// fetchBytes is what is asked for at once; it is also about what is in memory of each task.
	fetchBytes = 4 << 20
	// fetchWait bounds how long an answer may take while nothing is committed; all
	// requests to a broker share a connection, so the others wait behind it.
	fetchWait = 50 // ms
	// topicNames is the last version of Fetch that names topics instead of giving their ids.
	topicNames = 12
)

// fetch returns the committed records from an offset on, and the offset behind
// all that was looked at.
func (r *reader) fetch(ctx context.Context, from int64) ([]statestore.ChangelogRecord, int64, error) {
	for {
		part, err := r.ask(ctx, from)
		if err == nil {
			return r.decode(part, from)
		}
		r.leader = -1
		if errors.Is(err, ErrMissing) {
			return nil, from, err
		}
		if err := mayRetry(ctx, err); err != nil {
			return nil, from, fmt.Errorf("fetch from offset %d: %w", from, err)
		}
	}
}

func (r *reader) ask(ctx context.Context, from int64) (*kmsg.FetchResponseTopicPartition, error) {
	if err := r.findLeader(ctx); err != nil {
		return nil, err
	}
	req := kmsg.NewPtrFetchRequest()
	req.ReplicaID, req.MaxWaitMillis, req.MinBytes, req.MaxBytes = -1, fetchWait, 1, fetchBytes
	req.IsolationLevel, req.SessionEpoch = 1, -1
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic = r.c.Topic
	part := kmsg.NewFetchRequestTopicPartition()
	part.Partition, part.FetchOffset, part.PartitionMaxBytes, part.CurrentLeaderEpoch, part.LastFetchedEpoch = r.c.Partition, from, fetchBytes, -1, -1
	topic.Partitions = append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)

	resp, err := r.client.Broker(int(r.leader)).RetriableRequest(ctx, versioned{req})
	if err != nil {
		return nil, err
	}
	answer := resp.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(answer.ErrorCode); err != nil {
		return nil, err
	}
	if len(answer.Topics) != 1 || len(answer.Topics[0].Partitions) != 1 {
		return nil, fmt.Errorf("the answer has %d topics, want one with one partition", len(answer.Topics))
	}
	got := &answer.Topics[0].Partitions[0]
	return got, kerr.ErrorForCode(got.ErrorCode)
}

// versioned bounds the version of a request.
type versioned struct{ *kmsg.FetchRequest }

// MaxVersion implements [kmsg.Request].
func (versioned) MaxVersion() int16 { return topicNames }

func (r *reader) findLeader(ctx context.Context) error {
	if r.leader >= 0 {
		return nil
	}
	found, err := r.admin.Metadata(ctx, r.c.Topic)
	if err != nil {
		return err
	}
	part, ok := found.Topics[r.c.Topic].Partitions[r.c.Partition]
	if !ok {
		return ErrMissing
	}
	if part.Err != nil {
		return part.Err
	}
	r.leader = part.Leader
	return nil
}

func (r *reader) decode(part *kmsg.FetchResponseTopicPartition, from int64) ([]statestore.ChangelogRecord, int64, error) {
	opts := kgo.ProcessFetchPartitionOpts{Offset: from, IsolationLevel: kgo.ReadCommitted(), Topic: r.c.Topic, Partition: r.c.Partition}
	fetched, next := kgo.ProcessFetchPartition(opts, part, kgo.DefaultDecompressor(), nil)
	if fetched.Err != nil {
		return nil, from, fmt.Errorf("decode from offset %d: %w", from, fetched.Err)
	}
	records := make([]statestore.ChangelogRecord, len(fetched.Records))
	for i, rec := range fetched.Records {
		records[i] = statestore.ChangelogRecord{Key: rec.Key, Value: rec.Value, Timestamp: rec.Timestamp.UnixMilli()}
	}
	return records, next, nil
}
