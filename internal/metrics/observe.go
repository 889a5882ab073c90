package metrics

import (
	"errors"
	"strconv"
	"time"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/internal/worker"
	"github.com/eosproc/eosproc/topology"
	"github.com/eosproc/eosproc/txn"
)

// State implements [worker.Observer].
func (m *Metrics) State(index int, s worker.State) {
	if before := m.owned.state(index, s); before != "" {
		m.threads.WithLabelValues(string(before)).Dec()
	}
	m.threads.WithLabelValues(string(s)).Inc()
}

// Spent implements [worker.Observer].
func (m *Metrics) Spent(index int, a worker.Activity, d time.Duration) {
	// A clock that was set back must not make a counter panic.
	m.threadSeconds.WithLabelValues(strconv.Itoa(index), string(a)).Add(max(0, d).Seconds())
}

// Consumed implements [worker.Observer].
func (m *Metrics) Consumed(topic string, records int) {
	m.consumed.WithLabelValues(topic).Add(float64(records))
}

// Processed implements [worker.Observer].
func (m *Metrics) Processed(id topology.TaskID, records int) {
	m.processed.WithLabelValues(m.owned.name(id)).Add(float64(records))
}

// Produced implements [worker.Observer].
func (m *Metrics) Produced(topic string, records, bytes int) {
	m.produced.WithLabelValues(topic).Add(float64(records))
	m.producedBytes.WithLabelValues(topic).Add(float64(bytes))
}

// Dropped implements [worker.Observer].
func (m *Metrics) Dropped(_ topology.TaskID, reason string) {
	m.dropped.WithLabelValues(reason).Inc()
}

// Failed implements [worker.Observer].
func (m *Metrics) Failed(_ topology.TaskID, a task.Action, err *topology.RecordError) {
	switch a {
	case task.Continue:
		m.dropped.WithLabelValues(err.Stage.String()).Inc()
	case task.DeadLetter:
		m.deadLetters.WithLabelValues(err.Stage.String()).Inc()
	}
}

// Retried implements [worker.Observer].
func (m *Metrics) Retried(topology.TaskID) { m.retries.Inc() }

// Committed implements [worker.Observer].
func (m *Metrics) Committed(_ int, n *txn.Sealed) {
	output := n.Records > 0
	if output {
		m.commitDuration.WithLabelValues("produce_flush").Observe(n.Flush.Seconds())
	}
	m.commitDuration.WithLabelValues("offsets").Observe(n.Offsetting.Seconds())
	m.commitDuration.WithLabelValues("total").Observe((n.Flush + n.Offsetting + n.EndTxn).Seconds())
	if !output || !m.transactional {
		return // offsets alone, and the weaker guarantees, need no transaction
	}
	m.commitDuration.WithLabelValues("end_txn").Observe(n.EndTxn.Seconds())
	m.transactions.WithLabelValues("commit", "none").Inc()
	m.transactionRecords.Observe(float64(n.Records))
	if !n.Begun.IsZero() {
		m.txnOpen.Observe(time.Since(n.Begun).Seconds())
	}
}

// Aborted implements [worker.Observer].
func (m *Metrics) Aborted(_ int, cause error) {
	if m.transactional {
		m.transactions.WithLabelValues("abort", class(cause)).Inc()
	}
}

// class is Kafka's code of an error, or a word: errors of users and brokers hold
// free text, which would make a series each.
func class(err error) string {
	if fence, ok := errors.AsType[*fencing.FencedError](err); ok {
		if fence.Code != "" {
			return fence.Code
		}
		return "fenced_" + fence.By.String()
	}
	if failure, ok := errors.AsType[*topology.RecordError](err); ok {
		return failure.Stage.String()
	}
	if err == nil {
		return "unknown"
	}
	// Only the code is of use here; it depends on neither the request nor the version.
	return fencing.Classify(fencing.Produce, err, 2).Code
}

// Fenced implements [worker.Observer].
func (m *Metrics) Fenced(_ int, by fencing.By) { m.fenced.WithLabelValues(by.String()).Inc() }

// Rebalanced implements [worker.Observer].
func (m *Metrics) Rebalanced(index int, tasks []topology.TaskID, took time.Duration) {
	m.rebalances.Inc()
	m.rebalanceDuration.Observe(took.Seconds())
	for _, name := range m.owned.assign(index, tasks) {
		m.processed.DeleteLabelValues(name)
	}
}

// lagKind is the end that the lag is measured to: what a read_committed reader can reach.
const lagKind = "lso"

// Lag implements [worker.Observer].
func (m *Metrics) Lag(topic string, partition int32, records int64) {
	m.lag.WithLabelValues(topic, strconv.Itoa(int(partition)), lagKind).Set(float64(records))
}

// Unassigned implements [worker.Observer].
func (m *Metrics) Unassigned(topic string, partition int32) {
	m.lag.DeleteLabelValues(topic, strconv.Itoa(int(partition)), lagKind)
}
