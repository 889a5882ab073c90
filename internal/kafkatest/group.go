package kafkatest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// CommittedOffsets returns a group's committed offsets by topic and partition.
// Partitions without a commit are absent; a group that does not exist has none.
func CommittedOffsets(t testing.TB, bootstrap, group string) map[string]map[int32]int64 {
	t.Helper()
	out := make(map[string]map[int32]int64)
	withAdmin(t, bootstrap, func(ctx context.Context, adm *kadm.Client) {
		offsets, err := fetchOffsets(ctx, adm, group)
		if err != nil {
			t.Fatalf("fetch offsets of group %s: %v", group, err)
		}
		offsets.Each(func(o kadm.OffsetResponse) {
			if o.At < 0 {
				return
			}
			if out[o.Topic] == nil {
				out[o.Topic] = make(map[int32]int64)
			}
			out[o.Topic][o.Partition] = o.At
		})
	})
	return out
}

// fetchOffsets asks again while the coordinator is being found or made: the
// first group of a cluster has to wait for __consumer_offsets.
func fetchOffsets(ctx context.Context, adm *kadm.Client, group string) (kadm.OffsetResponses, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		offsets, err := adm.FetchOffsets(ctx, group)
		if err == nil {
			err = offsets.Error()
		}
		switch {
		case err == nil:
			return offsets, nil
		case errors.Is(err, kerr.GroupIDNotFound):
			return nil, nil
		case !kerr.IsRetriable(err):
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// GroupCoordinator returns the node id of a consumer group's coordinator.
func GroupCoordinator(t testing.TB, bootstrap, group string) int32 {
	t.Helper()
	return coordinator(t, bootstrap, group, 0)
}

// TxnCoordinator returns the node id of a transactional id's coordinator.
func TxnCoordinator(t testing.TB, bootstrap, transactionalID string) int32 {
	t.Helper()
	return coordinator(t, bootstrap, transactionalID, 1)
}

func coordinator(t testing.TB, bootstrap, key string, kind int8) int32 {
	t.Helper()
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType = kind
	req.CoordinatorKey = key
	req.CoordinatorKeys = []string{key}
	resp, err := req.RequestWith(limit(t), Client(t, bootstrap))
	if err != nil {
		t.Fatalf("find coordinator of %s: %v", key, err)
	}
	if len(resp.Coordinators) == 1 {
		return resp.Coordinators[0].NodeID
	}
	return resp.NodeID
}
