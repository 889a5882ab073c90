package worker_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A commit that was sealed in one generation and is refused in the next, when
// the client has already joined that one, must not make the worker wait for a third.
func TestARefusedGenerationThatIsOverDoesNotStopTheWorker(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "in", "out"))
	require.NoError(t, err)
	defer cluster.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	require.NoError(t, err)
	defer client.Close()
	r := &rig{t, cluster.ListenAddrs(), client}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	start := func(index int) {
		w := r.worker(index, nil, map[string]string{"commit.interval.ms": "20"})
		go func() { done <- w.Run(ctx, context.Background()) }()
	}
	start(1)
	r.produce(0, 100)
	r.values(100)

	// The second worker gets nothing to do, so that there is one generation more
	// and not two. A SyncGroup follows when the client has taken the generation on.
	held, moved := make(chan struct{}), make(chan struct{})
	var refused atomic.Int32
	cluster.ControlKey(int16(kmsg.TxnOffsetCommit), func(req kmsg.Request) (kmsg.Response, error, bool) {
		if !refused.CompareAndSwap(0, req.(*kmsg.TxnOffsetCommitRequest).Generation) {
			return nil, nil, false
		}
		close(held)
		cluster.SleepControl(func() { <-moved })
		return nil, nil, false
	})
	r.produce(100, 200)
	<-held
	cluster.ControlKey(int16(kmsg.SyncGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		sync := req.(*kmsg.SyncGroupRequest)
		if sync.Generation > refused.Load() && len(sync.GroupAssignment) > 0 {
			select {
			case <-moved:
			default:
				close(moved)
			}
		}
		return nil, nil, false
	})
	start(2)
	<-moved
	r.produce(200, 300)
	require.Len(t, r.values(300), 300)
	cancel()
	require.NoError(t, <-done)
	require.NoError(t, <-done)
}
