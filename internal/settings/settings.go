package settings

import (
	"fmt"
	"time"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// Settings are the values of all keys, with the defaults filled in. It is made by
// [Default] or [Parse]; the zero value is not usable. It is a plain value: read it
// from several goroutines, and do not change what its maps and slices hold.
//
// Each field names its key and default; durations are given in milliseconds in
// the configuration.
type Settings struct {
	// ApplicationID (application.id, required) is the group id and the prefix of
	// transactional ids and internal topics.
	ApplicationID string
	// InstanceID (eosproc.instance.id) is this process's part of its transactional
	// ids. "" means the id kept in the locked state directory.
	InstanceID string
	// Client is how to connect; bootstrap.servers is required.
	Client kafkaconf.Client
	// ClientMetrics (enable.metrics.push, true) lets clients send their metrics to
	// a broker that asks for them.
	ClientMetrics bool

	// Guarantee (processing.guarantee, exactly_once_v2).
	Guarantee Guarantee
	// Threads (num.stream.threads, 1) is the number of workers, at least 1.
	Threads     int
	Commit      Commit
	Transaction Transaction
	Tasks       Tasks
	Group       Group
	Consumer    Consumer
	// Restore is how changelogs are fetched: Consumer's values, changed by keys
	// with the prefix restore.consumer.
	Restore Fetch
	// Global is how global tables are fetched: Consumer's values, changed by keys
	// with the prefix global.consumer.
	Global   Fetch
	Producer Producer
	Errors   Errors
	Topics   InternalTopics
	State    State
	Registry Registry

	// MetricsLevel (metrics.recording.level, INFO).
	MetricsLevel RecordingLevel
	// HTTPAddress (eosproc.http.address, "") is where /metrics and the health
	// checks listen, as host:port or :port. "" means nowhere.
	HTTPAddress string
	// ShutdownTimeout (eosproc.shutdown.timeout.ms, 30000) bounds the orderly end;
	// after it the open transaction is aborted.
	ShutdownTimeout time.Duration
	// ProvenanceHeaders (eosproc.provenance.headers, false) adds the input's topic,
	// partition and offset to every output record.
	ProvenanceHeaders bool

	// given maps the plain name of each key that was set to the form it was
	// written in.
	given map[string]string
}

// Commit is when results become visible.
type Commit struct {
	// Interval (commit.interval.ms) is 100 under exactly_once_v2, else 30000.
	// 0 means after every batch of input.
	Interval time.Duration
	// Mode (eosproc.commit.interval.mode) is adaptive under exactly_once_v2 unless
	// commit.interval.ms was given; fixed otherwise.
	Mode CommitMode
}

// Transaction bounds one transaction.
type Transaction struct {
	// Timeout (transaction.timeout.ms, 10000) is after which a broker aborts it.
	Timeout time.Duration
	// MaxRecords (eosproc.transaction.max.records, 200000) of input.
	MaxRecords int
	// MaxBytes (eosproc.transaction.max.bytes, 64 MiB) of output.
	MaxBytes int64
	// Producers (eosproc.producers.per.thread, 2) that a worker uses in turn, 1–4.
	Producers int
}

// Tasks is how partitions are worked on.
type Tasks struct {
	// MaxIdle (max.task.idle.ms, 0) is how long a task with an empty input waits for
	// it, so that inputs meet in timestamp order. 0 waits for records that the
	// broker already has; negative never waits.
	MaxIdle time.Duration
	// BufferedRecords (buffered.records.per.partition, 1000) above which fetching of
	// a partition pauses.
	BufferedRecords int
	// Timeout (task.timeout.ms, 300000) is how long a task may fail to make progress
	// before the application stops. 0 means at the first failure.
	Timeout time.Duration
}

// Group is the membership in the consumer group.
type Group struct {
	// Protocol (group.protocol, classic).
	Protocol GroupProtocol
	// InstanceID (group.instance.id) makes the membership static; see MemberID. ""
	// means dynamic.
	InstanceID string
	// SessionTimeout (session.timeout.ms, 45000) and HeartbeatInterval
	// (heartbeat.interval.ms, 3000) are for the classic protocol; under consumer the
	// broker sets both.
	SessionTimeout    time.Duration
	HeartbeatInterval time.Duration
	// RebalanceTimeout (max.poll.interval.ms, 300000) is how long a member may take
	// to let go of its partitions.
	RebalanceTimeout time.Duration
}

// MemberID returns the group.instance.id of a worker, which counts from 1 as in
// Kafka Streams; "" when the membership is dynamic.
func (g Group) MemberID(worker int) string {
	if g.InstanceID == "" {
		return ""
	}
	return fmt.Sprintf("%s-%d", g.InstanceID, worker)
}

// Fetch is how much a fetch asks for.
type Fetch struct {
	// MinBytes (fetch.min.bytes, 1) for which the broker waits MaxWait.
	MinBytes int
	// MaxWait (fetch.max.wait.ms, 500).
	MaxWait time.Duration
	// MaxBytes (fetch.max.bytes, 52428800) of one answer.
	MaxBytes int
	// MaxPartitionBytes (max.partition.fetch.bytes, 1048576) of one partition in it.
	MaxPartitionBytes int
}

// Consumer is how input is read.
type Consumer struct {
	Fetch
	// OffsetReset (auto.offset.reset, earliest).
	OffsetReset OffsetReset
	// Isolation (isolation.level) is read_committed unless set otherwise, which
	// exactly_once_v2 refuses.
	Isolation IsolationLevel
	// MaxPollRecords (max.poll.records, 1000) that one turn of a worker takes.
	MaxPollRecords int
}

// Producer is how output is written. Acknowledgement by all in-sync replicas and
// idempotence are always on.
type Producer struct {
	// Linger (linger.ms, 5) is how long a batch waits for more records.
	Linger time.Duration
	// MaxBatchBytes (max.request.size, 1048576) is the largest batch, and so the
	// largest record, before compression.
	MaxBatchBytes int
	// Compression (compression.type, none).
	Compression Compression
	// CompressionLevel (compression.gzip.level, …) is in that codec's own scale; 0 is
	// the codec's default.
	CompressionLevel int
	// DeliveryTimeout (delivery.timeout.ms) is no limit (2147483647) under
	// exactly_once_v2, whose limit is the transaction's, and 120000 otherwise.
	DeliveryTimeout time.Duration
	// gzip, lz4, zstd are the levels given, of which CompressionLevel is the one in use.
	gzip, lz4, zstd int
}

// Errors is what happens when a record fails.
type Errors struct {
	// Deserialization, Processing, Production (….exception.handler, fail).
	Deserialization Handler
	Processing      Handler
	Production      Handler
	// ProcessingGlobal (processing.exception.handler.global.enabled, false) uses
	// Processing for global tables too.
	ProcessingGlobal bool
	// DeadLetterTopic (errors.dead.letter.queue.topic.name).
	DeadLetterTopic string
	// DeadLetterMaxRate (eosproc.dlq.max.error.rate, off) is the share of records,
	// above 0 and up to 1, that may end as dead letters before the application
	// stops. 0 means no limit.
	DeadLetterMaxRate float64
	// RetryAttempts (eosproc.retries.attempts, 0) are made before the processing
	// handler decides, after pauses that double from RetryBackoff
	// (eosproc.retries.backoff.ms, 100) to RetryBackoffMax
	// (eosproc.retries.backoff.max.ms, 1000).
	RetryAttempts   int
	RetryBackoff    time.Duration
	RetryBackoffMax time.Duration
}

// RetryTime is the sum of the pauses that one record may cause.
func (e Errors) RetryTime() time.Duration {
	var sum time.Duration
	pause := min(e.RetryBackoff, e.RetryBackoffMax)
	for attempt := range e.RetryAttempts {
		if pause >= e.RetryBackoffMax {
			return sum + time.Duration(e.RetryAttempts-attempt)*e.RetryBackoffMax
		}
		sum += pause
		pause = min(2*pause, e.RetryBackoffMax)
	}
	return sum
}

// InternalTopics is how repartition and changelog topics are made.
type InternalTopics struct {
	// ReplicationFactor (replication.factor, -1); -1 means the broker's default.
	ReplicationFactor int
	// PurgeInterval (repartition.purge.interval.ms, 30000) between deletions of
	// consumed repartition records.
	PurgeInterval time.Duration
	// WindowRetention (windowstore.changelog.additional.retention.ms, 86400000) is
	// added to the retention of window stores' changelogs.
	WindowRetention time.Duration
	// Configs are the topic's own settings, given with the prefix "topic." and held
	// here without it; nil when there are none.
	Configs map[string]string
}

// State is where and how stores are kept.
type State struct {
	// Dir (state.dir) is the user's state directory; see [DefaultStateDir].
	Dir string
	// Standbys (num.standby.replicas, 0) are warm copies of each store.
	Standbys int
	// MaxWarmups (max.warmup.replicas, 2) are copies built at the same time beyond
	// the standbys.
	MaxWarmups int
	// RecoveryLag (acceptable.recovery.lag, 10000) is how many records behind a copy
	// counts as caught up.
	RecoveryLag int64
	// ProbingInterval (probing.rebalance.interval.ms, 600000) between looks at
	// whether a copy has caught up.
	ProbingInterval time.Duration
	// CacheBytes (statestore.cache.max.bytes, 10 MiB) of all workers together.
	CacheBytes int64
	// UncommittedBytes (statestore.uncommitted.max.bytes, 64 MiB) above which a
	// transaction is ended early; negative means no limit.
	UncommittedBytes int64
	// CleanupDelay (state.cleanup.delay.ms, 600000) after which the state of a
	// partition that has moved away is deleted.
	CleanupDelay time.Duration
	// CleanupAge (state.cleanup.dir.max.age.ms, -1) above which unused state is
	// deleted at the start; negative means never.
	CleanupAge time.Duration
	// QueryIsolation (default.interactive.query.isolation.level, read_committed).
	QueryIsolation IsolationLevel
}

// Given reports whether the key, by its plain name, was set, and in which form:
// "session.timeout.ms" may have been written as "consumer.session.timeout.ms".
func (s Settings) Given(key string) (written string, given bool) {
	written, given = s.given[key]
	return written, given
}

// name returns the key in the form the user knows it.
func (s Settings) name(key string) string {
	if written, given := s.given[key]; given {
		return written
	}
	return key
}
