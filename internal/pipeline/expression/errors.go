package expression

import (
	"errors"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/file"
)

// Error is a fault of an expression or of one evaluation.
type Error struct {
	// From and To delimit the place, in runes from the start of the expression.
	// To is larger than From unless the expression is empty.
	From, To int
	Message  string
	// Hint is how to mend it; may be empty.
	Hint string
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// asError turns what the library reports into an Error that speaks of the
// pipeline's types instead of Go's.
func asError(src string, err error) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	e := &Error{Message: err.Error()}
	fe, ok := errors.AsType[*file.Error](err)
	if ok {
		e.From, e.To, e.Message = fe.From, fe.To, fe.Message
		if own, ok := errors.AsType[*fault](fe.Prev); ok {
			e.Message, e.Hint = own.message, own.hint
			return e.within(src)
		}
	} else if own, ok := errors.AsType[*fault](err); ok {
		e.Message, e.Hint = own.message, own.hint
	}
	e.Message, e.Hint = reword(e.Message, e.Hint)
	return e.within(src)
}

// within keeps the place inside the source, at least one rune wide.
func (e *Error) within(src string) *Error {
	n := len([]rune(src))
	e.From = max(0, min(e.From, n-1))
	e.To = max(e.From+1, min(e.To, n))
	return e
}

// fault is an error of one of this package's functions. The place is added by
// the virtual machine.
type fault struct{ message, hint string }

func (f *fault) Error() string { return f.message }

var goTypes = strings.NewReplacer(
	"map[string]interface {}", "map", "map[string]any", "map", "[]interface {}", "list", "[]any", "list",
	"map[string]string", "map", "interface {}", "any", "[]uint8", "bytes", "[]byte", "bytes",
	"json.Number", "integer beyond 64 bits", "float64", "float", "int64", "int", "<nil>", "null",
)

var (
	conversion = regexp.MustCompile(`^interface conversion: interface \{\} is (.+), not (.+)$`)
	fetch      = regexp.MustCompile(`(?s)^cannot fetch (.*) from (.+)$`)
	slice      = regexp.MustCompile(`(?s)^cannot slice .*$`)
	index      = regexp.MustCompile(`^invalid operation: int\((.+)\)$`)
	division   = "runtime error: integer divide by zero"
)

// reword replaces messages of the virtual machine that speak of Go, or that show
// the record's content.
func reword(message, hint string) (string, string) {
	if m := conversion.FindStringSubmatch(message); m != nil {
		if m[1] == "nil" {
			return "null where a " + goTypes.Replace(m[2]) + " is needed", "a field is missing or null: give it a default with ??"
		}
		return goTypes.Replace(m[1]) + " where a " + goTypes.Replace(m[2]) + " is needed", hint
	}
	if m := fetch.FindStringSubmatch(message); m != nil {
		if m[2] == "<nil>" {
			return "no field " + m[1] + " in null", "use ?. where the value before it may be missing"
		}
		return "no field " + m[1] + " in a " + goTypes.Replace(m[2]), hint
	}
	if m := index.FindStringSubmatch(message); m != nil {
		return "a " + goTypes.Replace(m[1]) + " where a whole number is needed", "text and lists have no fields, only positions"
	}
	switch {
	case slice.MatchString(message):
		return "only text and lists can be sliced", hint
	case message == division:
		return "division by zero", hint
	case message == "memory budget exceeded":
		return "the result is too large", "an expression may make at most a million elements"
	}
	return goTypes.Replace(message), hint
}
