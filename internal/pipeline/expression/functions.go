package expression

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"

	"github.com/eosproc/eosproc/codec"
)

// Limits of one evaluation.
const (
	// MemoryBudget is the number of list and map elements that may be made.
	MemoryBudget = 1_000_000
	// MaxText is the length in bytes of a text that may be made.
	MaxText = 16 << 20
)

var errText = &fault{"the text is too long", "an expression may make at most 16 MiB of text"}

// extra are the functions that the library does not have.
var extra = []function{
	{"div", func(p ...any) (any, error) { return div(p[0], p[1]) }, []any{new(func(int, int) int), new(func(any, any) int64)}},
	{"parse_time", func(p ...any) (any, error) { return parseTime(p[0]) }, []any{new(func(string) int64), new(func(any) int64)}},
	{"format_time", func(p ...any) (any, error) { return formatTime(p[0]) }, []any{new(func(int) string), new(func(any) string)}},
}

// own replaces builtin functions whose results would depend on the machine,
// lose digits, show content in errors, or grow without limit. The types that the
// author sees are the builtin's.
var own = []function{
	{"int", func(p ...any) (any, error) { return toInt(p[0]) }, nil},
	{"float", func(p ...any) (any, error) { return toFloat(p[0]) }, nil},
	{"string", func(p ...any) (any, error) { return toText(p[0]) }, nil},
	{"abs", func(p ...any) (any, error) {
		if n, ok := toNumber(p[0]); ok && (n.float && n.f >= 0 || !n.float && n.i >= 0) {
			return p[0], nil
		}
		return negate(p[0])
	}, nil},
	{"round", rounding("round", math.Round), nil},
	{"floor", rounding("floor", math.Floor), nil},
	{"ceil", rounding("ceil", math.Ceil), nil},
	{"sum", func(p ...any) (any, error) { return sum(p[0]) }, nil},
	{"min", func(p ...any) (any, error) { return extreme("min", -1, p) }, nil},
	{"max", func(p ...any) (any, error) { return extreme("max", 1, p) }, nil},
	{"toJSON", func(p ...any) (any, error) { return toJSON(p[0]) }, nil},
	{"fromJSON", func(p ...any) (any, error) { return fromJSON(p[0]) }, nil},
	{"keys", func(p ...any) (any, error) {
		return walk("keys", p[0], func(k string, _ any) any { return k })
	}, nil},
	{"values", func(p ...any) (any, error) {
		return walk("values", p[0], func(_ string, v any) any { return v })
	}, nil},
	{"toPairs", func(p ...any) (any, error) {
		return walk("toPairs", p[0], func(k string, v any) any { return []any{k, v} })
	}, nil},
	{"fromPairs", func(p ...any) (any, error) { return fromPairs(p[0]) }, nil},
	{"replace", replace, nil},
	{"join", join, nil},
	{"repeat", repeat, nil},
}

type function struct {
	name  string
	call  func(p ...any) (any, error)
	types []any
}

func (f function) option(prefix string) expr.Option {
	return expr.Function(prefix+f.name, f.call, f.types...)
}

func toInt(v any) (any, error) {
	switch v := v.(type) {
	case string:
		i, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return nil, &fault{"the text is not a 64-bit whole number", ""}
		}
		return i, nil
	}
	n, ok := toNumber(v)
	switch {
	case !ok:
		return nil, &fault{"int() of " + kind(v), ""}
	case !n.float:
		return n.i, nil
	case math.IsNaN(n.f) || n.f < -(1<<63) || n.f >= 1<<63:
		return nil, errOverflow
	}
	return int64(n.f), nil
}

func toFloat(v any) (any, error) {
	if s, ok := v.(string); ok {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, &fault{"the text is not a number", ""}
		}
		return f, nil
	}
	n, ok := toNumber(v)
	if !ok {
		return nil, &fault{"float() of " + kind(v), ""}
	}
	return n.widen()
}

// toText gives a text as it is and anything else as its JSON.
func toText(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	return toJSON(v)
}

func rounding(name string, round func(float64) float64) func(p ...any) (any, error) {
	return func(p ...any) (any, error) {
		n, ok := toNumber(p[0])
		switch {
		case !ok:
			return nil, &fault{name + "() of " + kind(p[0]), ""}
		case !n.float:
			return n.i, nil
		}
		return round(n.f), nil
	}
}

func list(name string, v any) ([]any, error) {
	switch v := v.(type) {
	case []any:
		return v, nil
	case []int:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = x
		}
		return out, nil
	}
	return nil, &fault{name + "() of " + kind(v) + ", not of a list", ""}
}

func sum(v any) (any, error) {
	l, err := list("sum", v)
	if err != nil {
		return nil, err
	}
	var total any = int64(0)
	for _, x := range l {
		if total, err = addition.apply(total, x); err != nil {
			return nil, err
		}
	}
	return total, nil
}

