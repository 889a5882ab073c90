package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// topicTimeout is how long the broker may take to elect leaders of new topics.
const topicTimeout = 30 * time.Second

// createTopics makes topics with the broker's default replication factor and
// returns once every partition has a leader that answers: otherwise the first
// arm to come would be measured waiting for it.
func createTopics(ctx context.Context, adm *kadm.Client, partitions int32, topics ...string) error {
	// Deleted files leave the disk soon: with the default of a minute the
	// space of a whole run piles up, and its release hits a later arm.
	configs := map[string]*string{"file.delete.delay.ms": kadm.StringPtr("1000")}
	resp, err := adm.CreateTopics(ctx, partitions, -1, configs, topics...)
	if err == nil {
		err = resp.Error()
	}
	if err != nil {
		return fmt.Errorf("create topics %v: %w", topics, err)
	}
	ctx, cancel := context.WithTimeout(ctx, topicTimeout)
	defer cancel()
	for _, topic := range topics {
		if err := awaitTopic(ctx, adm, partitions, topic); err != nil {
			return err
		}
	}
	return nil
}

func awaitTopic(ctx context.Context, adm *kadm.Client, partitions int32, topic string) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		offsets, err := ends(ctx, adm, topic, false)
		if err == nil && len(offsets) == int(partitions) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for leaders of %s: %w", topic, errors.Join(ctx.Err(), err))
		case <-tick.C:
		}
	}
}

func deleteTopics(ctx context.Context, adm *kadm.Client, topics ...string) error {
	resp, err := adm.DeleteTopics(ctx, topics...)
	if err == nil {
		err = resp.Error()
	}
	if err != nil {
		return fmt.Errorf("delete topics %v: %w", topics, err)
	}
	return nil
}

// ends returns a topic's end offset by partition: the high watermark, or the
// last stable offset when stable is set.
func ends(ctx context.Context, adm *kadm.Client, topic string, stable bool) (map[int32]int64, error) {
	list := adm.ListEndOffsets
	if stable {
		list = adm.ListCommittedOffsets
	}
	listed, err := list(ctx, topic)
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("list end offsets of %s: %w", topic, err)
	}
	out := make(map[int32]int64)
	for p, o := range listed[topic] {
		out[p] = o.Offset
	}
	return out, nil
}

func sum(offsets map[int32]int64) (total int64) {
	for _, o := range offsets {
		total += o
	}
	return total
}

func newAdmin(brokers []string) (*kadm.Client, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		return nil, fmt.Errorf("create admin client: %w", err)
	}
	return kadm.NewClient(cl), nil
}
