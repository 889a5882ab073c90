package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/worker"
	"github.com/eosproc/eosproc/topology"
)

// rig is a fake cluster with an input and an output topic, and a copy topology.
type rig struct {
	t       *testing.T
	brokers []string
	client  *kgo.Client
}

func newRig(t *testing.T, partitions int32) *rig {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, "in", "out"))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return &rig{t, c.ListenAddrs(), cl}
}

func (r *rig) produce(from, to int) {
	for i := from; i < to; i++ {
		r.client.Produce(context.Background(), &kgo.Record{Topic: "in", Key: fmt.Appendf(nil, "k%d", i%17), Value: fmt.Appendf(nil, "%d", i)}, nil)
	}
	require.NoError(r.t, r.client.Flush(context.Background()))
}

func (r *rig) worker(index int, obs worker.Observer, props map[string]string) *worker.Worker {
	b := topology.NewBuilder()
	topology.From(b, topology.NewTopic("in", codec.Bytes, codec.Bytes)).To(topology.NewTopic("out", codec.Bytes, codec.Bytes))
	topo, err := b.Build()
	require.NoError(r.t, err)
	all := map[string]string{"application.id": "copy", "bootstrap.servers": r.brokers[0], "session.timeout.ms": "6000", "heartbeat.interval.ms": "500"}
	for k, v := range props {
		all[k] = v
	}
	s, problems := settings.Parse(all)
	require.NoError(r.t, problems.Err())
	return worker.New(worker.Config{
		Index: index, InstanceID: "i1", Settings: s, Topology: topo, Client: []kgo.Opt{kgo.SeedBrokers(r.brokers...)}, Observer: obs,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo})),
	})
}

// values reads the committed values of the output until there are n, and then up to its end.
func (r *rig) values(n int) map[string]int {
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.brokers...), kgo.ConsumeTopics("out"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	require.NoError(r.t, err)
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	got := map[string]int{}
	for seen := 0; seen < n; {
		f := cl.PollFetches(ctx)
		require.NoError(r.t, ctx.Err(), "saw %d of %d", seen, n)
		f.EachRecord(func(rec *kgo.Record) { got[string(rec.Value)]++; seen++ })
	}
	return got
}

func TestCopy(t *testing.T) {
	for _, guarantee := range []string{"exactly_once_v2", "at_least_once", "at_most_once"} {
		t.Run(guarantee, func(t *testing.T) {
			r := newRig(t, 4)
			r.produce(0, 5000)
			w := r.worker(1, nil, map[string]string{"processing.guarantee": guarantee, "commit.interval.ms": "20"})
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- w.Run(ctx, context.Background()) }()
			r.values(5000)
			r.produce(5000, 6000)
			got := r.values(6000)
			cancel()
			require.NoError(t, <-done)
			require.Len(t, got, 6000)
			adm := kadm.NewClient(r.client)
			offsets, err := adm.FetchOffsets(context.Background(), "copy")
			require.NoError(t, err)
			var total int64
			offsets.Each(func(o kadm.OffsetResponse) { total += o.At })
			require.EqualValues(t, 6000, total)
		})
	}
}