func extreme(name string, sign int, p []any) (any, error) {
	if len(p) == 1 {
		var err error
		if p, err = list(name, p[0]); err != nil {
			return nil, err
		}
	}
	if len(p) == 0 {
		return nil, nil
	}
	best := p[0]
	for _, x := range p {
		c, err := compare(name+"()", x, best)
		if err != nil {
			return nil, err
		}
		if c*sign > 0 {
			best = x
		}
	}
	return best, nil
}

func toJSON(v any) (any, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, &fault{kind(v) + " cannot be written as JSON", ""}
	}
	if b.Len() > MaxText {
		return nil, errText
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

var document = codec.JSON[any]()

func fromJSON(v any) (any, error) {
	var text []byte
	switch v := v.(type) {
	case string:
		text = []byte(v)
	case []byte:
		text = v
	default:
		return nil, &fault{"fromJSON() of " + kind(v), ""}
	}
	if string(bytes.TrimSpace(text)) == "null" {
		return nil, nil
	}
	doc, err := document.Decode(text)
	if err != nil {
		return nil, &fault{err.Error(), ""}
	}
	return doc, nil
}

// walk visits a map in the order of its keys.
func walk(name string, v any, element func(k string, v any) any) (any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, &fault{name + "() of " + kind(v) + ", not of a map", ""}
	}
	out := make([]any, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, element(k, m[k]))
	}
	return out, nil
}

func fromPairs(v any) (any, error) {
	pairs, err := list("fromPairs", v)
	if err != nil {
		return nil, err
	}
	m := make(map[string]any, len(pairs))
	for _, x := range pairs {
		pair, ok := x.([]any)
		if !ok || len(pair) != 2 {
			return nil, &fault{"fromPairs() needs lists of two elements", ""}
		}
		k, ok := pair[0].(string)
		if !ok {
			return nil, &fault{"fromPairs() needs text as keys, found " + kind(pair[0]), ""}
		}
		m[k] = pair[1]
	}
	return m, nil
}

func replace(p ...any) (any, error) {
	s, err := texts("replace", p[:3])
	if err != nil {
		return nil, err
	}
	n := strings.Count(s[0], s[1])
	if len(p) == 4 {
		limit, ok := toNumber(p[3])
		if !ok || limit.float {
			return nil, &fault{"replace() needs a whole number as its limit", ""}
		}
		if limit.i >= 0 {
			n = int(min(int64(n), limit.i))
		}
	}
	if grow := len(s[2]) - len(s[1]); grow > 0 && n > (MaxText-len(s[0]))/grow {
		return nil, errText
	}
	return strings.Replace(s[0], s[1], s[2], n), nil
}

func join(p ...any) (any, error) {
	l, err := list("join", p[0])
	if err != nil {
		return nil, err
	}
	s, err := texts("join", append(slices.Clone(l), p[1:]...))
	if err != nil {
		return nil, err
	}
	glue := strings.Join(s[len(l):], "")
	size := len(glue) * len(l)
	for _, x := range s[:len(l)] {
		size += len(x)
	}
	if size > MaxText {
		return nil, errText
	}
	return strings.Join(s[:len(l)], glue), nil
}

func repeat(p ...any) (any, error) {
	s, err := texts("repeat", p[:1])
	if err != nil {
		return nil, err
	}
	n, ok := toNumber(p[1])
	switch {
	case !ok || n.float || n.i < 0:
		return nil, &fault{"repeat() needs a whole number that is not negative", ""}
	case len(s[0]) > 0 && n.i > int64(MaxText/len(s[0])):
		return nil, errText
	case len(s[0]) == 0:
		return "", nil
	}
	return strings.Repeat(s[0], int(n.i)), nil
}

func texts(name string, p []any) ([]string, error) {
	out := make([]string, len(p))
	for i, x := range p {
		s, ok := x.(string)
		if !ok {
			return nil, &fault{fmt.Sprintf("%s() of %s, not of text", name, kind(x)), ""}
		}
		out[i] = s
	}
	return out, nil
}

// parseTime reads RFC 3339 and gives milliseconds since the Unix epoch. The
// library's date() is left out: it reads time zones from the machine.
func parseTime(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, &fault{"parse_time() of " + kind(v), ""}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return nil, &fault{"the text is not a time as in RFC 3339", `an example is "2026-01-31T12:00:00Z"`}
	}
	return t.UnixMilli(), nil
}

// formatTime is the inverse of parseTime, in UTC.
func formatTime(v any) (any, error) {
	n, ok := toNumber(v)
	if !ok || n.float {
		return nil, &fault{"format_time() of " + kind(v) + ", not of whole milliseconds", ""}
	}
	t := time.UnixMilli(n.i).UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return nil, &fault{"the time lies beyond the year 9999", ""}
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00"), nil
}
