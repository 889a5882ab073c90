package txn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/fencing"
)

// Config says how a [Session] commits.
type Config struct {
	// Mode is the guarantee.
	Mode Mode
	// IDs are the transactional ids of the rotation, one per slot. In
	// [Idempotent] mode their number does not matter: one producer is used.
	IDs []fencing.TransactionalID
	// Client returns the options of a producer: brokers, security, logging,
	// batching. It is called once for each, since the client keeps and reorders
	// what some options carry.
	Client func() []kgo.Opt
	// Ahead is set if offsets are committed before their records are processed: at
	// most once. A commit whose answer is lost is then never repeated.
	Ahead bool
	// Timeout is transaction.timeout.ms.
	Timeout time.Duration
	// DeliveryTimeout is how long a sealed transaction waits for the acknowledgements
	// of its records before it is taken back; 0 means for as long as it takes. The
	// client's own timeout will not do: it counts from the records' timestamps, which are event times.
	DeliveryTimeout time.Duration
	// Membership returns the member's current token. It is called from
	// goroutines of the session.
	Membership func() fencing.Token
	// ConsumerProtocol is set for KIP-848 groups.
	ConsumerProtocol bool
	// Release is called with every record that is acknowledged, from a
	// producer's goroutine; the session no longer refers to it. Nil means that no
	// one asks. Records that failed are not released.
	Release func(*kgo.Record)
	// Log takes what happens to transactions; nil means slog's default.
	Log *slog.Logger
}

// Session is the driver of one worker's commit cycle. It belongs to one
// goroutine; see the package comment.
type Session struct {
	cfg         Config
	log         *slog.Logger
	state       State
	slots       []*producer
	incarnation Incarnation
	number      uint64
	version     int

	begun  uint64
	sealed *Sealed
	open   *transaction
	cause  error // of the rewind that is to come

	ctx     context.Context
	cancel  context.CancelFunc
	answers chan Answer
	busy    chan struct{} // closed when the step under way has ended; nil if there is none
}

// Answer is the end of something that the session waited for. Hand it to [Session.Take].
type Answer struct {
	event Event
	err   error
	txn   *transaction
}

// Outcome is what a step means for the worker.
type Outcome struct {
	// Committed is set when a commit has become final.
	Committed *Sealed
	// Rewind asks the worker to drop all that is not committed and to read the
	// input again from the committed offsets.
	Rewind bool
	// Cause is why, for Rewind.
	Cause error
	// Stop is set when the session must not go on: fenced ([fencing.ErrFenced])
	// or failed for good. After a fence that does not end the process
	// ([fencing.By.EndsProcess]) the worker may join the group anew with a new session.
	Stop error
}

// New makes a session. It does not touch the network; see [Session.Init].
func New(cfg Config) *Session {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Session{
		cfg: cfg, log: cfg.Log, incarnation: newIncarnation(),
		ctx: ctx, cancel: cancel,
		// Room for the answer of the step under way and for a failure of every
		// transaction that may still be alive, so that no sender ever waits.
		answers: make(chan Answer, 16),
	}
}

// Init connects and initialises all producers (R5). It returns when whatever a
// predecessor with the same ids had left open is ended.
func (s *Session) Init(ctx context.Context) error {
	probe, err := kgo.NewClient(s.cfg.Client()...)
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	s.version, err = patientVersion(ctx, probe)
	probe.Close()
	if err != nil {
		return err
	}
	if s.cfg.Mode == Idempotent {
		p := &producer{opts: s.cfg.Client, version: s.version, timeout: s.cfg.Timeout, plain: true, ahead: s.cfg.Ahead}
		s.slots = []*producer{p}
		return p.init(ctx)
	}
	for _, id := range s.cfg.IDs {
		s.slots = append(s.slots, &producer{id: id, opts: s.cfg.Client, timeout: s.cfg.Timeout, version: s.version})
	}
	failures := make(chan error, len(s.slots))
	for _, p := range s.slots {
		go func() { failures <- p.init(ctx) }()
	}
	for range s.slots {
		err = errors.Join(err, <-failures)
	}
	return err
}

// TransactionVersion returns the cluster's transaction.version.
func (s *Session) TransactionVersion() int { return s.version }

// State returns the state of the cycle.
func (s *Session) State() State { return s.state }

// CanProcess reports whether input may be processed. Beside [State.CanProcess], a
// rotation of one producer cannot begin the next transaction before the last has ended.
func (s *Session) CanProcess() bool {
	if len(s.slots) == 1 && s.cfg.Mode == Transactional && s.state.Sealed != NoneSealed && s.state.Sealed != CommittingPlain {
		return false
	}
	return s.state.CanProcess()
}

// Open tells the size and age of the transaction that has been begun and not
// sealed; all zero if there is none.
func (s *Session) Open() (records, bytes int64, age time.Duration) {
	if s.open == nil {
		return 0, 0, 0
	}
	return s.open.records, s.open.bytes, time.Since(s.open.begun)
}

// Held returns how many records wait until those of the transaction before are
// acknowledged (R2).
func (s *Session) Held() int {
	if s.open == nil {
		return 0
	}
	return len(s.open.held)
}

// Client returns a client of the session for requests of the worker's own.
func (s *Session) Client() *kgo.Client { return s.slots[0].client }

