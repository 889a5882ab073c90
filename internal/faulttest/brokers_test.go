//go:build linux

package faulttest

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/kafkatest"
	"github.com/eosproc/eosproc/internal/localkafka"
)

// TestBrokerKilled kills one of three brokers, chosen by its role, while a worker
// stands at a step of the commit cycle, and starts it again.
func TestBrokerKilled(t *testing.T) {
	t.Parallel()
	kafkatest.Need(t)
	c := kafkatest.Real(t, kafkatest.WithBrokers(3))
	roles := []struct {
		name string
		find func(*rig) int32
	}{
		{"transaction_coordinator", func(r *rig) int32 {
			id, err := fencing.NewTransactionalID(r.app, "one", 1, r.random.IntN(2))
			require.NoError(t, err)
			return kafkatest.TxnCoordinator(t, c.Bootstrap(), id.String())
		}},
		{"group_coordinator", func(r *rig) int32 { return kafkatest.GroupCoordinator(t, c.Bootstrap(), r.app) }},
		{"output_leader", func(r *rig) int32 {
			return kafkatest.Leader(t, c.Bootstrap(), r.out, int32(r.random.IntN(partitions)))
		}},
	}
	for i, role := range roles {
		t.Run(role.name, func(t *testing.T) {
			r := newSteadyRig(t, c.Bootstrap(), withProperty("eosproc.instance.id", "one"))
			which := steps[1:8]
			if !full() {
				which = []string{[]string{"S6", "S4", "S3"}[i]}
			}
			for range rounds(t, 1) {
				for _, step := range which {
					killBroker(t, c, r, step, role.find)
				}
			}
			r.start("one")
			r.awaitProgress(patience)
			r.requireExact()
		})
	}
}

func killBroker(t *testing.T, c *localkafka.Cluster, r *rig, step string, find func(*rig) int32) {
	t.Helper()
	p := r.start("one", failAt(step, 3+r.random.IntN(15), "stop"))
	await(t, patience, "the worker stops at "+step, func() bool {
		require.False(t, p.ended(), "the worker ended before %s%s", step, p.troubles())
		return p.stopped()
	})
	b := c.Broker(find(r))
	require.NotNil(t, b)
	require.NoError(t, b.Kill())
	p.signal(t, syscall.SIGCONT)
	// The cluster works on without it; then it comes back.
	r.awaitProgress(patience)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, b.Start(ctx))
	require.NoError(t, c.AwaitInSync(ctx))
	r.awaitProgress(patience)
	require.Equal(t, exitClean, p.terminate(t), p.troubles())
}

// TestOneBroker restarts, kills, freezes and withholds the only broker.
func TestOneBroker(t *testing.T) {
	t.Parallel()
	kafkatest.Need(t)
	c := kafkatest.Real(t)
	b := c.Brokers()[0]
	r := newSteadyRig(t, c.Bootstrap(), withProperty("transaction.timeout.ms", "120000"))
	p := r.start("a")
	r.awaitProgress(patience)
	start := func() {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		require.NoError(t, b.Start(ctx))
	}
	for range min(rounds(t, 1), 5) {
		for _, fault := range []struct {
			name  string
			away  func() error
			lasts time.Duration
			back  func()
		}{
			{"restarted", b.Stop, 0, start},
			{"killed", b.Kill, 0, start},
			{"down for longer than a rebalance may take", b.Kill, downtime(), start},
			{"frozen", b.Freeze, 5 * time.Second, func() { require.NoError(t, b.Thaw()) }},
		} {
			r.betweenMarkers(p, func() { require.NoError(t, fault.away()) })
			elapse(t, fault.lasts)
			fault.back()
			since := time.Now()
			r.awaitProgress(patience)
			t.Logf("%s: caught up after %s", fault.name, time.Since(since).Round(time.Millisecond))
			require.False(t, p.ended(), "the worker did not outlive the broker: %s%s", fault.name, p.troubles())
		}
	}
	r.requireExact()
}

// betweenMarkers takes the whole cluster away at a moment when the coordinator
// writes no markers, and lets the worker run into its absence.
//
// A coordinator that restarts with markers still to be written, before the
// partitions have leaders, takes these for deleted: it calls the transaction
// complete, which then hangs in the partitions, and whatever its producer ends
// next decides it (Kafka 4.4.0, "Couldn't find leader endpoint for partitions …
// likely deleted already"). The same happens to a transaction that has outlived its
// timeout by then, so the timeout is longer than the test. No client can do anything
// about that, so it is not what is tested here.
func (r *rig) betweenMarkers(p *process, take func()) {
	r.t.Helper()
	p.signal(r.t, syscall.SIGSTOP)
	defer p.signal(r.t, syscall.SIGCONT)
	await(r.t, patience, "no markers are being written", func() bool {
		for _, open := range kafkatest.OpenTransactions(r.t, r.bootstrap, r.app+"-") {
			if open.State != "Ongoing" {
				return false
			}
		}
		return true
	})
	take()
}

// downtime is longer than max.poll.interval.ms of the workers, and than the client tries by itself.
func downtime() time.Duration {
	if full() {
		return 40 * time.Second
	}
	return 10 * time.Second
}

// TestClusterDown kills all of three brokers for ten seconds.
func TestClusterDown(t *testing.T) {
	kafkatest.Need(t)
	c := kafkatest.Real(t, kafkatest.WithBrokers(3))
	r := newSteadyRig(t, c.Bootstrap(), withProperty("transaction.timeout.ms", "120000"))
	p := r.start("a")
	r.awaitProgress(patience)
	for range min(rounds(t, 1), 3) {
		r.betweenMarkers(p, func() {
			for _, b := range c.Brokers() {
				require.NoError(t, b.Kill())
			}
		})
		elapse(t, 10*time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		failures := make(chan error, len(c.Brokers()))
		for _, b := range c.Brokers() {
			go func() { failures <- b.Start(ctx) }()
		}
		for range c.Brokers() {
			require.NoError(t, <-failures)
		}
		cancel()
		r.awaitProgress(patience)
		require.False(t, p.ended(), p.troubles())
	}
	r.requireExact()
}

// elapse lets time pass where the length of a fault is the point of the test.
func elapse(t *testing.T, d time.Duration) {
	t.Helper()
	if d == 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-t.Context().Done():
		t.Fatal(fmt.Errorf("wait %s: %w", d, t.Context().Err()))
	}
}
