package fencing

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
)

// The expectations here are written by hand from the protocol, not derived from
// the rows: a slip in a row must show.
func TestClassifyKnownCases(t *testing.T) {
	timeoutOrTakeover := Decision{Verdict: Fenced, By: ByEpoch, Reinit: true, ProveMembership: true}
	tests := []struct {
		name string
		req  Request
		err  error
		want [3]Decision
	}{
		{"offsets of an old generation", TxnOffsetCommit, kerr.IllegalGeneration, same(Decision{Verdict: Fenced, By: ByGeneration})},
		{"offsets of a removed member", TxnOffsetCommit, kerr.UnknownMemberID, same(Decision{Verdict: Fenced, By: ByGeneration})},
		{"offsets of a stale member epoch", TxnOffsetCommit, kerr.StaleMemberEpoch, same(Decision{Verdict: Fenced, By: ByGeneration})},
		{"offsets of a fenced member epoch", TxnOffsetCommit, kerr.FencedMemberEpoch, same(Decision{Verdict: Fenced, By: ByGeneration})},
		{"offsets for a group that vanished", TxnOffsetCommit, kerr.GroupIDNotFound, same(Decision{Verdict: Fenced, By: ByGeneration})},
		{"offsets in a rebalance", TxnOffsetCommit, kerr.RebalanceInProgress, same(Decision{Verdict: Abort})},
		{"instance id taken", TxnOffsetCommit, kerr.FencedInstanceID, same(Decision{Verdict: Fenced, By: ByInstance})},
		{"instance id taken, seen by heartbeat", Heartbeat, kerr.FencedInstanceID, same(Decision{Verdict: Fenced, By: ByInstance})},
		{"stale epoch on fetch waits, never resets", OffsetFetch, kerr.StaleMemberEpoch, same(Decision{Verdict: Retry})},
		{"open offsets of a predecessor", OffsetFetch, kerr.UnstableOffsetCommit, same(Decision{Verdict: Retry})},

		{"produce with a refused epoch", Produce, kerr.InvalidProducerEpoch, same(timeoutOrTakeover)},
		{"commit with a refused epoch", EndTxnCommit, kerr.ProducerFenced, same(timeoutOrTakeover)},
		{"commit refused by an old coordinator", EndTxnCommit, kerr.InvalidProducerEpoch, same(timeoutOrTakeover)},
		{"expired id before a produce", Produce, kerr.InvalidProducerIDMapping, same(Decision{Verdict: Fenced, By: ByTimeout, Reinit: true, ProveMembership: true})},
		{"lost sequence", Produce, kerr.OutOfOrderSequenceNumber, [3]Decision{
			{Verdict: Abort, Reinit: true}, {Verdict: Abort, Reinit: true}, {Verdict: Abort},
		}},
		{"forgotten producer", Produce, kerr.UnknownProducerID, [3]Decision{
			{Verdict: Abort, Reinit: true}, {Verdict: Abort, Reinit: true}, {Verdict: Abort},
		}},

		{"commit, broker at a loss", EndTxnCommit, kerr.UnknownServerError, same(Decision{Verdict: Unknown, Reinit: true})},
		{"commit, broker too slow", EndTxnCommit, kerr.RequestTimedOut, same(Decision{Verdict: Unknown, Reinit: true})},
		{"commit, coordinator gone", EndTxnCommit, kerr.NotCoordinator, same(Decision{Verdict: Unknown, Reinit: true})},
		{"commit, answer lost", EndTxnCommit, io.EOF, same(Decision{Verdict: Unknown, Reinit: true})},
		{"commit, caller stopped", EndTxnCommit, context.Canceled, same(Decision{Verdict: Unknown, Reinit: true})},
		{"commit of a transaction in another state", EndTxnCommit, kerr.InvalidTxnState, same(Decision{Verdict: Unknown, Reinit: true})},
		{"abort after a loss of network", EndTxnAbort, kerr.InvalidTxnState, same(Decision{Verdict: Unknown, Reinit: true})},
		{"commit while markers are written", EndTxnCommit, kerr.ConcurrentTransactions, same(Decision{Verdict: Retry})},
		{"commit that must be aborted", EndTxnCommit, kerr.TransactionAbortable, same(Decision{Verdict: Abort})},
		{"commit that was not tried", EndTxnCommit, kerr.OperationNotAttempted, same(Decision{Verdict: Abort})},
		{"commit forbidden", EndTxnCommit, kerr.TransactionalIDAuthorizationFailed, same(Decision{Verdict: Fatal})},
		{"commit, a code from the future", EndTxnCommit, &kerr.Error{Message: "NEW", Code: 999}, same(Decision{Verdict: Unknown, Reinit: true})},

		{"record too large", Produce, kerr.MessageTooLarge, same(Decision{Verdict: Abort, RecordFault: true})},
		{"record refused", Produce, kerr.InvalidRecord, same(Decision{Verdict: Abort, RecordFault: true})},
		{"too few replicas", Produce, kerr.NotEnoughReplicas, same(Decision{Verdict: Abort})},
		{"produce forbidden", Produce, kerr.TopicAuthorizationFailed, same(Decision{Verdict: Fatal})},
		{"output deleted", Produce, kerr.UnknownTopicOrPartition, same(Decision{Verdict: Fatal})},
		{"produce, connection lost", Produce, syscall.ECONNRESET, same(Decision{Verdict: Abort})},
		{"produce, a retriable code from the future", Produce, &kerr.Error{Message: "NEW", Code: 999, Retriable: true}, same(Decision{Verdict: Abort})},
		{"produce, a final code from the future", Produce, &kerr.Error{Message: "NEW", Code: 999}, same(Decision{Verdict: Fatal})},

		{"start while the predecessor is aborted", InitProducerID, kerr.ConcurrentTransactions, same(Decision{Verdict: Retry})},
		{"start against an old broker", InitProducerID, kerr.UnsupportedVersion, same(Decision{Verdict: Fatal})},
		{"start with too long a timeout", InitProducerID, kerr.InvalidTransactionTimeout, same(Decision{Verdict: Fatal})},
		{"cluster down at start", InitProducerID, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, same(Decision{Verdict: Retry})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for version, want := range tt.want {
				got := Classify(tt.req, fmt.Errorf("end cycle: %w", tt.err), version)
				assert.NotEmpty(t, got.Code)
				got.Code = ""
				assert.Equal(t, want, got, "transaction.version=%d", version)
			}
		})
	}
}