// Produce adds a record to the open transaction, beginning one if there is
// none. The record belongs to the session from then on. A record that cannot be
// produced shows up as an answer, not here.
func (s *Session) Produce(r *kgo.Record) error {
	if s.state.Sealed == Stopped {
		return errors.New("produce after the commit cycle has stopped") // R9
	}
	if s.open == nil {
		if out := s.step(Answer{event: Output}); out.Stop != nil {
			return out.Stop
		}
		if s.open == nil {
			return fmt.Errorf("begin a transaction while %s", s.state)
		}
	}
	t := s.open
	t.records++
	t.bytes += int64(len(r.Key) + len(r.Value))
	if t.holding {
		t.held = append(t.held, r)
		return nil
	}
	s.slots[t.slot].client.Produce(s.ctx, r, t.promise)
	return nil
}

// ProduceLoose produces a record outside of the cycle, for at-most-once
// processing. lost is told of a record that could not be produced.
func (s *Session) ProduceLoose(r *kgo.Record, lost func(error)) {
	s.slots[0].client.Produce(s.ctx, r, func(r *kgo.Record, err error) {
		if err != nil {
			lost(err)
		} else if s.cfg.Release != nil {
			s.cfg.Release(r)
		}
	})
}

// Seal begins to commit what is open, with the offsets and the token of sealed;
// without output it commits the offsets alone. The outcome arrives as an answer.
// It is an error if [State.CanSeal] says no.
func (s *Session) Seal(sealed Sealed) error {
	if !s.state.CanSeal() {
		return fmt.Errorf("seal a transaction while %s", s.state)
	}
	if s.cfg.Mode == Transactional && !sealed.Token.Valid() {
		return errors.New("seal a transaction without proof of membership: it would fence nothing")
	}
	s.number++
	sealed.Number = s.number
	s.sealed = &sealed
	event := SealPlain
	if s.open != nil {
		event = Seal
		sealed.txn = s.open
		sealed.Records, sealed.Bytes, sealed.Begun = s.open.records, s.open.bytes, s.open.begun
		s.open.seal()
		s.open = nil
	}
	return s.step(Answer{event: event}).Stop
}

// Abandon drops what is open, because the worker cannot go on with it: a
// record failed for good, partitions were lost. A sealed transaction whose end
// has been asked for is seen through first. A rewind follows as an outcome.
func (s *Session) Abandon(cause error) Outcome {
	return s.step(Answer{event: Abandon, err: cause})
}

// Answers returns the channel of answers. Receive from it and call [Session.Take].
func (s *Session) Answers() <-chan Answer { return s.answers }

// Take goes on after an answer.
func (s *Session) Take(a Answer) Outcome {
	if a.event == NextFailed {
		// The failure of a sealed transaction is reported by its flush, and of a
		// dropped one nobody wants to know.
		if s.open == nil || a.txn != s.open {
			return Outcome{}
		}
	} else {
		s.busy = nil
	}
	return s.step(a)
}

func (s *Session) step(a Answer) (out Outcome) {
	before := s.state
	if (a.event == NextFailed || a.event == Abandon) && s.cause == nil {
		// The rewind may have to wait for the step under way; its cause is known now.
		s.cause = a.err
	}
	next, effects := s.state.Step(s.cfg.Mode, a.event)
	s.state = next
	for _, e := range effects {
		s.perform(e, a, before, &out)
	}
	return out
}

// Interrupt makes whatever the session waits for give up, a blocked
// [Session.Produce] included. Nothing but [Session.Close] may follow. It is safe for concurrent use.
func (s *Session) Interrupt() { s.cancel() }

// Close ends the session: it aborts what is open, as far as the brokers let it within
// ctx, waits for the step under way and closes the producers.
func (s *Session) Close(ctx context.Context) error {
	s.wait(ctx)
	var err error
	if s.cfg.Mode == Idempotent && len(s.slots) > 0 && s.slots[0].client != nil {
		err = s.slots[0].client.Flush(ctx) // before the records' context ends
	}
	s.cancel()
	s.wait(context.Background())
	if s.cfg.Mode == Transactional {
		err = s.abandonAll(ctx)
	}
	for _, p := range s.slots {
		p.close()
	}
	return err
}

// abandonAll aborts what has begun and will not be ended any more, so that no
// reader has to wait for its timeout. A transaction whose end has been asked for
// is left alone: its outcome is the coordinator's by now.
func (s *Session) abandonAll(ctx context.Context) (err error) {
	var begun []*transaction
	if n := s.sealed; n != nil && n.txn != nil && !n.ending {
		begun = append(begun, n.txn)
	}
	if s.open != nil {
		begun = append(begun, s.open)
	}
	for _, t := range begun {
		p := s.slots[t.slot]
		if p.client == nil {
			continue
		}
		aerr := p.client.AbortBufferedRecords(ctx)
		if aerr == nil {
			aerr = p.end(ctx, false)
		}
		if aerr != nil {
			err = errors.Join(err, fmt.Errorf("abort on close: %w", aerr))
		}
	}
	return err
}

// wait waits for the step under way; its answer is not taken.
func (s *Session) wait(ctx context.Context) {
	if s.busy == nil {
		return
	}
	select {
	case <-s.busy:
		s.busy = nil
	case <-ctx.Done():
	}
}
