package verify

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

var (
	// ErrConfig marks a Config that cannot be run.
	ErrConfig = errors.New("invalid verification")
	// ErrNoTopic marks a topic that does not exist or may not be described.
	ErrNoTopic = errors.New("no such topic")
	// ErrNoOffsets marks a group without committed offsets for the input.
	ErrNoOffsets = errors.New("no committed offsets")
	// ErrTruncated marks records that were deleted while they were being read.
	ErrTruncated = errors.New("records deleted during verification")
)

// Isolation is a consumer's isolation.level.
type Isolation string

// The isolation levels of Kafka. The zero value stands for ReadCommitted.
const (
	ReadCommitted   Isolation = "read_committed"
	ReadUncommitted Isolation = "read_uncommitted"
)

// Mode is what a matched output must have in common with its input.
type Mode string

// The zero value stands for ModeCopy.
const (
	// ModeCopy demands the same key and value.
	ModeCopy Mode = "copy"
	// ModeID compares identities only: the pipeline may change key and value.
	ModeID Mode = "id"
)

// Side tells inputs from outputs.
type Side string

// The two sides of a pipeline.
const (
	Input  Side = "input"
	Output Side = "output"
)

// Identity says by what a record is recognised on both sides. The zero value is
// the whole record, key and value. At most one field is set.
type Identity struct {
	// Header is the name of a header; its last value counts.
	Header string
	// JSONPath is a path (gjson syntax) into a JSON value.
	JSONPath string
	// Key is the record's key alone.
	Key bool
}

// Identify gives a record's identity in code, in place of Identity. With keep
// false the record takes no part: the pipeline is expected to drop it, and an
// output made from it is a violation. An error marks a record without identity.
// id is used before the next call only. It is called from several goroutines.
type Identify func(side Side, record *kgo.Record) (id []byte, keep bool, err error)

// Config is one verification. Inputs, Outputs and Client are required.
type Config struct {
	// Client holds the options of the connection (brokers, TLS, SASL, logger).
	Client []kgo.Opt
	// Inputs and Outputs are topic names.
	Inputs, Outputs []string
	// Group is the pipeline's consumer group. With it the pipeline may be running:
	// inputs below its committed offsets must be in the output, others must not.
	// Without it the pipeline must have caught up, and every input must be in the
	// output.
	Group string
	// Isolation is the view of the outputs that is audited.
	Isolation Isolation
	// InputIsolation is the view of the inputs that the pipeline is to process.
	InputIsolation Isolation
	Identity       Identity
	Identify       Identify
	Mode           Mode
	// AllowMissing accepts inputs without output, for a pipeline that filters;
	// they are counted all the same.
	AllowMissing bool
	// AllowOpenTransactions accepts transactions left open in the outputs.
	AllowOpenTransactions bool
	// InputStart and OutputStart are first offsets by topic and partition; where
	// there is none, reading starts at the beginning of the log.
	InputStart, OutputStart map[string]map[int32]int64
	// OpenTransactionWait is how long transactions open in the outputs at the
	// start may take to end: 0 means 5 s, negative not to wait.
	OpenTransactionWait time.Duration
	// MaxViolations is how many violations per check are reported in full: 0
	// means 10. All are counted.
	MaxViolations int
	// Readers is how many partitions are read at a time, each over a connection
	// of its own: 0 means the number of processors, at most 4.
	Readers int
}

// validate returns the Config with its defaults, or all its faults.
func (c Config) validate() (Config, error) {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...))
	}
	if len(c.Inputs) == 0 {
		fault("no input topic")
	}
	if len(c.Outputs) == 0 {
		fault("no output topic")
	}
	for _, topic := range c.Inputs {
		if slices.Contains(c.Outputs, topic) {
			fault("topic %q is both input and output", topic)
		}
	}
	ways := 0
	for _, set := range []bool{c.Identity.Header != "", c.Identity.JSONPath != "", c.Identity.Key, c.Identify != nil} {
		if set {
			ways++
		}
	}
	if ways > 1 {
		fault("a record is identified in one way only: header, JSON path, key or function")
	}
	if c.Mode == "" {
		c.Mode = ModeCopy
	}
	if c.Mode != ModeCopy && c.Mode != ModeID {
		fault("mode %q is neither copy nor id", c.Mode)
	}
	if c.Mode == ModeID && ways == 0 {
		fault("mode id needs an identity other than the whole record")
	}
	for _, isolation := range []*Isolation{&c.Isolation, &c.InputIsolation} {
		switch *isolation {
		case "":
			*isolation = ReadCommitted
		case ReadCommitted, ReadUncommitted:
		default:
			fault("isolation %q is neither read_committed nor read_uncommitted", *isolation)
		}
	}
	if c.OpenTransactionWait == 0 {
		c.OpenTransactionWait = 5 * time.Second
	}
	if c.MaxViolations <= 0 {
		c.MaxViolations = 10
	}
	if c.Readers <= 0 {
		c.Readers = defaultReaders()
	}
	c.Inputs, c.Outputs = sortedSet(c.Inputs), sortedSet(c.Outputs)
	return c, errors.Join(faults...)
}

func sortedSet(topics []string) []string {
	sorted := slices.Clone(topics)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
