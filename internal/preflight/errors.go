package preflight

import "errors"

// The kinds of faults. A start usually meets several, joined into one error.
var (
	// ErrUnreachable means that no broker of bootstrap.servers could be talked to.
	ErrUnreachable = errors.New("no broker can be reached")
	// ErrBrokerTooOld means that a broker lacks what the configuration needs.
	ErrBrokerTooOld = errors.New("broker is too old")
	// ErrNoTopic means that a topic does not exist.
	ErrNoTopic = errors.New("topic does not exist")
	// ErrNotAuthorized means that the principal lacks a right.
	ErrNotAuthorized = errors.New("not authorized")
	// ErrInternalTopic means that an internal topic cannot be used as it is, or
	// cannot be made.
	ErrInternalTopic = errors.New("internal topic")
	// ErrTransactionTimeout means that the brokers take no such transaction.timeout.ms.
	ErrTransactionTimeout = errors.New("transaction.timeout.ms is too long")
)
