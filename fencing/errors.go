package fencing

import (
	"errors"
	"fmt"
)

var (
	// ErrFenced matches every [FencedError].
	ErrFenced = errors.New("fenced")
	// ErrLocked means that another living process holds the state directory.
	ErrLocked = errors.New("state directory is locked by another process")
	// ErrForeignDirectory means that the directory belongs to another cluster,
	// application or layout, or to nothing that eosproc wrote.
	ErrForeignDirectory = errors.New("state directory belongs to something else")
	// ErrUnsafeDirectory means that the path must not be used as a state
	// directory at all: a symlink, the file system's root, the home directory.
	ErrUnsafeDirectory = errors.New("unsafe state directory")
	// ErrCorruptIdentity means that a file that eosproc wrote into the state
	// directory cannot be read back.
	ErrCorruptIdentity = errors.New("state directory identity is damaged")
	// ErrInvalidID matches every refusal of an application id, instance id or
	// transactional id.
	ErrInvalidID = errors.New("invalid id")
)

// FencedError is what a fenced worker returns. errors.Is(err, ErrFenced) holds,
// and so does errors.Is for the broker's error inside.
type FencedError struct {
	By      By
	Code    string
	Request Request
	// Err is the broker's error; nil when the fence was found by the worker
	// itself.
	Err error
}

// NewFencedError makes the error for a decision whose verdict is Fenced.
func NewFencedError(d Decision, req Request, err error) *FencedError {
	return &FencedError{By: d.By, Code: d.Code, Request: req, Err: err}
}

// Error names the cause, the request and Kafka's code.
func (e *FencedError) Error() string {
	msg := fmt.Sprintf("fenced by %s: %s was refused", e.By, e.Request)
	if e.Code != "" {
		msg += " with " + e.Code
	}
	return msg
}

// Is matches [ErrFenced].
func (e *FencedError) Is(target error) bool { return target == ErrFenced }

// Unwrap returns the broker's error.
func (e *FencedError) Unwrap() error { return e.Err }
