package settings

// Guarantee is processing.guarantee.
type Guarantee string

// The guarantees.
const (
	ExactlyOnceV2 Guarantee = "exactly_once_v2" // outputs, state and offsets in one transaction
	AtLeastOnce   Guarantee = "at_least_once"   // offsets committed after the outputs
	AtMostOnce    Guarantee = "at_most_once"    // offsets committed before processing
)

// CommitMode is eosproc.commit.interval.mode.
type CommitMode string

// The commit modes.
const (
	// CommitAdaptive ends a transaction as soon as the one before is settled while
	// the input is caught up, and every commit interval under a backlog.
	CommitAdaptive CommitMode = "adaptive"
	// CommitFixed ends a transaction every commit interval.
	CommitFixed CommitMode = "fixed"
)

// Handler is what happens to a record that cannot be read, processed or written.
type Handler string

// The handlers.
const (
	HandlerFail       Handler = "fail"     // the application stops, nothing of the record remains
	HandlerContinue   Handler = "continue" // the record is counted, logged and left out
	HandlerDeadLetter Handler = "dlq"      // as continue, and the original record goes to the dead letter topic
)

// GroupProtocol is group.protocol.
type GroupProtocol string

// The group protocols.
const (
	GroupClassic  GroupProtocol = "classic"  // partitions are assigned by the members
	GroupConsumer GroupProtocol = "consumer" // KIP-848: the broker drives the group
)

// OffsetReset is auto.offset.reset: where a partition without a committed offset
// begins.
type OffsetReset string

// The offset resets.
const (
	ResetEarliest OffsetReset = "earliest"
	ResetLatest   OffsetReset = "latest"
	ResetNone     OffsetReset = "none" // an error
)

// IsolationLevel is isolation.level, and that of queries.
type IsolationLevel string

// The isolation levels.
const (
	ReadCommitted   IsolationLevel = "read_committed"
	ReadUncommitted IsolationLevel = "read_uncommitted"
)

// Compression is compression.type.
type Compression string

// The compressions.
const (
	CompressionNone   Compression = "none"
	CompressionGzip   Compression = "gzip"
	CompressionSnappy Compression = "snappy"
	CompressionLZ4    Compression = "lz4"
	CompressionZstd   Compression = "zstd"
)

// RecordingLevel is metrics.recording.level.
type RecordingLevel string

// The recording levels, each with the series of the ones before.
const (
	RecordInfo  RecordingLevel = "INFO"  // application, worker and task
	RecordDebug RecordingLevel = "DEBUG" // per operator and per store
	RecordTrace RecordingLevel = "TRACE" // per record
)