func same(d Decision) [3]Decision { return [3]Decision{d, d, d} }

func TestClassifyNil(t *testing.T) {
	for _, req := range Requests() {
		assert.Equal(t, Decision{Verdict: OK}, Classify(req, nil, 2))
	}
	assert.NotEqual(t, OK, Decision{}.Verdict, "an empty decision must not be a success")
}

func TestClassifyVersionOutOfRange(t *testing.T) {
	assert.Equal(t, Classify(Produce, kerr.OutOfOrderSequenceNumber, 0), Classify(Produce, kerr.OutOfOrderSequenceNumber, -1))
	assert.Equal(t, Classify(Produce, kerr.OutOfOrderSequenceNumber, 2), Classify(Produce, kerr.OutOfOrderSequenceNumber, 7))
}

func TestClassifyErrorsOfNoBroker(t *testing.T) {
	tests := []struct {
		err  error
		code string
	}{
		{io.EOF, CodeTransport},
		{io.ErrUnexpectedEOF, CodeTransport},
		{context.DeadlineExceeded, CodeTransport},
		{os.ErrDeadlineExceeded, CodeTransport},
		{net.ErrClosed, CodeTransport},
		{syscall.EPIPE, CodeTransport},
		{&net.DNSError{Name: "kafka"}, CodeTransport},
		{fmt.Errorf("unable to dial: %w", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), CodeTransport},
		{context.Canceled, CodeCanceled},
		{&net.OpError{Op: "remote error", Err: x509.UnknownAuthorityError{}}, CodeTLS},
		{x509.HostnameError{Certificate: &x509.Certificate{}, Host: "kafka"}, CodeTLS},
		{errors.New("records have timed out before they were able to be produced"), CodeClient},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%T %v", tt.err, tt.code), func(t *testing.T) {
			for _, req := range Requests() {
				d := Classify(req, fmt.Errorf("wrapped: %w", tt.err), 2)
				assert.Equal(t, tt.code, d.Code)
				switch {
				case endsTransaction.has(req):
					assert.Equal(t, Unknown, d.Verdict, req)
				case tt.code == CodeTLS:
					assert.Equal(t, Fatal, d.Verdict, req)
				case insideTransaction.has(req) || tt.code == CodeCanceled:
					assert.Equal(t, Abort, d.Verdict, req)
				default:
					assert.Equal(t, Retry, d.Verdict, req)
				}
			}
		})
	}
}

// kgo joins its own text with two broker errors when a topic was created again
// in a transaction.
func TestClassifyFirstBrokerErrorCounts(t *testing.T) {
	err := fmt.Errorf("abort the transaction: %w, %w", kerr.TransactionAbortable, kerr.UnknownTopicID)
	d := Classify(EndTxnCommit, errors.Join(io.EOF, err), 2)
	assert.Equal(t, Decision{Verdict: Abort, Code: "TRANSACTION_ABORTABLE"}, d)
}

