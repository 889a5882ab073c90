package topology

import (
	"errors"
	"fmt"
)

// Errors of this package.
var (
	// ErrNullValue is the failure of an operator that needs the value of a
	// record whose value is null and whose type has no nil.
	ErrNullValue = errors.New("null value for a type that has no nil: filter such records first, or use a pointer type")
	// ErrInvalidTimestamp is the failure of [FailOnInvalidTimestamp].
	ErrInvalidTimestamp = errors.New("record has no valid timestamp")
	// ErrBufferFull is the failure of [UntilWindowCloses] when its buffer has no
	// place for an update.
	ErrBufferFull = errors.New("the buffer of windows that are not closed is full")
	// ErrPanic marks an error that was a panic in a user's function.
	ErrPanic = errors.New("panic in a user function")
)

// Stage says in which part of a record's journey it failed, and so which
// exception handler decides.
type Stage uint8

// The stages, named after Kafka Streams' exception handlers.
const (
	Deserialization Stage = iota
	Processing
	Production
)

// String returns the stage's name as used in metrics and logs.
func (s Stage) String() string {
	switch s {
	case Deserialization:
		return "deserialization"
	case Processing:
		return "processing"
	default:
		return "production"
	}
}

// RecordError is the failure of one input record. It names the record, so that
// it can be found again, but never shows its content.
type RecordError struct {
	Stage     Stage
	Node      string
	Topic     string
	Partition int32
	Offset    int64
	// Stack is the stack of a panic; nil otherwise.
	Stack []byte
	Err   error
}

func (e *RecordError) Error() string {
	at := fmt.Sprintf("%s-%d@%d", e.Topic, e.Partition, e.Offset)
	if e.Topic == "" {
		at = "punctuation"
	}
	if e.Node == "" {
		return fmt.Sprintf("%s of %s: %v", e.Stage, at, e.Err)
	}
	return fmt.Sprintf("%s of %s in %s: %v", e.Stage, at, e.Node, e.Err)
}

func (e *RecordError) Unwrap() error { return e.Err }
