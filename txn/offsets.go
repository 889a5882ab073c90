package txn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/fencing"
)

// CommitOffsets commits offsets outside of any transaction, fenced by the token.
func CommitOffsets(ctx context.Context, client *kgo.Client, token fencing.Token, offsets []Offset, stamp Stamp) error {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation, req.MemberID = token.Group, token.Generation, token.MemberID
	if token.InstanceID != "" {
		req.InstanceID = &token.InstanceID
	}
	for _, o := range offsets {
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != o.Topic {
			t := kmsg.NewOffsetCommitRequestTopic()
			t.Topic = o.Topic
			req.Topics = append(req.Topics, t)
		}
		part := kmsg.NewOffsetCommitRequestTopicPartition()
		part.Partition, part.Offset, part.LeaderEpoch = o.Partition, o.Next, o.LeaderEpoch
		stamp.StreamTime = o.StreamTime
		metadata := stamp.Encode()
		part.Metadata = &metadata
		t := &req.Topics[len(req.Topics)-1]
		t.Partitions = append(t.Partitions, part)
	}
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return &stepError{fencing.OffsetCommit, err}
	}
	for _, t := range resp.Topics {
		for _, part := range t.Partitions {
			if err := kerr.ErrorForCode(part.ErrorCode); err != nil {
				return &stepError{fencing.OffsetCommit, fmt.Errorf("%s-%d: %w", t.Topic, part.Partition, err)}
			}
		}
	}
	return nil
}

// Committed is what the group has committed for a partition.
type Committed struct {
	Topic     string
	Partition int32
	// Next is the committed offset; -1 if there is none.
	Next        int64
	LeaderEpoch int32
	Stamp       Stamp
}

// FetchCommitted reads the group's committed offsets of the given partitions. It
// waits for transactions that are being decided (require_stable) and for brokers
// that are out of reach, for as long as ctx allows.
func FetchCommitted(ctx context.Context, client *kgo.Client, token fencing.Token, partitions []Offset) ([]Committed, error) {
	for {
		found, stable, err := fetchCommitted(ctx, client, token, partitions)
		wait := stablePause
		if err != nil {
			if fencing.Classify(fencing.OffsetFetch, err, 0).Verdict != fencing.Retry || ctx.Err() != nil {
				return nil, err
			}
			wait = retryPause
		} else if stable {
			return found, nil
		}
		if perr := pause(ctx, wait); perr != nil {
			return nil, &stepError{fencing.OffsetFetch, errors.Join(fmt.Errorf("wait for stable offsets: %w", perr), err)}
		}
	}
}

func fetchCommitted(ctx context.Context, client *kgo.Client, token fencing.Token, partitions []Offset) (found []Committed, stable bool, err error) {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = true
	group := kmsg.NewOffsetFetchRequestGroup()
	group.Group = token.Group
	for _, o := range partitions {
		if n := len(group.Topics); n == 0 || group.Topics[n-1].Topic != o.Topic {
			t := kmsg.NewOffsetFetchRequestGroupTopic()
			t.Topic = o.Topic
			group.Topics = append(group.Topics, t)
		}
		t := &group.Topics[len(group.Topics)-1]
		t.Partitions = append(t.Partitions, o.Partition)
	}
	req.Groups = append(req.Groups, group)
	resp, err := req.RequestWith(ctx, client)
	if notSent(err) {
		forgetCoordinator(ctx, client, token)
	}
	if err != nil {
		return nil, false, &stepError{fencing.OffsetFetch, err}
	}
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return nil, false, &stepError{fencing.OffsetFetch, err}
		}
		for _, t := range g.Topics {
			for _, part := range t.Partitions {
				switch err := kerr.ErrorForCode(part.ErrorCode); {
				case err == kerr.UnstableOffsetCommit:
					return nil, false, nil
				case err != nil:
					return nil, false, &stepError{fencing.OffsetFetch, fmt.Errorf("%s-%d: %w", t.Topic, part.Partition, err)}
				}
				c := Committed{Topic: t.Topic, Partition: part.Partition, Next: part.Offset, LeaderEpoch: part.LeaderEpoch, Stamp: Stamp{StreamTime: -1}}
				if part.Metadata != nil {
					c.Stamp, _ = DecodeStamp(*part.Metadata)
				}
				found = append(found, c)
			}
		}
	}
	return found, true, nil
}

// forgetCoordinator makes the client look for the group's coordinator again. The
// client does so by itself when a heartbeat cannot be sent, but not for an
// OffsetFetch (kgo 1.22): that would go to a dead broker for ever.
func forgetCoordinator(ctx context.Context, client *kgo.Client, token fencing.Token) {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.Generation, req.MemberID = token.Group, token.Generation, token.MemberID
	ctx, cancel := context.WithTimeout(ctx, coordinatorPatience)
	defer cancel()
	// Whatever it answers, the coordinator is a living one then.
	_, _ = req.RequestWith(ctx, client)
}

const coordinatorPatience = 2 * time.Second
