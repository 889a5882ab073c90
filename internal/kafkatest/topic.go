package kafkatest

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// CreateTopic creates a topic with the cluster's replication factor and the
// given topic configuration (nil: none), and returns once it has leaders.
func CreateTopic(t testing.TB, bootstrap, name string, partitions int32, configs map[string]string) {
	t.Helper()
	values := make(map[string]*string, len(configs))
	for k, v := range configs {
		values[k] = &v
	}
	withAdmin(t, bootstrap, func(ctx context.Context, adm *kadm.Client) {
		if _, err := adm.CreateTopic(ctx, partitions, -1, values, name); err != nil {
			t.Fatalf("create topic %s: %v", name, err)
		}
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for !hasLeaders(ctx, adm, name, partitions) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatalf("wait for leaders of topic %s: %v", name, ctx.Err())
			}
		}
	})
}

// hasLeaders treats every error as "not yet": brokers learn of a new topic one
// after the other.
func hasLeaders(ctx context.Context, adm *kadm.Client, name string, partitions int32) bool {
	topics, err := adm.ListTopics(ctx, name)
	if err != nil || topics[name].Err != nil || len(topics[name].Partitions) != int(partitions) {
		return false
	}
	for _, p := range topics[name].Partitions {
		if p.Err != nil || p.Leader < 0 {
			return false
		}
	}
	return true
}

// Leader returns the node id of a partition's leader.
func Leader(t testing.TB, bootstrap, topic string, partition int32) int32 {
	t.Helper()
	leader := int32(-1)
	withAdmin(t, bootstrap, func(ctx context.Context, adm *kadm.Client) {
		topics, err := adm.ListTopics(ctx, topic)
		if err == nil {
			err = topics[topic].Partitions[partition].Err
		}
		if err != nil {
			t.Fatalf("find leader of %s/%d: %v", topic, partition, err)
		}
		leader = topics[topic].Partitions[partition].Leader
	})
	return leader
}

// StartOffsets returns the first offset of each partition.
func StartOffsets(t testing.TB, bootstrap, topic string) map[int32]int64 {
	t.Helper()
	return listOffsets(t, bootstrap, topic, (*kadm.Client).ListStartOffsets)
}

// EndOffsets returns the high watermark of each partition: the end for a
// read_uncommitted reader.
func EndOffsets(t testing.TB, bootstrap, topic string) map[int32]int64 {
	t.Helper()
	return listOffsets(t, bootstrap, topic, (*kadm.Client).ListEndOffsets)
}

// StableOffsets returns the last stable offset of each partition: the end for a
// read_committed reader, which open transactions hold back.
func StableOffsets(t testing.TB, bootstrap, topic string) map[int32]int64 {
	t.Helper()
	return listOffsets(t, bootstrap, topic, (*kadm.Client).ListCommittedOffsets)
}

func listOffsets(t testing.TB, bootstrap, topic string, list func(*kadm.Client, context.Context, ...string) (kadm.ListedOffsets, error)) map[int32]int64 {
	t.Helper()
	out := make(map[int32]int64)
	withAdmin(t, bootstrap, func(ctx context.Context, adm *kadm.Client) {
		offsets, err := list(adm, ctx, topic)
		if err == nil {
			err = offsets.Error()
		}
		if err != nil {
			t.Fatalf("list offsets of %s: %v", topic, err)
		}
		for p, o := range offsets[topic] {
			out[p] = o.Offset
		}
	})
	return out
}
