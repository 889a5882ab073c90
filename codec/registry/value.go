package registry

import (
	"fmt"
	"strings"
)

// valueError is a value that its schema does not describe. The libraries' texts
// may quote the value, so Error leaves them out and Unwrap keeps them.
type valueError struct {
	format, field, detail string
	cause                 error
}

func (e *valueError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "encode %s: %v", e.format, ErrValue)
	if e.field != "" {
		fmt.Fprintf(&b, " (field %s)", e.field)
	}
	if e.detail != "" {
		b.WriteString(": " + e.detail)
	}
	return b.String()
}

func (e *valueError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrValue}
	}
	return []error{ErrValue, e.cause}
}
