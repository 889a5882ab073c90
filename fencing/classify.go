package fencing

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/twmb/franz-go/pkg/kerr"
)

// The codes of errors that no broker sent.
const (
	// CodeTransport: the connection failed, or no answer came in time.
	CodeTransport = "transport"
	// CodeCanceled: the caller's own context was cancelled.
	CodeCanceled = "canceled"
	// CodeTLS: the TLS handshake failed.
	CodeTLS = "tls"
	// CodeClient: the Kafka client failed the request by itself.
	CodeClient = "client"
)

// Classify is the one table from an error to a verdict: no other code looks at
// a Kafka error code to decide what to do. The error may be wrapped in any way
// that errors.As sees through; of several broker errors the first counts. A
// transactionVersion (Kafka's transaction.version) below 0 counts as 0, above 2
// as 2. A nil err is OK.
//
// The client has retried before it returns an error, so a retriable code here
// means that retrying did not help.
//
// # A refused epoch
//
// INVALID_PRODUCER_EPOCH and PRODUCER_FENCED say that the coordinator or a
// leader knows a newer epoch of our producer. Two very different things lead
// there: another process initialised our transactional id, or the coordinator
// aborted our own slow transaction and bumped the epoch to keep us out. The
// code does not tell which: leaders answer INVALID_PRODUCER_EPOCH and
// coordinators PRODUCER_FENCED in both cases, under every transaction.version.
//
// Initialising again by reflex would turn a zombie into the owner and fence the
// rightful one, back and forth. Never doing so would cost the process whenever
// a handler is slow once. The conditional InitProducerId of KIP-360 does not
// settle it: below version 2 a coordinator that timed us out keeps no last
// epoch and refuses it too; under version 2 it would accept it, but kgo does not
// attempt it. So the
// verdict is Fenced with ProveMembership: the worker first drops its tasks'
// open work and hears from the group that it is still a member.
// [Decision.WithTransactionAge] then narrows the cause by the one thing that
// only the worker can know.
//
// INVALID_PRODUCER_ID_MAPPING is the same question after a long idle time: the
// coordinator has forgotten the id (transactional.id.expiration.ms).
//
// # EndTxn
//
// A commit is only ever "not committed" when the broker or the client says that
// it was not attempted or must be aborted. INVALID_TXN_STATE is not such an
// answer: it may refuse the second copy of a request whose first copy
// succeeded. Reading the offsets back is cheap and right in both cases.
func Classify(req Request, err error, transactionVersion int) Decision {
	if err == nil {
		return Decision{Verdict: OK}
	}
	version := min(max(transactionVersion, 0), transactionVersions-1)
	code, retriable := codeOf(err)
	d := defaultDecision(req, retriable)
	if r, ok := rowByCode[code]; ok {
		if named, ok := r.decide(req, version); ok {
			d = named
		}
	}
	d.Code = code
	return d
}

// codeOf names the error, and says whether it is retriable by its kind alone.
func codeOf(err error) (code string, retriable bool) {
	if ke, ok := errors.AsType[*kerr.Error](err); ok && ke != nil {
		return ke.Message, ke.Retriable
	}
	switch {
	case errors.Is(err, context.Canceled):
		return CodeCanceled, false
	case isTLS(err):
		return CodeTLS, false
	case isTransport(err):
		return CodeTransport, true
	default:
		return CodeClient, true
	}
}

// isTLS comes before isTransport, because a failed handshake arrives wrapped in
// a net.OpError and would otherwise be retried for ever.
func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		alert        tls.AlertError
		header       tls.RecordHeaderError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
	)
	return errors.As(err, &verification) || errors.As(err, &alert) || errors.As(err, &header) ||
		errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid)
}

func isTransport(err error) bool {
	var (
		network net.Error
		op      *net.OpError
		errno   syscall.Errno
	)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) ||
		errors.As(err, &network) || errors.As(err, &op) || errors.As(err, &errno)
}
