package txn_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/txn"
)

// loseAnswer lets the broker carry out one EndTxn(commit), on behalf of a client
// of its own, and answers the session with something else.
func loseAnswer(r *rig, answer func(kmsg.Request) (kmsg.Response, error)) *atomic.Int32 {
	var lost atomic.Int32
	side := r.client()
	r.cluster.ControlKey(int16(kmsg.EndTxn), func(req kmsg.Request) (kmsg.Response, error, bool) {
		r.cluster.KeepControl()
		end := req.(*kmsg.EndTxnRequest)
		if !end.Commit || !lost.CompareAndSwap(0, 1) {
			return nil, nil, false
		}
		done := make(chan error, 1)
		r.cluster.SleepControl(func() {
			copied := *end
			resp, err := copied.RequestWith(context.Background(), side)
			if err == nil {
				err = kerr.ErrorForCode(resp.ErrorCode)
			}
			done <- err
		})
		assert.NoError(r.t, <-done)
		resp, err := answer(req)
		return resp, err, true
	})
	return &lost
}

// The commit is executed and the answer says nothing of it (L01, L02, A7, I9):
// the outcome is read back, and is a commit.
func TestExecutedButNotAnswered(t *testing.T) {
	answers := map[string]func(kmsg.Request) (kmsg.Response, error){
		"connection closed": func(kmsg.Request) (kmsg.Response, error) { return nil, errors.New("closed") },
		"unknown server error": func(req kmsg.Request) (kmsg.Response, error) {
			resp := req.ResponseKind().(*kmsg.EndTxnResponse)
			resp.ErrorCode = kerr.UnknownServerError.Code
			return resp, nil
		},
		"invalid state": func(req kmsg.Request) (kmsg.Response, error) {
			resp := req.ResponseKind().(*kmsg.EndTxnResponse)
			resp.ErrorCode = kerr.InvalidTxnState.Code
			return resp, nil
		},
	}
	for name, answer := range answers {
		for _, v := range []int{0, 2} {
			t.Run(name+[]string{"/tv0", "", "/tv2"}[v], func(t *testing.T) {
				t.Parallel()
				r := newRig(t, version(v))
				lost := loseAnswer(r, answer)
				r.produce("a")
				r.seal(1)
				r.produce("b")
				out := r.settle()
				require.EqualValues(t, 1, lost.Load())
				require.NoError(t, out.Stop)
				require.NotNil(t, out.Committed, "the commit was executed; cause: %v", out.Cause)
				if out.Rewind { // a retried request may also have been answered with success
					r.produce("b")
				}
				r.seal(2)
				require.NotNil(t, r.settle().Committed)
				assert.Equal(t, []string{"a", "b"}, r.visible())
				assert.EqualValues(t, 2, r.committed())
			})
		}
	}
}

// A record of N+1 fails while N is being ended: N stays, N+1 goes, and the cause
// names the record.
func TestFailureOfTheNextTransaction(t *testing.T) {
	r := newRig(t)
	ending, proceed := make(chan struct{}), make(chan struct{})
	var once atomic.Bool
	r.cluster.ControlKey(int16(kmsg.EndTxn), func(kmsg.Request) (kmsg.Response, error, bool) {
		if once.CompareAndSwap(false, true) {
			close(ending)
			r.cluster.SleepControl(func() { <-proceed })
		}
		return nil, nil, false
	})
	r.produce("a")
	r.seal(1)
	for r.session.State().Sealed != txn.Ending {
		require.Equal(t, txn.Outcome{}, r.session.Take(<-r.session.Answers()))
	}
	<-ending
	r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidRecord})
	r.produce("bad")
	require.Equal(t, txn.Outcome{}, r.session.Take(<-r.session.Answers()))
	require.Equal(t, txn.State{Sealed: txn.Ending, Next: txn.Doomed}, r.session.State())
	require.False(t, r.session.State().CanProcess())
	close(proceed)
	out := r.settle()
	require.NotNil(t, out.Committed)
	require.True(t, out.Rewind)
	failed, ok := errors.AsType[*txn.ProduceError](out.Cause)
	require.True(t, ok, "the cause is %v", out.Cause)
	assert.Equal(t, "bad", string(failed.Record.Value))
	r.produce("b")
	r.seal(2)
	require.NotNil(t, r.settle().Committed)
	assert.Equal(t, []string{"a", "b"}, r.visible())
}

// The last record of many is refused: none of them becomes visible (R7).
func TestOneFailedRecordTakesItsTransactionBack(t *testing.T) {
	r := newRig(t)
	r.produce("a", "b")
	big := make([]byte, 2<<20)
	require.NoError(t, r.session.Produce(&kgo.Record{Topic: "out", Value: big}))
	r.produce("c")
	r.seal(4)
	out := r.settle()
	require.True(t, out.Rewind)
	require.ErrorIs(t, out.Cause, kerr.MessageTooLarge)
	failed, _ := errors.AsType[*txn.ProduceError](out.Cause)
	assert.Len(t, failed.Record.Value, len(big))
	assert.NotContains(t, failed.Error(), "AAAA")
	assert.Empty(t, r.visible())
	assert.Zero(t, r.committed())
}

// Before transaction.version 2 an abort does not mend a spoiled producer id.
func TestBeginAfterASpoiledProducer(t *testing.T) {
	for _, v := range []int{0, 1, 2} {
		r := newRig(t, version(v))
		for range 3 {
			h := r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.OutOfOrderSequenceNumber})
			r.produce("x")
			r.seal(1)
			out := r.settle()
			require.NoError(t, out.Stop)
			require.True(t, out.Rewind)
			require.Positive(t, h.Hits())
		}
		r.produce("a")
		r.seal(1)
		require.NotNil(t, r.settle().Committed)
		assert.Equal(t, []string{"a"}, r.visible())
	}
}

