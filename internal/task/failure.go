package task

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

// Action is what becomes of a record that fails.
type Action uint8

// The actions; the zero value stops.
const (
	// Fail stops the application. Nothing of the record becomes visible.
	Fail Action = iota
	// Continue skips the record; its offset is committed.
	Continue
	// DeadLetter writes the record to the dead letter topic, in the same transaction as its offset.
	DeadLetter
)

// String returns the action as it is configured.
func (a Action) String() string { return [...]string{"fail", "continue", "dlq"}[a] }

// Handlers say what becomes of records that fail, by the stage in which they fail.
type Handlers struct {
	Deserialization, Processing, Production Action
	// DeadLetterTopic must be set if an action is [DeadLetter].
	DeadLetterTopic string
	// Retries is how often a record that fails in processing is tried again
	// before the action is taken.
	Retries int
	// Backoff before the first retry, doubled for each further one up to
	// MaxBackoff, with full jitter.
	Backoff, MaxBackoff time.Duration
}

// ErrTooLarge is the production failure of a record that is larger than its topic takes.
var ErrTooLarge = errors.New("record is too large for its topic")

func (h *Handlers) action(s topology.Stage) Action {
	switch s {
	case topology.Deserialization:
		return h.Deserialization
	case topology.Processing:
		return h.Processing
	default:
		return h.Production
	}
}

// failed decides about the record at hand: its dead letter, a later try, or the
// error that stops.
func (t *Task) failed(r *topology.RawRecord, err error) (outputs []topology.Output, waits bool, _ error) {
	failure, ok := errors.AsType[*topology.RecordError](err)
	if !ok {
		failure = &topology.RecordError{Stage: topology.Production, Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Err: err}
	}
	if errors.Is(err, codec.ErrUnavailable) {
		return nil, true, t.unavailable(failure)
	}
	h := &t.cfg.Handlers
	if failure.Stage == topology.Processing && t.attempts < h.Retries {
		t.retryAt = t.cfg.Now().Add(backoff(h.Backoff, h.MaxBackoff, t.attempts))
		t.attempts++
		t.cfg.Observe.Retried(t.id)
		return nil, true, nil
	}
	action := h.action(failure.Stage)
	if action == Fail {
		return nil, false, failure
	}
	if action == DeadLetter {
		letter := deadLetter(t, r, failure)
		if t.tooLarge(&letter) {
			omitValue(&letter)
		}
		if t.tooLarge(&letter) {
			return nil, false, fmt.Errorf("dead letter for topic %s: %w (%w)", letter.Topic, ErrTooLarge, failure)
		}
		outputs = []topology.Output{letter}
	}
	t.cfg.Observe.Failed(t.id, action, failure)
	return outputs, false, nil
}

// unavailable has the record at hand tried again later: that something its codecs
// need does not answer is not the record's fault, so no handler may skip or
// dead-letter it. It returns the error once task.timeout.ms is used up.
func (t *Task) unavailable(err error) error {
	now := t.cfg.Now()
	if t.unavailableSince.IsZero() {
		t.unavailableSince = now
	}
	if now.Sub(t.unavailableSince) >= t.cfg.Timeout {
		return fmt.Errorf("no progress for %s (task.timeout.ms): %w", t.cfg.Timeout, err)
	}
	base := max(t.cfg.Handlers.Backoff, outagePause)
	t.retryAt = now.Add(backoff(base, max(t.cfg.Handlers.MaxBackoff, base), t.outages))
	t.outages++
	t.cfg.Observe.Retried(t.id)
	return nil
}

// outagePause is the least span of the pause before a try during an outage.
const outagePause = 100 * time.Millisecond

// punctuationFailed takes the failure of a punctuation out of the way if its
// handler says so: what the punctuation had forwarded is gone, and a record
// whose time fired it has nothing to do with it. There is no record to retry or
// to dead-letter. An outage stops: the punctuation's turn is over and cannot be
// tried again but from the last commit.
func (t *Task) punctuationFailed(err error) error {
	failure, ok := errors.AsType[*topology.RecordError](err)
	if !ok || failure.Topic != "" || t.cfg.Handlers.Processing == Fail || errors.Is(err, codec.ErrUnavailable) {
		return err
	}
	t.cfg.Observe.Failed(t.id, Continue, failure)
	return nil
}

// backoff returns the wait before a retry: full jitter over an exponential span.
func backoff(base, limit time.Duration, attempt int) time.Duration {
	span := base
	for range attempt {
		if span *= 2; span >= limit {
			span = limit
			break
		}
	}
	if span <= 0 {
		return 0
	}
	return time.Duration(rand.Int64N(int64(span) + 1))
}

func (t *Task) checkSizes(r *topology.RawRecord, outputs []topology.Output) error {
	if t.cfg.MaxRecordBytes == nil {
		return nil
	}
	for i := range outputs {
		if t.tooLarge(&outputs[i]) {
			return &topology.RecordError{
				Stage: topology.Production, Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
				Err: fmt.Errorf("%w: %d bytes for topic %s, which takes %d", ErrTooLarge, size(&outputs[i]), outputs[i].Topic, t.cfg.MaxRecordBytes(outputs[i].Topic)),
			}
		}
	}
	return nil
}

func (t *Task) tooLarge(o *topology.Output) bool {
	// Most records are far below any limit that a topic can have.
	const surelyFits = 512
	if t.cfg.MaxRecordBytes == nil || len(o.Key)+len(o.Value) < surelyFits && o.Headers == nil {
		return false
	}
	limit := t.cfg.MaxRecordBytes(o.Topic)
	return limit > 0 && size(o) > limit
}

// batchOverhead is the header of a record batch (61 bytes) and the most that the
// variable-length fields of one record take.
const batchOverhead = 61 + 5*7

func size(o *topology.Output) int {
	n := len(o.Key) + len(o.Value) + batchOverhead
	for _, h := range o.Headers {
		n += len(h.Key) + len(h.Value) + 10
	}
	return n
}

func invalidTimestamp(r *topology.RawRecord) error {
	return &topology.RecordError{
		Stage: topology.Deserialization, Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
		Err: fmt.Errorf("%w (%d)", topology.ErrInvalidTimestamp, r.Timestamp),
	}
}
