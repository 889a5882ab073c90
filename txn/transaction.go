package txn

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/seeded"
)

// transaction is one cycle with output. The worker's goroutine owns it but for
// the counters that the producer's promises touch.
type transaction struct {
	number  uint64
	slot    int
	begun   time.Time
	records int64
	bytes   int64
	held    []*kgo.Record
	holding bool

	acked   atomic.Int64
	target  atomic.Int64 // records when sealed; -1 before
	settled chan struct{}
	closed  atomic.Bool
	failure atomic.Pointer[ProduceError]
	failed  func(*transaction, *ProduceError)
	promise func(*kgo.Record, error)
	release func(*kgo.Record)
}

func newTransaction(number uint64, slot int, release func(*kgo.Record), failed func(*transaction, *ProduceError)) *transaction {
	t := &transaction{number: number, slot: slot, begun: time.Now(), settled: make(chan struct{}), failed: failed, release: release}
	t.target.Store(-1)
	t.promise = t.done
	return t
}

// done is the promise of every record of the transaction. It runs on the
// producer's goroutine.
func (t *transaction) done(r *kgo.Record, err error) {
	if err != nil && !seeded.Is(seeded.AbortIgnored) {
		if failure := (&ProduceError{r, err}); t.failure.CompareAndSwap(nil, failure) {
			t.failed(t, failure)
		}
	} else if t.release != nil {
		t.release(r)
	}
	if t.acked.Add(1) == t.target.Load() {
		t.settle()
	}
}

func (t *transaction) settle() {
	if t.closed.CompareAndSwap(false, true) {
		close(t.settled)
	}
}

// seal fixes the number of records to wait for.
func (t *transaction) seal() {
	t.target.Store(t.records)
	if t.acked.Load() == t.records {
		t.settle()
	}
}

// ProduceError is the failure of one output record; it aborts its transaction (R7).
type ProduceError struct {
	// Record is the record as it was given to [Session.Produce].
	Record *kgo.Record
	Err    error
}

// Error names the record's topic, never its content.
func (e *ProduceError) Error() string {
	return fmt.Sprintf("produce to topic %s: %v", e.Record.Topic, e.Err)
}

// Unwrap returns the broker's or the client's error.
func (e *ProduceError) Unwrap() error { return e.Err }

// err returns the first failure of a record, nil if there is none.
func (t *transaction) err() error {
	if p := t.failure.Load(); p != nil {
		return &stepError{fencing.Produce, p}
	}
	return nil
}

// Sealed is what is committed together.
type Sealed struct {
	// Offsets are the positions of all input partitions of the worker (R6).
	Offsets []Offset
	// Token proves the membership under which the input was polled.
	Token fencing.Token
	// Payload is the worker's own, handed back with the outcome.
	Payload any

	// Number of the commit, counted from 1 within the incarnation.
	Number uint64
	// Records and Bytes of output; both 0 for a commit of offsets only.
	Records, Bytes int64
	// Begun is when the first record was produced; zero without output.
	Begun time.Time
	// Flush, Offsetting and EndTxn are how long the three steps took.
	Flush, Offsetting, EndTxn time.Duration

	txn    *transaction
	ending bool // EndTxn has been asked for
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
