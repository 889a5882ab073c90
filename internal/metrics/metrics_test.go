package metrics

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/internal/worker"
	"github.com/eosproc/eosproc/topology"
	"github.com/eosproc/eosproc/txn"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew")

func fresh(t *testing.T, guarantee settings.Guarantee) (*Metrics, *prometheus.Registry) {
	t.Helper()
	reg := prometheus.NewPedanticRegistry()
	m, err := New(reg, &settings.Settings{ApplicationID: "payments", Guarantee: guarantee}, Build{"1.2.3", "abc", "go1.26"})
	require.NoError(t, err)
	return m, reg
}

func id(sub int, partition int32) topology.TaskID {
	return topology.TaskID{SubTopology: sub, Partition: partition}
}

// use reports something to every method.
func use(m *Metrics) {
	m.State(1, worker.Created)
	m.State(1, worker.Running)
	m.State(2, worker.Starting)
	m.Spent(1, worker.Processing, 1500*time.Millisecond)
	m.Spent(1, worker.Idle, 500*time.Millisecond)
	m.Spent(1, worker.Idle, -time.Second)
	m.Consumed("orders", 40)
	m.Consumed("orders", 2)
	m.Rebalanced(1, []topology.TaskID{id(0, 0), id(0, 1)}, 20*time.Millisecond)
	m.Processed(id(0, 0), 30)
	m.Processed(id(0, 1), 12)
	m.Produced("payments", 41, 4100)
	m.Dropped(id(0, 0), topology.DropNullKey)
	m.Failed(id(0, 0), task.Continue, &topology.RecordError{Stage: topology.Deserialization})
	m.Failed(id(0, 1), task.DeadLetter, &topology.RecordError{Stage: topology.Processing})
	m.Retried(id(0, 1))
	m.Committed(1, &txn.Sealed{Records: 41, Flush: 2 * time.Millisecond, Offsetting: time.Millisecond, EndTxn: 3 * time.Millisecond})
	m.Committed(1, &txn.Sealed{Offsetting: 4 * time.Millisecond})
	m.Aborted(1, fmt.Errorf("produce: %w", kerr.MessageTooLarge))
	m.Fenced(1, fencing.ByGeneration)
	m.Lag("orders", 0, 7)
	m.Lag("orders", 1, 9)
}

func TestGolden(t *testing.T) {
	m, reg := fresh(t, settings.ExactlyOnceV2)
	use(m)
	if *rewrite {
		require.NoError(t, prometheus.WriteToTextfile("testdata/metrics.txt", reg))
	}
	golden, err := os.Open("testdata/metrics.txt")
	require.NoError(t, err)
	defer golden.Close()
	assert.NoError(t, testutil.GatherAndCompare(reg, golden))
}

func TestNamesFollowTheConventions(t *testing.T) {
	m, reg := fresh(t, settings.ExactlyOnceV2)
	use(m)
	problems, err := testutil.GatherAndLint(reg)
	require.NoError(t, err)
	assert.Empty(t, problems)
}

func TestWhatMovesAwayIsDeleted(t *testing.T) {
	m, _ := fresh(t, settings.ExactlyOnceV2)
	m.Rebalanced(1, []topology.TaskID{id(0, 0), id(0, 1)}, 0)
	m.Processed(id(0, 0), 1)
	m.Processed(id(0, 1), 1)
	m.Lag("orders", 0, 7)
	m.Lag("orders", 1, 9)

	m.Unassigned("orders", 1)
	m.Rebalanced(1, []topology.TaskID{id(0, 0)}, 0)
	assert.NoError(t, testutil.CollectAndCompare(m.processed, strings.NewReader(`
# HELP eosproc_records_processed_total Records processed, again after aborts included.
# TYPE eosproc_records_processed_total counter
eosproc_records_processed_total{task="0_0"} 1
`)))
	assert.NoError(t, testutil.CollectAndCompare(m.lag, strings.NewReader(`
# HELP eosproc_consumer_lag_records Offsets between the position and the end of a partition: for kind lso, the last stable offset.
# TYPE eosproc_consumer_lag_records gauge
eosproc_consumer_lag_records{kind="lso",partition="0",topic="orders"} 7
`)))

	m.Rebalanced(1, nil, 0)
	m.Unassigned("orders", 0)
	assert.Zero(t, testutil.CollectAndCount(m.processed))
	assert.Zero(t, testutil.CollectAndCount(m.lag))
}

func TestTaskThatMovesToAnotherWorkerOfTheProcessKeepsItsSeries(t *testing.T) {
	m, _ := fresh(t, settings.ExactlyOnceV2)
	m.Rebalanced(1, []topology.TaskID{id(0, 0)}, 0)
	m.Processed(id(0, 0), 5)
	m.Rebalanced(2, []topology.TaskID{id(0, 0)}, 0)
	m.Rebalanced(1, nil, 0)
	assert.Equal(t, 5.0, testutil.ToFloat64(m.processed.WithLabelValues("0_0")))
}

