package verify

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/eosproc/eosproc/internal/kafkaconf"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// stablePatience is how long the group's pending offset commits may take.
const stablePatience = 60 * time.Second

// retryPause is the pause between attempts.
const retryPause = 50 * time.Millisecond

func defaultReaders() int { return min(runtime.GOMAXPROCS(0), 4) }

// describe looks up topics and fails with the names of all that are missing.
func describe(ctx context.Context, admin *kadm.Client, topics []string) (kadm.TopicDetails, error) {
	details, err := admin.ListTopicsWithInternal(ctx, topics...)
	if err != nil {
		return nil, fmt.Errorf("describe topics: %w", err)
	}
	var faults []error
	for _, topic := range topics {
		detail, found := details[topic]
		switch {
		case !found || errors.Is(detail.Err, kerr.UnknownTopicOrPartition):
			faults = append(faults, fmt.Errorf("%w: %q does not exist%s", ErrNoTopic, topic, near(ctx, admin, topic)))
		case detail.Err != nil:
			faults = append(faults, fmt.Errorf("describe topic %q: %w", topic, detail.Err))
		}
		for _, partition := range detail.Partitions {
			if partition.Leader < 0 {
				faults = append(faults, fmt.Errorf("describe topic %q: partition %d has no leader: %w", topic, partition.Partition, kerr.LeaderNotAvailable))
			}
		}
	}
	return details, errors.Join(faults...)
}

// near is the end of an error about a missing topic; a listing that fails only
// costs the suggestion.
func near(ctx context.Context, admin *kadm.Client, topic string) string {
	all, err := admin.ListTopics(ctx)
	if err != nil {
		return ""
	}
	names := slices.DeleteFunc(all.Names(), func(name string) bool { return all[name].Err != nil })
	if suggestion := kafkaconf.Suggest(topic, names); suggestion != "" {
		return fmt.Sprintf("; did you mean %q?", suggestion)
	}
	return ""
}

// offsets is a position per topic and partition.
type offsets map[string]map[int32]int64

// list asks for offsets with one of kadm's list functions, and again while an
// error passes: kadm gives up at the first leader that has moved.
func list(ctx context.Context, ask func(context.Context, ...string) (kadm.ListedOffsets, error), topics []string) (offsets, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchPatience)
	defer cancel()
	for {
		out, err := listOnce(ctx, ask, topics)
		if err == nil {
			return out, nil
		}
		if !kerr.IsRetriable(err) || !pause(ctx, retryPause) {
			return nil, fmt.Errorf("list offsets: %w", err)
		}
	}
}

func listOnce(ctx context.Context, ask func(context.Context, ...string) (kadm.ListedOffsets, error), topics []string) (offsets, error) {
	from, err := ask(ctx, topics...)
	if err != nil {
		return nil, err
	}
	if err := from.Error(); err != nil {
		return nil, err
	}
	out := make(offsets)
	from.Each(func(o kadm.ListedOffset) {
		if out[o.Topic] == nil {
			out[o.Topic] = make(map[int32]int64)
		}
		out[o.Topic][o.Partition] = o.Offset
	})
	return out, nil
}

// pause waits for d, or reports false when ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// groupOffsets fetches the committed offsets of group for topics, after pending
// transactional commits are decided; nil if the group is unknown.
func groupOffsets(ctx context.Context, admin *kadm.Client, group string, topics []string) (offsets, error) {
	ctx, cancel := context.WithTimeout(kadm.RequireStable(ctx), stablePatience)
	defer cancel()
	for {
		fetched, err := admin.FetchOffsets(ctx, group)
		if errors.Is(err, kerr.GroupIDNotFound) {
			return nil, nil // newer brokers say so; older ones answer with no offsets
		}
		if err == nil {
			var out offsets
			if out, err = ofTopics(fetched, topics); err == nil {
				return out, nil
			}
		}
		// kadm sends once; the broker answers UNSTABLE_OFFSET_COMMIT in place of
		// waiting, so the waiting is here.
		if !errors.Is(err, kerr.UnstableOffsetCommit) && !kerr.IsRetriable(err) {
			return nil, fmt.Errorf("fetch offsets of group %q: %w", group, err)
		}
		if !pause(ctx, retryPause) {
			return nil, fmt.Errorf("fetch offsets of group %q: a transaction with its offsets stays open: %w", group, err)
		}
	}
}

func ofTopics(fetched kadm.OffsetResponses, topics []string) (offsets, error) {
	out := make(offsets)
	for topic, partitions := range fetched {
		if !slices.Contains(topics, topic) {
			continue
		}
		out[topic] = make(map[int32]int64)
		for partition, response := range partitions {
			if response.Err != nil {
				return nil, response.Err
			}
			out[topic][partition] = response.At
		}
	}
	return out, nil
}

// get returns the offset of a partition, or absent if there is none.
func (o offsets) get(topic string, partition int32, absent int64) int64 {
	if at, found := o[topic][partition]; found && at >= 0 {
		return at
	}
	return absent
}
