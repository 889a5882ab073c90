package metrics

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/worker"
)

// Build says which program runs.
type Build struct {
	Version, Revision, GoVersion string
}

// Metrics implements [worker.Observer]. It is safe for concurrent use.
type Metrics struct {
	transactional bool
	owned         owned

	buildInfo, appInfo *prometheus.GaugeVec
	threads            *prometheus.GaugeVec
	threadSeconds      *prometheus.CounterVec

	consumed, processed         *prometheus.CounterVec
	produced, producedBytes     *prometheus.CounterVec
	dropped, deadLetters        *prometheus.CounterVec
	retries                     prometheus.Counter
	commitDuration              *prometheus.HistogramVec
	transactions                *prometheus.CounterVec
	transactionRecords, txnOpen prometheus.Histogram
	fenced                      *prometheus.CounterVec
	rebalances                  prometheus.Counter
	rebalanceDuration           prometheus.Histogram
	lag                         *prometheus.GaugeVec
}

var _ worker.Observer = (*Metrics)(nil)

// states are all that a worker can be in, so that each has a series from the start.
var states = []worker.State{
	worker.Created, worker.Starting, worker.PartitionsRevoked, worker.PartitionsAssigned,
	worker.Running, worker.PendingShutdown, worker.Dead,
}

// New registers the series with reg. It errs if some are registered already, as
// by a second application in the process: give each its own registry.
func New(reg prometheus.Registerer, s *settings.Settings, b Build) (*Metrics, error) {
	m := &Metrics{transactional: s.Guarantee == settings.ExactlyOnceV2, owned: newOwned()}
	m.describeProcess()
	m.describeRecords()
	m.describeCommits()
	m.describeGroup()
	var err error
	for _, c := range m.all() {
		err = errors.Join(err, reg.Register(c))
	}
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	m.buildInfo.WithLabelValues(b.Version, b.Revision, b.GoVersion).Set(1)
	m.appInfo.WithLabelValues(s.ApplicationID, string(s.Guarantee)).Set(1)
	for _, state := range states {
		m.threads.WithLabelValues(string(state))
	}
	return m, nil
}

func (m *Metrics) all() []prometheus.Collector {
	return []prometheus.Collector{
		m.buildInfo, m.appInfo, m.threads, m.threadSeconds,
		m.consumed, m.processed, m.produced, m.producedBytes, m.dropped, m.deadLetters, m.retries,
		m.commitDuration, m.transactions, m.transactionRecords, m.txnOpen,
		m.fenced, m.rebalances, m.rebalanceDuration, m.lag,
	}
}

func (m *Metrics) describeProcess() {
	m.buildInfo = gauge("eosproc_build_info", "The program that runs; always 1.", "version", "revision", "goversion")
	m.appInfo = gauge("eosproc_app_info", "The application that runs; always 1.", "application_id", "guarantee")
	m.threads = gauge("eosproc_threads", "Workers by state.", "state")
	m.threadSeconds = counter("eosproc_thread_seconds_total", "Time of a worker by activity; the rates of one worker add up to 1.", "thread", "activity")
}

func (m *Metrics) describeRecords() {
	m.consumed = counter("eosproc_records_consumed_total", "Records fetched, read again after aborts included.", "topic")
	m.processed = counter("eosproc_records_processed_total", "Records processed, again after aborts included.", "task")
	m.produced = counter("eosproc_produced_records_total", "Records handed to the producer, those of aborted transactions included.", "topic")
	m.producedBytes = counter("eosproc_produced_bytes_total", "Bytes of keys and values handed to the producer, before compression.", "topic")
	m.dropped = counter("eosproc_records_dropped_total", "Records without effect: dropped by an operator, or skipped by the exception handler of a stage.", "reason")
	m.deadLetters = counter("eosproc_dlq_records_total", "Records sent to the dead letter topic, by the stage that failed.", "stage")
	m.retries = prometheus.NewCounter(prometheus.CounterOpts{Name: "eosproc_retries_total", Help: "Repeated attempts to process a record."})
}

func (m *Metrics) describeCommits() {
	m.commitDuration = prometheus.NewHistogramVec(durations("eosproc_commit_duration_seconds", "Time of a successful commit by phase; total is their sum."), []string{"phase"})
	m.transactions = counter("eosproc_txn_total", "Transactions ended; cause is none, or the error that led to the abort.", "result", "cause")
	m.transactionRecords = prometheus.NewHistogram(native(prometheus.HistogramOpts{
		Name: "eosproc_txn_records", Help: "Output records of a committed transaction.", Buckets: prometheus.ExponentialBuckets(1, 4, 10),
	}))
	m.txnOpen = prometheus.NewHistogram(durations("eosproc_txn_open_seconds", "Time from the first output of a transaction to the end of its commit."))
}

func (m *Metrics) describeGroup() {
	m.fenced = counter("eosproc_fenced_total", "Times that a worker was kept from writing, by what.", "by")
	m.rebalances = prometheus.NewCounter(prometheus.CounterOpts{Name: "eosproc_rebalances_total", Help: "Changes of a worker's partitions."})
	m.rebalanceDuration = prometheus.NewHistogram(durations("eosproc_rebalance_duration_seconds", "Time that a worker took for a change of its partitions."))
	m.lag = gauge("eosproc_consumer_lag_records", "Offsets between the position and the end of a partition: for kind lso, the last stable offset.", "topic", "partition", "kind")
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// durations has buckets from half a millisecond, a good commit, to 8 s, close to a transaction's timeout.
func durations(name, help string) prometheus.HistogramOpts {
	return native(prometheus.HistogramOpts{Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15)})
}

// native adds a native histogram, for servers that scrape those, to the classic buckets.
func native(o prometheus.HistogramOpts) prometheus.HistogramOpts {
	o.NativeHistogramBucketFactor = 1.1
	o.NativeHistogramMaxBucketNumber = 100
	o.NativeHistogramMinResetDuration = time.Hour
	return o
}
