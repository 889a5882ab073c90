package eosproc_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

var (
	in  = topology.NewTopic("in", codec.String, codec.String)
	out = topology.NewTopic("out", codec.String, codec.String)
)

func copying(t *testing.T) *topology.Topology {
	b := topology.NewBuilder()
	topology.From(b, in).To(out)
	topo, err := b.Build()
	require.NoError(t, err)
	return topo
}

func broker(t *testing.T) []string {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "in", "out"))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c.ListenAddrs()
}

// states collects the changes of an application's state.
type states struct {
	mu   sync.Mutex
	seen []eosproc.State
}

func (s *states) changed(_, to eosproc.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, to)
}

func (s *states) has(want eosproc.State) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.seen {
		if x == want {
			return true
		}
	}
	return false
}

func start(t *testing.T, brokers []string, dir string, props map[string]string) (*eosproc.App, *states, func() error) {
	s := &states{}
	app, err := eosproc.New(copying(t), eosproc.Config{
		ApplicationID: "app", BootstrapServers: brokers, StateDir: dir, Properties: props, OnState: s.changed,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- app.Run(ctx) }()
	return app, s, func() error { cancel(); return <-done }
}

func TestAppRunsAndEnds(t *testing.T) {
	brokers, dir := broker(t), t.TempDir()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())

	app, seen, stop := start(t, brokers, dir, map[string]string{"eosproc.http.address": address})
	require.Eventually(t, func() bool { return app.State() == eosproc.Running }, 20*time.Second, 10*time.Millisecond)

	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics("out"), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	require.NoError(t, err)
	defer cl.Close()
	for i := range 100 {
		cl.Produce(context.Background(), &kgo.Record{Topic: "in", Key: fmt.Appendf(nil, "%d", i), Value: []byte("v")}, nil)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for n := 0; n < 100; {
		f := cl.PollFetches(ctx)
		require.NoError(t, ctx.Err())
		n += f.NumRecords()
	}
	resp, err := http.Get("http://" + address + "/readyz")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	families, err := app.Metrics().Gather()
	require.NoError(t, err)
	require.NotEmpty(t, families)

	require.NoError(t, stop())
	require.Equal(t, eosproc.NotRunning, app.State())
	require.True(t, seen.has(eosproc.PendingShutdown))
	require.ErrorIs(t, app.Run(context.Background()), eosproc.ErrRanBefore)
}

func TestPausedAppProcessesNothing(t *testing.T) {
	brokers := broker(t)
	app, _, stop := start(t, brokers, t.TempDir(), nil)
	require.Eventually(t, func() bool { return app.State() == eosproc.Running }, 20*time.Second, 10*time.Millisecond)
	app.Pause()
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics("out"))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.ProduceSync(context.Background(), &kgo.Record{Topic: "in", Value: []byte("v")}).FirstErr())
	short, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	require.Zero(t, cl.PollFetches(short).NumRecords(), "a paused application wrote")
	app.Resume()
	long, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	require.Equal(t, 1, cl.PollFetches(long).NumRecords())
	require.NoError(t, stop())
}

func TestOneProcessPerStateDirectory(t *testing.T) {
	brokers, dir := broker(t), t.TempDir()
	app, _, stop := start(t, brokers, dir, nil)
	require.Eventually(t, func() bool { return app.State() == eosproc.Running }, 20*time.Second, 10*time.Millisecond)
	second, _, stopSecond := start(t, brokers, dir, nil)
	require.Eventually(t, func() bool { return second.State() == eosproc.Error }, 20*time.Second, 10*time.Millisecond)
	require.ErrorIs(t, stopSecond(), fencing.ErrLocked)
	require.NoError(t, stop())
}

func TestAbortEndsAtOnce(t *testing.T) {
	app, _, stop := start(t, broker(t), t.TempDir(), nil)
	require.Eventually(t, func() bool { return app.State() == eosproc.Running }, 20*time.Second, 10*time.Millisecond)
	app.Abort()
	require.Error(t, stop())
}

func TestConfigIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		config eosproc.Config
		says   string
	}{
		"no id":       {eosproc.Config{BootstrapServers: []string{"b:1"}}, "application.id"},
		"no brokers":  {eosproc.Config{ApplicationID: "a"}, "bootstrap.servers"},
		"unknown key": {eosproc.Config{ApplicationID: "a", BootstrapServers: []string{"b:1"}, Properties: map[string]string{"comit.interval.ms": "1"}}, "commit.interval.ms"},
		"set twice":   {eosproc.Config{ApplicationID: "a", BootstrapServers: []string{"b:1"}, Properties: map[string]string{"application.id": "b"}}, "set twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := eosproc.New(copying(t), c.config)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestMissingTopicIsNamed(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "in"))
	require.NoError(t, err)
	defer c.Close()
	app, _, stop := start(t, c.ListenAddrs(), t.TempDir(), nil)
	require.Eventually(t, func() bool { return app.State() == eosproc.Error }, 20*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, stop(), `"out"`)
}

func TestStoppedBeforeItBegan(t *testing.T) {
	_, _, stop := start(t, []string{"127.0.0.1:1"}, t.TempDir(), nil)
	require.NoError(t, stop())
}

// Nothing is read or written for a topology whose state would not survive.
func TestStateIsRefusedOnKafka(t *testing.T) {
	b := topology.NewBuilder()
	store := statestore.NewKV("seen", codec.String, codec.Int64)
	topology.Process(topology.From(b, in), func(ctx *topology.Context[string, string]) func(topology.Record[string, string]) error {
		return ctx.Forward
	}, topology.Stores(store)).To(out)
	topo, err := b.Build()
	require.NoError(t, err)
	app, err := eosproc.New(topo, eosproc.Config{ApplicationID: "app", BootstrapServers: []string{"127.0.0.1:1"}, StateDir: t.TempDir()})
	require.NoError(t, err)
	err = app.Run(t.Context())
	require.ErrorIs(t, err, eosproc.ErrStateful)
	require.ErrorContains(t, err, `"seen"`)
}