func TestWorkersByState(t *testing.T) {
	m, reg := fresh(t, settings.ExactlyOnceV2)
	n, err := testutil.GatherAndCount(reg, "eosproc_threads")
	require.NoError(t, err)
	assert.Equal(t, len(states), n, "a query for a state that no worker is in finds 0, not nothing")
	for _, s := range []worker.State{worker.Starting, worker.PartitionsAssigned, worker.Running} {
		m.State(1, s)
	}
	m.State(2, worker.Running)
	m.State(2, worker.Running)
	assert.Equal(t, 2.0, testutil.ToFloat64(m.threads.WithLabelValues("RUNNING")))
	assert.Equal(t, 0.0, testutil.ToFloat64(m.threads.WithLabelValues("STARTING")))
	m.State(2, worker.Dead)
	assert.Equal(t, 1.0, testutil.ToFloat64(m.threads.WithLabelValues("RUNNING")))
	assert.Equal(t, 1.0, testutil.ToFloat64(m.threads.WithLabelValues("DEAD")))
}

func TestCausesAreFew(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, "unknown"},
		{fmt.Errorf("produce to payments-3: %w", kerr.NotEnoughReplicas), "NOT_ENOUGH_REPLICAS"},
		{&fencing.FencedError{By: fencing.ByEpoch, Code: "PRODUCER_FENCED", Err: kerr.ProducerFenced}, "PRODUCER_FENCED"},
		{&fencing.FencedError{By: fencing.ByGeneration}, "fenced_generation"},
		{fmt.Errorf("task: %w", &topology.RecordError{Stage: topology.Processing, Topic: "orders", Offset: 9, Err: errors.New("user text")}), "processing"},
		{context.Canceled, fencing.CodeCanceled},
		{errors.New("key 4711 is bad"), fencing.CodeClient},
	} {
		assert.Equal(t, test.want, class(test.err), "%v", test.err)
	}
}

func TestOnlyTransactionsCountAsSuch(t *testing.T) {
	m, _ := fresh(t, settings.ExactlyOnceV2)
	m.Committed(1, &txn.Sealed{Offsetting: time.Millisecond})
	assert.Zero(t, testutil.CollectAndCount(m.transactions), "offsets alone go out without a transaction")
	assert.Equal(t, 2, testutil.CollectAndCount(m.commitDuration), "offsets and total")

	weaker, reg := fresh(t, settings.AtLeastOnce)
	weaker.Committed(1, &txn.Sealed{Records: 5, Begun: time.Now(), Flush: time.Millisecond, Offsetting: time.Millisecond})
	weaker.Aborted(1, kerr.NotEnoughReplicas)
	assert.Zero(t, testutil.CollectAndCount(weaker.transactions))
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == "eosproc_txn_records" || f.GetName() == "eosproc_txn_open_seconds" {
			assert.Zero(t, f.GetMetric()[0].GetHistogram().GetSampleCount(), f.GetName())
		}
	}
}

func TestHistogramsAreClassicAndNative(t *testing.T) {
	m, reg := fresh(t, settings.ExactlyOnceV2)
	m.Committed(1, &txn.Sealed{Records: 5, Begun: time.Now().Add(-30 * time.Millisecond), Flush: time.Millisecond})
	families, err := reg.Gather()
	require.NoError(t, err)
	seen := 0
	for _, f := range families {
		if f.GetName() != "eosproc_txn_open_seconds" && f.GetName() != "eosproc_commit_duration_seconds" {
			continue
		}
		h := f.GetMetric()[0].GetHistogram()
		assert.NotEmpty(t, h.GetBucket(), f.GetName())
		assert.NotNil(t, h.Schema, f.GetName())
		seen++
		if f.GetName() == "eosproc_txn_open_seconds" {
			assert.GreaterOrEqual(t, h.GetSampleSum(), 0.03)
		}
	}
	assert.Equal(t, 2, seen)
}

func TestSecondApplicationInOneRegistry(t *testing.T) {
	_, reg := fresh(t, settings.ExactlyOnceV2)
	_, err := New(reg, &settings.Settings{ApplicationID: "other"}, Build{})
	assert.ErrorContains(t, err, "register metrics")
}

func TestWorkersReportAtTheSameTime(t *testing.T) {
	m, reg := fresh(t, settings.ExactlyOnceV2)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 50 {
				use(m)
				m.Rebalanced(i, nil, 0)
				m.Unassigned("orders", int32(i))
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			_, err := reg.Gather()
			assert.NoError(t, err)
		}
	})
	wg.Wait()
	assert.Equal(t, 4*50*42.0, testutil.ToFloat64(m.consumed.WithLabelValues("orders")))
}

func BenchmarkBatch(b *testing.B) {
	m, err := New(prometheus.NewRegistry(), &settings.Settings{}, Build{})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		m.Consumed("orders", 500)
		m.Processed(id(0, 3), 500)
		m.Lag("orders", 3, 10)
		m.Spent(1, worker.Processing, time.Millisecond)
	}
}
