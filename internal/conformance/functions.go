package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eosproc/eosproc/topology"
)

// The named functions of the case format. A null is a nil.

type pair = topology.Pair[*string, *string]

var decimal = regexp.MustCompile(`^-?[0-9]{1,19}$`)

// num is the number that a text stands for, 0 if it stands for none.
func num(v *string) int64 {
	if v == nil || !decimal.MatchString(*v) {
		return 0
	}
	n, err := strconv.ParseInt(*v, 10, 64)
	if err != nil {
		return 0 // out of range
	}
	return n
}

func text(s string) *string  { return &s }
func number(n int64) *string { return text(strconv.FormatInt(n, 10)) }

// spec is a function's name and argument.
func spec(s string) (name, arg string) {
	name, arg, _ = strings.Cut(s, ":")
	return name, arg
}

func unknown(kind, s string) error { return fmt.Errorf("unknown %s %q", kind, s) }

func divisor(kind, s string) (int64, error) {
	_, arg := spec(s)
	n, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || n == 0 {
		return 0, unknown(kind, s)
	}
	return n, nil
}

func predicate(s string) (func(_, v *string) bool, error) {
	name, arg := spec(s)
	switch name {
	case "even":
		return func(_, v *string) bool { return v != nil && num(v)%2 == 0 }, nil
	case "positive":
		return func(_, v *string) bool { return v != nil && num(v) > 0 }, nil
	case "contains":
		return func(_, v *string) bool { return v != nil && strings.Contains(*v, arg) }, nil
	case "notNull":
		return func(_, v *string) bool { return v != nil }, nil
	default:
		return nil, unknown("predicate", s)
	}
}

func valueFunction(s string) (func(*string) *string, error) {
	name, arg := spec(s)
	switch name {
	case "same":
		return func(v *string) *string { return v }, nil
	case "upper":
		return unlessNull(asciiUpper), nil
	case "append":
		return func(v *string) *string {
			if v == nil {
				return text(arg)
			}
			return text(*v + arg)
		}, nil
	case "inc":
		return unlessNull(func(v string) *string { return number(num(&v) + 1) }), nil
	case "len":
		return func(v *string) *string {
			if v == nil {
				return text("0")
			}
			return number(int64(len(*v)))
		}, nil
	case "tonull":
		return unlessNull(func(v string) *string {
			if v == "null!" {
				return nil
			}
			return &v
		}), nil
	default:
		return nil, unknown("value function", s)
	}
}

func unlessNull(fn func(string) *string) func(*string) *string {
	return func(v *string) *string {
		if v == nil {
			return nil
		}
		return fn(*v)
	}
}

func asciiUpper(v string) *string {
	b := []byte(v)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return text(string(b))
}

func keyFunction(s string) (func(k, v *string) *string, error) {
	name, arg := spec(s)
	switch name {
	case "valueAsKey":
		return func(_, v *string) *string { return v }, nil
	case "keyMod":
		n, err := divisor("key function", s)
		return func(k, v *string) *string {
			if k == nil {
				return nil
			}
			return text(fmt.Sprintf("%s-%d", *k, num(v)%n))
		}, err
	case "prefix":
		return func(k, _ *string) *string {
			if k == nil {
				return nil
			}
			return text(arg + *k)
		}, nil
	case "beforeColon":
		return func(_, v *string) *string { return beforeColon(v) }, nil
	default:
		return nil, unknown("key function", s)
	}
}

func beforeColon(v *string) *string {
	if v == nil {
		return nil
	}
	head, _, found := strings.Cut(*v, ":")
	if !found {
		return nil
	}
	return &head
}

func flatMapValuesFunction(s string) (func(*string) []*string, error) {
	name, _ := spec(s)
	switch name {
	case "splitSpaces":
		return splitSpaces, nil
	case "repeatMod":
		n, err := divisor("flatMapValues function", s)
		return func(v *string) []*string {
			var out []*string
			for i := range repeats(v, n) {
				out = append(out, text(fmt.Sprintf("%s#%d", *v, i)))
			}
			return out
		}, err
	case "none":
		return func(*string) []*string { return nil }, nil
	default:
		return nil, unknown("flatMapValues function", s)
	}
}

func flatMapFunction(s string) (func(k, v *string) []pair, error) {
	name, _ := spec(s)
	switch name {
	case "splitSpaces":
		return func(k, v *string) []pair {
			var out []pair
			for _, p := range splitSpaces(v) {
				out = append(out, pair{Key: p, Value: k})
			}
			return out
		}, nil
	case "repeatMod":
		n, err := divisor("flatMap function", s)
		return func(k, v *string) []pair {
			var out []pair
			for i := range repeats(v, n) {
				key := k
				if k != nil {
					key = text(fmt.Sprintf("%s-%d", *k, i))
				}
				out = append(out, pair{Key: key, Value: v})
			}
			return out
		}, err
	case "none":
		return func(_, _ *string) []pair { return nil }, nil
	default:
		return nil, unknown("flatMap function", s)
	}
}

func splitSpaces(v *string) []*string {
	var out []*string
	if v != nil {
		for piece := range strings.SplitSeq(*v, " ") {
			if piece != "" {
				out = append(out, text(piece))
			}
		}
	}
	return out
}

func repeats(v *string, n int64) int64 {
	if v == nil {
		return 0
	}
	r := num(v) % n
	if r < 0 {
		return -r
	}
	return r
}

// combiner is a function of what is accumulated and a value.
func combiner(s string) (func(acc, v *string) *string, error) {
	switch s {
	case "sum":
		return func(acc, v *string) *string { return number(num(acc) + num(v)) }, nil
	case "max":
		return func(acc, v *string) *string { return number(max(num(acc), num(v))) }, nil
	case "concat", "append":
		return func(acc, v *string) *string { return text(concat(*acc, orEmpty(v))) }, nil
	case "collectSorted":
		return func(acc, v *string) *string {
			items := strings.Split(concat(*acc, orEmpty(v)), ",")
			slices.Sort(items)
			return text(strings.Join(items, ","))
		}, nil
	case "toggle":
		return func(acc, v *string) *string {
			if *acc == orEmpty(v) {
				return nil
			}
			return text(orEmpty(v))
		}, nil
	default:
		return nil, unknown("combiner", s)
	}
}

func orEmpty(v *string) string {
	if v == nil {
		return ""
	}
	return *v
}

func concat(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	default:
		return a + "," + b
	}
}

// subtractor is a function of what is accumulated and the value to take out.
func subtractor(s string) (func(acc, v *string) *string, error) {
	switch s {
	case "minus":
		return func(acc, v *string) *string { return number(num(acc) - num(v)) }, nil
	case "removeFirst":
		return func(acc, v *string) *string { return text(removeFirst(*acc, orEmpty(v))) }, nil
	case "removeFirstOrNull":
		return func(acc, v *string) *string {
			if rest := removeFirst(*acc, orEmpty(v)); rest != "" {
				return &rest
			}
			return nil
		}, nil
	default:
		return nil, unknown("subtractor", s)
	}
}

func removeFirst(list, item string) string {
	items := strings.Split(list, ",")
	if i := slices.Index(items, item); i >= 0 {
		items = slices.Delete(items, i, i+1)
	}
	return strings.Join(items, ",")
}
