package codec

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNil is returned by Append for a nil, which has no wire form: a null is
	// written by the record's null bit and never reaches a codec.
	ErrNil = errors.New("nil has no wire form (a null is a bit of the record)")

	// ErrMalformed is wrapped by every Decode error that is the record's fault:
	// reading the same bytes again gives the same error.
	ErrMalformed = errors.New("malformed record")

	// ErrUnavailable is wrapped by Append and Decode errors that are not the
	// record's fault: something the codec depends on, such as a schema registry,
	// did not answer. Such a record must be tried again, never skipped or
	// dead-lettered.
	ErrUnavailable = errors.New("unavailable")

	// ErrWindow is returned by Append for a window that cannot be written: it
	// begins before time 0, ends before it begins, or is not of the codec's size.
	ErrWindow = errors.New("invalid window")
)

// DecodeError is a record that is not a wire form of the type asked for. It
// tells where and what kind of thing was found, never the content. It wraps
// [ErrMalformed].
type DecodeError struct {
	Format string // wire form that was expected, such as "int64" or "json"
	Offset int64  // position in the bytes given to Decode; negative if unknown
	Field  string // dotted path of the field, empty if unknown or the whole value
	Want   string // what was expected, empty if unknown
	Found  string // kind of what was found, empty if unknown

	// Cause is the underlying error, nil if there is none. Its text may quote
	// the record and is therefore not part of Error's.
	Cause error
}

// Error describes the fault without any content of the record.
func (e *DecodeError) Error() string {
	var b strings.Builder
	b.WriteString("decode ")
	b.WriteString(e.Format)
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " at offset %d", e.Offset)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, " (field %s)", e.Field)
	}
	b.WriteString(": ")
	switch {
	case e.Want != "" && e.Found != "":
		fmt.Fprintf(&b, "want %s, found %s", e.Want, e.Found)
	case e.Want != "":
		fmt.Fprintf(&b, "want %s", e.Want)
	case e.Found != "":
		fmt.Fprintf(&b, "found %s", e.Found)
	case e.Cause != nil:
		fmt.Fprintf(&b, "value refused with %T", e.Cause)
	default:
		b.WriteString(ErrMalformed.Error())
	}
	return b.String()
}

// Unwrap returns ErrMalformed and the cause.
func (e *DecodeError) Unwrap() []error {
	if e.Cause == nil {
		return []error{ErrMalformed}
	}
	return []error{ErrMalformed, e.Cause}
}

// lengthError is the error for a fixed-size form of the wrong length.
func lengthError(format string, want, found int) error {
	return &DecodeError{
		Format: format, Offset: -1,
		Want: fmt.Sprintf("%d bytes", want), Found: fmt.Sprintf("%d bytes", found),
	}
}