// What must hold for every code that the client knows, every request and every
// transaction.version, whatever the rows say.
func TestClassifyEveryCode(t *testing.T) {
	for _, ke := range brokerErrors() {
		for _, req := range Requests() {
			for version := range transactionVersions {
				d := Classify(req, ke, version)
				at := fmt.Sprintf("%s on %s, transaction.version=%d: %s", ke.Message, req, version, d)
				assert.Equal(t, ke.Message, d.Code, at)
				assert.NotEqual(t, OK, d.Verdict, at)
				assert.NotEqual(t, "none", d.Verdict.String(), at)
				assert.Equal(t, d.Verdict == Fenced, d.By != ByNone, at)
				if d.Verdict == Unknown {
					assert.True(t, endsTransaction.has(req), at)
					assert.True(t, d.Reinit, at)
				}
				if d.ProveMembership {
					assert.Equal(t, Fenced, d.Verdict, at)
					assert.True(t, d.Reinit, at)
				}
				if d.Verdict == Fenced {
					assert.Equal(t, d.Reinit, d.ProveMembership, at, "a fenced producer never comes back without proof")
				}
				if req == Produce {
					assert.NotEqual(t, Retry, d.Verdict, at)
				} else {
					assert.False(t, d.RecordFault, at)
				}
				if req == EndTxnCommit && d.Verdict == Abort {
					assert.Contains(t, []string{"TRANSACTION_ABORTABLE", "OPERATION_NOT_ATTEMPTED"}, ke.Message, at)
				}
			}
		}
	}
}

func TestWithTransactionAge(t *testing.T) {
	const timeout = 3 * time.Second
	for _, err := range []error{kerr.InvalidProducerEpoch, kerr.ProducerFenced} {
		for version := range transactionVersions {
			for _, req := range []Request{Produce, TxnOffsetCommit, EndTxnCommit} {
				d := Classify(req, err, version)

				slow := d.WithTransactionAge(8*time.Second, timeout)
				assert.Equal(t, ByTimeout, slow.By)
				assert.True(t, slow.Reinit && slow.ProveMembership)
				assert.False(t, slow.By.EndsProcess(), "a slow handler must not cost the process")

				young := d.WithTransactionAge(timeout-1, timeout)
				assert.Equal(t, ByEpoch, young.By)
				assert.False(t, young.Reinit || young.ProveMembership, "somebody else owns the id")
				assert.True(t, young.By.EndsProcess())

				assert.Equal(t, young, d.WithTransactionAge(0, timeout), "no transaction was open")
				assert.Equal(t, young, d.WithTransactionAge(time.Hour, 0), "without a timeout nothing is timed out")
			}
		}
	}
	for _, err := range []error{kerr.InvalidProducerIDMapping, kerr.IllegalGeneration, kerr.NotEnoughReplicas} {
		d := Classify(Produce, err, 2)
		assert.Equal(t, d, d.WithTransactionAge(0, timeout), "age says nothing about %v", err)
	}
}

func TestGiveUp(t *testing.T) {
	want := map[Request]Decision{
		InitProducerID: {Verdict: Fatal}, OffsetFetch: {Verdict: Fatal}, Heartbeat: {Verdict: Fatal},
		AddPartitionsToTxn: {Verdict: Abort}, TxnOffsetCommit: {Verdict: Abort},
		EndTxnCommit: {Verdict: Unknown, Reinit: true}, EndTxnAbort: {Verdict: Unknown, Reinit: true},
	}
	for req, w := range want {
		assert.Equal(t, w, retry.GiveUp(req), req)
		assert.Equal(t, byInstance, byInstance.GiveUp(req), "only a retry is given up")
	}
}

func TestMayHaveCommitted(t *testing.T) {
	assert.True(t, Classify(EndTxnCommit, io.EOF, 2).MayHaveCommitted(EndTxnCommit))
	assert.True(t, Classify(EndTxnCommit, kerr.ProducerFenced, 2).MayHaveCommitted(EndTxnCommit))
	assert.False(t, Classify(EndTxnCommit, kerr.TransactionAbortable, 2).MayHaveCommitted(EndTxnCommit))
	assert.False(t, Classify(TxnOffsetCommit, io.EOF, 2).MayHaveCommitted(TxnOffsetCommit))
	assert.False(t, Classify(EndTxnAbort, io.EOF, 2).MayHaveCommitted(EndTxnAbort))
}

func TestFencedError(t *testing.T) {
	cause := fmt.Errorf("flush: %w", kerr.InvalidProducerEpoch)
	var err error = NewFencedError(Classify(Produce, cause, 2), Produce, cause)
	err = fmt.Errorf("worker 1: %w", err)
	require.ErrorIs(t, err, ErrFenced)
	require.ErrorIs(t, err, kerr.InvalidProducerEpoch)
	var fenced *FencedError
	require.ErrorAs(t, err, &fenced)
	assert.Equal(t, ByEpoch, fenced.By)
	assert.Equal(t, "worker 1: fenced by epoch: Produce was refused with INVALID_PRODUCER_EPOCH", err.Error())
}
