package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// rawEnv carries a RawConfig to the child that runs the loop. A variable, not
// a hidden subcommand: it works in any binary, test binaries included.
const rawEnv = "EOSPROC_BENCH_RAW"

// RawKind names one of the built-in loops.
type RawKind string

const (
	// RawEOS is a GroupTransactSession loop: poll, produce, End at the
	// commit interval.
	RawEOS RawKind = "raw-eos"
	// RawALO is an at-least-once loop: poll, produce with idempotence and
	// acks=all, flush and commit offsets at the commit interval.
	RawALO RawKind = "raw-alo"
)

// eosLinger is longer than the commit intervals at which latency is best, so
// that a transaction's records leave with the flush of its commit. Sent at
// once, the first would reach the broker while the previous transaction's
// markers are still being written, and wait out its back-off of 20 ms. At
// long intervals, where batches fill, the linger is of no consequence.
const eosLinger = 10 * time.Millisecond

// fetchMaxWait is the Java consumer's default; kgo's own is 5 s. It matters
// only when the broker misses waking a parked fetch, see readerMaxWait.
const fetchMaxWait = 500 * time.Millisecond

// RawConfig is one raw loop's work and its client settings. For every
// setting but Interval the zero value means the default that was best in
// measurements; it is the same for both kinds unless it says otherwise.
type RawConfig struct {
	Kind     RawKind       `json:"kind"`
	Brokers  []string      `json:"brokers"`
	Input    string        `json:"input"`
	Output   string        `json:"output"`
	Group    string        `json:"group"`    // also the prefix of the transactional id
	Interval time.Duration `json:"interval"` // zero: commit after every poll

	Linger                 time.Duration `json:"linger"`                    // zero: 10 ms for RawEOS, none for RawALO; negative: none
	MaxPollRecords         int           `json:"max_poll_records"`          // 10 000
	MaxBufferedRecords     int           `json:"max_buffered_records"`      // 50 000, in the producer
	FetchMaxBytes          int32         `json:"fetch_max_bytes"`           // 16 MiB
	FetchMaxPartitionBytes int32         `json:"fetch_max_partition_bytes"` // 1 MiB
	BatchMaxBytes          int32         `json:"batch_max_bytes"`           // 1 000 012, Kafka's default message.max.bytes
	NoRecordPool           bool          `json:"no_record_pool"`            // allocate fetched records instead of recycling them
}

func (c RawConfig) withDefaults() RawConfig {
	def := func(v *int32, d int32) {
		if *v == 0 {
			*v = d
		}
	}
	switch {
	case c.Linger < 0:
		c.Linger = 0
	case c.Linger == 0 && c.Kind == RawEOS:
		c.Linger = eosLinger
	}
	if c.MaxPollRecords == 0 {
		c.MaxPollRecords = 10_000
	}
	if c.MaxBufferedRecords == 0 {
		c.MaxBufferedRecords = 50_000
	}
	def(&c.FetchMaxBytes, 16<<20)
	def(&c.FetchMaxPartitionBytes, 1<<20)
	def(&c.BatchMaxBytes, 1_000_012)
	return c
}

// Settings returns one line that names every setting of the loop, defaults
// resolved, for a report to print.
func (c RawConfig) Settings() string {
	c = c.withDefaults()
	guarantee := "acks=all idempotent, flush + commit offsets at the interval"
	if c.Kind == RawEOS {
		guarantee = "acks=all transactional, read_committed, require_stable, End at the interval"
	}
	return fmt.Sprintf("kgo %s; linger=%v compression=none max_poll_records=%d max_buffered_records=%d "+
		"fetch_max_wait=%v fetch_max_bytes=%d fetch_max_partition_bytes=%d batch_max_bytes=%d record_pool=%v",
		guarantee, c.Linger, c.MaxPollRecords, c.MaxBufferedRecords,
		fetchMaxWait, c.FetchMaxBytes, c.FetchMaxPartitionBytes, c.BatchMaxBytes, !c.NoRecordPool)
}

// options are the settings that both loops share.
func (c RawConfig) options() []kgo.Opt {
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...),
		kgo.ClientID("rawbench"),
		kgo.ConsumerGroup(c.Group),
		kgo.ConsumeTopics(c.Input),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxWait(fetchMaxWait),
		kgo.FetchMaxBytes(c.FetchMaxBytes),
		kgo.FetchMaxPartitionBytes(c.FetchMaxPartitionBytes),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.ProducerBatchMaxBytes(c.BatchMaxBytes),
		kgo.ProducerLinger(c.Linger),
		kgo.MaxBufferedRecords(c.MaxBufferedRecords),
	}
	if !c.NoRecordPool {
		opts = append(opts, kgo.WithPools(newRecordPool()))
	}
	return opts
}

// env renders the environment entry that makes a child run this loop.
func (c RawConfig) env() (string, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encode raw loop settings: %w", err)
	}
	return rawEnv + "=" + string(b), nil
}

// RunRaw runs the loop in this process until ctx ends, then commits what it
// has polled and leaves the group. It returns nil in that case, else the
// first failure.
func RunRaw(ctx context.Context, c RawConfig) error {
	c = c.withDefaults()
	switch c.Kind {
	case RawEOS:
		return runEOS(ctx, c)
	case RawALO:
		return runALO(ctx, c)
	}
	return fmt.Errorf("%w: unknown raw loop %q", ErrInvalidConfig, c.Kind)
}

// ChildMain runs a raw loop if this process was started as one, until SIGTERM
// or SIGINT. Call it first thing in main and exit when ran is true, with a
// failure if err is not nil. ran is false in every other process.
func ChildMain() (ran bool, err error) {
	env := os.Getenv(rawEnv)
	if env == "" {
		return false, nil
	}
	var c RawConfig
	if err := json.Unmarshal([]byte(env), &c); err != nil {
		return true, fmt.Errorf("decode %s: %w", rawEnv, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return true, RunRaw(ctx, c)
}
