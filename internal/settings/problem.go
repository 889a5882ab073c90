package settings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ErrInvalid matches every error made from a [Problem].
var ErrInvalid = errors.New("invalid configuration")

// Severity says whether a problem prevents the start. The zero value is Error.
type Severity int

// The severities.
const (
	Error   Severity = iota // the application must not start
	Warning                 // worth a line for the user; the settings are usable
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Problem is one fault of a configuration. It is an error that matches
// [ErrInvalid], and holds no secret.
type Problem struct {
	// Key is the key as the user wrote it, or the plain name of a missing one; ""
	// when the fault lies in several together.
	Key string
	// Message says what is wrong and how to put it right.
	Message string
	// Suggestion is the key or the value to write in its place, "" if there is
	// none to offer.
	Suggestion string
	Severity   Severity
}

// Error returns "key: message (did you mean …?)".
func (p Problem) Error() string {
	text := p.Message
	if p.Key != "" {
		text = p.Key + ": " + text
	}
	if p.Suggestion != "" {
		text += fmt.Sprintf(" (did you mean %q?)", p.Suggestion)
	}
	return text
}

// String returns the same text as Error.
func (p Problem) String() string { return p.Error() }

// Is matches [ErrInvalid].
func (p Problem) Is(target error) bool { return target == ErrInvalid }

// Problems are sorted by key, errors of a key before its warnings.
type Problems []Problem

// Err joins the problems of severity Error; it is nil when there are none. Each
// is found again with errors.As as a [Problem].
func (ps Problems) Err() error {
	var errs []error
	for _, p := range ps {
		if p.Severity == Error {
			errs = append(errs, p)
		}
	}
	return errors.Join(errs...)
}

// Warnings returns the problems that do not prevent the start.
func (ps Problems) Warnings() Problems {
	var warnings Problems
	for _, p := range ps {
		if p.Severity == Warning {
			warnings = append(warnings, p)
		}
	}
	return warnings
}

func (ps Problems) sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Message, b.Message))
	})
}