// Offsets that move without output need no transaction; an unanswered commit of
// them is read again, never fatal (C-2).
func TestPlainCommit(t *testing.T) {
	for name, c := range map[string]struct {
		err    *kerr.Error
		count  int
		rewind bool
		stop   bool
	}{
		"generation":      {kerr.IllegalGeneration, 1, true, false},
		"rebalancing":     {kerr.RebalanceInProgress, 1, true, false},
		"coordinator":     {kerr.NotCoordinator, 3, false, false},
		"absent for long": {kerr.CoordinatorNotAvailable, -1, true, false},
		"unauthorized":    {kerr.GroupAuthorizationFailed, 1, false, true},
		"instance":        {kerr.FencedInstanceID, 1, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, timeout(300*time.Millisecond), func(r *rig) { r.retries = 3 })
			r.seal(3)
			require.NotNil(t, r.settle().Committed)
			require.EqualValues(t, 3, r.committed())
			h := r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: c.err, Count: c.count})
			r.seal(4)
			out := r.settle()
			h.Remove()
			require.Equal(t, c.stop, out.Stop != nil, "%v", out.Stop)
			require.Equal(t, c.rewind, out.Rewind)
			if c.rewind || c.stop {
				require.EqualValues(t, 3, r.committed())
				return
			}
			require.EqualValues(t, 4, r.committed())
		})
	}
}

// The time to deliver counts from the commit, not from the records' timestamps,
// which may be of any age.
func TestDeliveryTimeout(t *testing.T) {
	r := newRig(t, func(r *rig) { r.delivery = 200 * time.Millisecond })
	require.NoError(t, r.session.Produce(&kgo.Record{Topic: "out", Value: []byte("old"), Timestamp: time.UnixMilli(1)}))
	r.seal(1)
	require.NotNil(t, r.settle().Committed)
	h := r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotEnoughReplicas, Count: -1})
	r.produce("late")
	r.seal(2)
	out := r.settle()
	require.NoError(t, out.Stop)
	require.True(t, out.Rewind)
	require.ErrorIs(t, out.Cause, context.DeadlineExceeded)
	h.Remove()
	r.produce("again")
	r.seal(2)
	require.NotNil(t, r.settle().Committed)
	assert.Equal(t, []string{"old", "again"}, r.visible())
}

func TestSealNeedsProof(t *testing.T) {
	r := newRig(t)
	r.produce("a")
	require.ErrorContains(t, r.session.Seal(txn.Sealed{Token: fencing.NoToken("app")}), "proof of membership")
	require.Error(t, r.session.Seal(txn.Sealed{}))
	r.seal(1)
	require.ErrorContains(t, r.session.Seal(txn.Sealed{Token: r.token()}), "flushing", "R3")
	require.NotNil(t, r.settle().Committed)
}

// A predecessor with the same ids has left a transaction open: Init ends it (R5).
func TestInitEndsWhatAPredecessorLeft(t *testing.T) {
	r := newRig(t)
	r.produce("left")
	require.Eventually(t, func() bool { return len(r.wire.requests(kmsg.Produce)) > 0 }, patience, time.Millisecond)
	old := r.session
	r.begin()
	r.produce("a")
	r.seal(1)
	require.NotNil(t, r.settle().Committed)
	assert.Equal(t, []string{"a"}, r.visible())

	// The predecessor wakes up: it is fenced, and nothing of it becomes visible.
	r.session, old = old, r.session
	r.seal(1)
	out := r.settle()
	require.ErrorIs(t, out.Stop, fencing.ErrFenced)
	r.session = old
	r.produce("b")
	r.seal(2)
	require.NotNil(t, r.settle().Committed)
	assert.Equal(t, []string{"a", "b"}, r.visible())
}

// Answers of InitProducerId that mean "later" are waited for; others are errors.
func TestInit(t *testing.T) {
	for name, c := range map[string]struct {
		err   *kerr.Error
		count int
		fails bool
	}{
		"concurrent":   {kerr.ConcurrentTransactions, 3, false},
		"loading":      {kerr.CoordinatorLoadInProgress, 3, false},
		"moved":        {kerr.NotCoordinator, 3, false},
		"unauthorized": {kerr.TransactionalIDAuthorizationFailed, 1, true},
		"timeout":      {kerr.InvalidTransactionTimeout, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: c.err, Count: c.count, TopLevel: true})
			s := txn.New(r.config())
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			err := s.Init(ctx)
			if c.fails {
				require.ErrorIs(t, err, c.err)
			} else {
				require.NoError(t, err)
			}
			require.NoError(t, s.Close(ctx))
		})
	}
	t.Run("no broker", func(t *testing.T) {
		s := txn.New(txn.Config{Client: func() []kgo.Opt { return []kgo.Opt{kgo.SeedBrokers("127.0.0.1:1")} }, IDs: []fencing.TransactionalID{"x"}})
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		require.Error(t, s.Init(ctx))
		require.NoError(t, s.Close(t.Context()))
	})
	t.Run("impossible options", func(t *testing.T) {
		for _, m := range []txn.Mode{txn.Transactional, txn.Idempotent} {
			s := txn.New(txn.Config{Mode: m, Client: func() []kgo.Opt { return []kgo.Opt{kgo.SeedBrokers()} }, IDs: []fencing.TransactionalID{"x"}})
			require.Error(t, s.Init(t.Context()))
			require.NoError(t, s.Close(t.Context()))
		}
	})
}
