package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Type is the form of a value; the names are those of a JSON schema where one
// exists.
type Type string

// The types.
const (
	TypeString  Type = "string"
	TypeInteger Type = "integer"
	TypeNumber  Type = "number"
	TypeBoolean Type = "boolean"
	TypeList    Type = "list" // separated by commas
)

const (
	maxInt32 = math.MaxInt32
	// maxMillis is the longest time a time.Duration holds.
	maxMillis = math.MaxInt64 / int64(time.Millisecond)
)

// fault is what is wrong with one value.
type fault struct {
	message, suggestion string
	severity            Severity
}

// value reads one kind of value into its field.
type value struct {
	kind      Type
	low, high int64 // of numbers; both 0 without limits
	values    []string
	set       func(*Settings, string) *fault
}

// integer reads a whole number between low and high.
func integer[T ~int | ~int64](low, high int64, field func(*Settings) *T) value {
	return scaled(low, high, 1, field)
}

// millis reads a number of milliseconds. -1, where low allows it, stays negative.
func millis(low, high int64, field func(*Settings) *time.Duration) value {
	return scaled(low, high, int64(time.Millisecond), field)
}

func scaled[T ~int | ~int64](low, high, unit int64, field func(*Settings) *T) value {
	return value{kind: TypeInteger, low: low, high: high, set: func(s *Settings, text string) *fault {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return notANumber(text, unit)
		}
		if n < low || n > high {
			return &fault{message: fmt.Sprintf("%d is outside of %d to %d", n, low, high)}
		}
		*field(s) = T(n * unit)
		return nil
	}}
}

// notANumber suggests what people mean by "10s" or "64MiB", which Kafka's keys
// don't take.
func notANumber(text string, unit int64) *fault {
	f := &fault{message: fmt.Sprintf("%s is not a whole number", quote(text))}
	if unit == int64(time.Millisecond) {
		f.message += " of milliseconds"
		if d, err := time.ParseDuration(text); err == nil && d >= 0 {
			f.suggestion = strconv.FormatInt(d.Milliseconds(), 10)
		}
		return f
	}
	for suffix, shift := range map[string]uint{"KiB": 10, "MiB": 20, "GiB": 30} {
		if digits, found := strings.CutSuffix(text, suffix); found {
			if n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 32); err == nil && n >= 0 {
				f.suggestion = strconv.FormatInt(n<<shift, 10)
			}
		}
	}
	return f
}

// boolean reads true or false.
func boolean(field func(*Settings) *bool) value {
	return value{kind: TypeBoolean, values: []string{"true", "false"}, set: func(s *Settings, text string) *fault {
		switch strings.ToLower(text) {
		case "true":
			*field(s) = true
		case "false":
			*field(s) = false
		default:
			return &fault{message: fmt.Sprintf("%s is neither true nor false", quote(text))}
		}
		return nil
	}}
}

// text reads a string as it is; check may be nil.
func text(field func(*Settings) *string, check func(string) error) value {
	return value{kind: TypeString, set: func(s *Settings, text string) *fault {
		if check != nil {
			if err := check(text); err != nil {
				return &fault{message: err.Error()}
			}
		}
		*field(s) = text
		return nil
	}}
}

// enum is a value out of a list.
type enum[T ~string] struct {
	values []T
	// refused are values that Kafka knows, each with the reason for not offering it.
	refused map[string]fault
	// aliases are other spellings, in lower case.
	aliases map[string]T
	field   func(*Settings) *T
}

// value compares without regard to case, as Kafka does for most of its lists.
func (e enum[T]) value() value {
	v := value{kind: TypeString}
	for _, known := range e.values {
		v.values = append(v.values, string(known))
	}
	v.set = func(s *Settings, text string) *fault {
		for _, known := range e.values {
			if strings.EqualFold(text, string(known)) {
				*e.field(s) = known
				return nil
			}
		}
		lower := strings.ToLower(text)
		if alias, found := e.aliases[lower]; found {
			*e.field(s) = alias
			return nil
		}
		if refused, found := e.refused[lower]; found {
			return &refused
		}
		return &fault{
			message:    fmt.Sprintf("%s is not one of %s", quote(text), strings.Join(v.values, ", ")),
			suggestion: nearest(text, v.values),
		}
	}
	return v
}

// handler reads fail, continue or dlq, or the name of one of Kafka's own handler
// classes, with or without its package.
func handler(failing, continuing string, field func(*Settings) *Handler) value {
	v := enum[Handler]{values: []Handler{HandlerFail, HandlerContinue, HandlerDeadLetter}, field: field}.value()
	plain := v.set
	v.set = func(s *Settings, text string) *fault {
		switch class := className(text); {
		case class == failing:
			*field(s) = HandlerFail
			return nil
		case continuing != "" && class == continuing:
			*field(s) = HandlerContinue
			return nil
		case strings.Contains(text, "."):
			return &fault{message: fmt.Sprintf("the class %s cannot be loaded, since eosproc is not Java; write fail, continue or dlq", quote(text))}
		}
		return plain(s, text)
	}
	return v
}

func className(text string) string {
	text = strings.TrimPrefix(text, "class ")
	return text[strings.LastIndexByte(text, '.')+1:]
}

// only accepts the one value that holds here, and says why another cannot.
func only(kind Type, allowed []string, severity Severity, why string) value {
	return value{kind: kind, values: allowed, set: func(_ *Settings, text string) *fault {
		for _, ok := range allowed {
			if strings.EqualFold(text, ok) {
				return nil
			}
		}
		return &fault{message: why, severity: severity, suggestion: allowed[0]}
	}}
}

// quote shortens what a message repeats of a wrong value.
func quote(text string) string {
	const limit = 80
	if len(text) > limit {
		return fmt.Sprintf("%.*q…", limit, text)
	}
	return strconv.Quote(text)
}
