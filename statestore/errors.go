package statestore

import "errors"

var (
	// ErrDeclared is returned by [State.Declare] when a name is already taken by a
	// store of another kind, and when a declaration cannot be used at all.
	ErrDeclared = errors.New("invalid declaration")

	// ErrUndeclared is returned by [State.Bytes] and [State.Restore] for a store
	// that nobody declared.
	ErrUndeclared = errors.New("store is not declared")

	// ErrTransaction is returned when a call does not fit the transaction: a
	// second Seal, a Commit without Seal, a Restore with changes pending.
	ErrTransaction = errors.New("wrong state of the transaction")

	// ErrCorrupt is wrapped by errors about stored bytes that this package cannot have written.
	ErrCorrupt = errors.New("corrupt entry")

	// ErrTime is returned for a negative time, or a session that ends before it starts.
	ErrTime = errors.New("invalid time")
)
