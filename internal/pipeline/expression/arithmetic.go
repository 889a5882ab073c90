package expression

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/expr-lang/expr/vm/runtime"
)

// number is an operand: a whole number, or a floating point number.
type number struct {
	i     int64
	f     float64
	float bool
}

// exactFloat is the largest whole number up to which float64 holds all of them.
const exactFloat = 1 << 53

func toNumber(v any) (n number, ok bool) {
	switch v := v.(type) {
	case int64:
		return number{i: v}, true
	case int:
		return number{i: int64(v)}, true
	case float64:
		return number{f: v, float: true}, true
	case int32:
		return number{i: int64(v)}, true
	case float32:
		return number{f: float64(v), float: true}, true
	}
	return number{}, false
}

// widen returns n as a float64, if nothing is lost.
func (n number) widen() (float64, error) {
	if n.float {
		return n.f, nil
	}
	if n.i > exactFloat || n.i < -exactFloat {
		return 0, &fault{"a whole number beyond 2^53 would lose digits as a float", "use whole numbers throughout, or div() and %"}
	}
	return float64(n.i), nil
}

var errOverflow = &fault{"the result does not fit in a 64-bit whole number", ""}

// arithmetic is one operator for both kinds of numbers. ok is false on overflow.
type arithmetic struct {
	name  string
	whole func(a, b int64) (r int64, ok bool)
	float func(a, b float64) float64
}

func (op arithmetic) apply(a, b any) (any, error) {
	x, xok := toNumber(a)
	y, yok := toNumber(b)
	if !xok || !yok {
		return nil, mismatch(op.name, a, b)
	}
	if !x.float && !y.float {
		r, ok := op.whole(x.i, y.i)
		if !ok {
			return nil, errOverflow
		}
		return r, nil
	}
	xf, err := x.widen()
	if err != nil {
		return nil, err
	}
	yf, err := y.widen()
	if err != nil {
		return nil, err
	}
	return op.float(xf, yf), nil
}

var (
	addition = arithmetic{"+", func(a, b int64) (int64, bool) {
		r := a + b
		return r, (a^r)&(b^r) >= 0
	}, func(a, b float64) float64 { return a + b }}
	subtraction = arithmetic{"-", func(a, b int64) (int64, bool) {
		r := a - b
		return r, (a^b)&(a^r) >= 0
	}, func(a, b float64) float64 { return a - b }}
	multiplication = arithmetic{"*", multiply, func(a, b float64) float64 { return a * b }}
	power          = arithmetic{"**", wholePower, math.Pow}
)

func multiply(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	switch {
	case hi != 0:
		return 0, false
	case negative && lo <= 1<<63:
		return -int64(lo), true
	case !negative && lo < 1<<63:
		return int64(lo), true
	}
	return 0, false
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// wholePower fails for a negative exponent, whose result is no whole number.
func wholePower(a, b int64) (int64, bool) {
	if b < 0 {
		return 0, false
	}
	r := int64(1)
	for ; b > 0; b-- {
		if a == 0 || a == 1 {
			return a, true
		}
		if a == -1 {
			return 1 - 2*(b&1), true
		}
		var ok bool
		if r, ok = multiply(r, a); !ok {
			return 0, false
		}
	}
	return r, true
}

func add(a, b any) (any, error) {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			if len(x)+len(y) > MaxText {
				return nil, errText
			}
			return x + y, nil
		}
	}
	return addition.apply(a, b)
}

// divide gives a whole number when two whole numbers divide exactly, else a
// float. JSON shows no difference between 3 and 3.0, so the two do not either.
func divide(a, b any) (any, error) {
	x, xok := toNumber(a)
	y, yok := toNumber(b)
	if !xok || !yok {
		return nil, mismatch("/", a, b)
	}
	if !x.float && !y.float {
		if y.i == 0 {
			return nil, &fault{"division by zero", ""}
		}
		if y.i == -1 {
			return subtraction.apply(int64(0), x.i)
		}
		if x.i%y.i == 0 {
			return x.i / y.i, nil
		}
	}
	xf, err := x.widen()
	if err != nil {
		return nil, err
	}
	yf, err := y.widen()
	if err != nil {
		return nil, err
	}
	if yf == 0 {
		return nil, &fault{"division by zero", ""}
	}
	return xf / yf, nil
}

// div is whole division, rounded towards zero.
func div(a, b any) (any, error) {
	x, xok := toNumber(a)
	y, yok := toNumber(b)
	switch {
	case !xok || !yok || x.float || y.float:
		return nil, mismatch("div()", a, b)
	case y.i == 0:
		return nil, &fault{"division by zero", ""}
	case y.i == -1:
		return subtraction.apply(int64(0), x.i)
	}
	return x.i / y.i, nil
}

func negate(a any) (any, error) {
	x, ok := toNumber(a)
	if !ok {
		return nil, &fault{"- of " + kind(a), ""}
	}
	if x.float {
		return -x.f, nil
	}
	return subtraction.apply(int64(0), x.i)
}

// equal compares by value: numbers of any kind by what they amount to.
func equal(a, b any) bool {
	if x, ok := a.(string); ok {
		y, ok := b.(string)
		return ok && x == y
	}
	if isNumeric(a) && isNumeric(b) {
		c, ok := compareNumbers(a, b)
		return ok && c == 0
	}
	return runtime.Equal(a, b)
}

// compare orders two numbers or two texts.
func compare(op string, a, b any) (int, error) {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return cmp.Compare(x, y), nil
		}
	}
	if c, ok := compareNumbers(a, b); ok {
		return c, nil
	}
	return 0, mismatch(op, a, b)
}

func isNumeric(v any) bool {
	if _, ok := v.(json.Number); ok {
		return true
	}
	_, ok := toNumber(v)
	return ok
}

func compareNumbers(a, b any) (int, bool) {
	x, xok := toNumber(a)
	y, yok := toNumber(b)
	switch {
	case xok && yok && !x.float && !y.float:
		return cmp.Compare(x.i, y.i), true
	case xok && yok && x.float && y.float:
		return cmp.Compare(x.f, y.f), true
	}
	// Mixed kinds, or digits beyond 64 bits: exact, and rare.
	xb, xok := exact(a)
	yb, yok := exact(b)
	if !xok || !yok {
		return 0, false
	}
	return xb.Cmp(yb), true
}

func exact(v any) (*big.Rat, bool) {
	if n, ok := v.(json.Number); ok {
		i, ok := new(big.Int).SetString(string(n), 10)
		if !ok {
			return nil, false
		}
		return new(big.Rat).SetInt(i), true
	}
	n, ok := toNumber(v)
	if !ok {
		return nil, false
	}
	if !n.float {
		return new(big.Rat).SetInt64(n.i), true
	}
	r := new(big.Rat).SetFloat64(n.f)
	return r, r != nil
}

func mismatch(op string, a, b any) error {
	f := &fault{message: fmt.Sprintf("%s of %s and %s", op, kind(a), kind(b))}
	if a == nil || b == nil {
		f.hint = "a field is missing or null: give it a default with ??"
	}
	return f
}

// kind names a value's type without showing it.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a bool"
	case string:
		return "a string"
	case int, int32, int64:
		return "an int"
	case float32, float64:
		return "a float"
	case json.Number:
		return "an integer beyond 64 bits"
	case []byte:
		return "bytes"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	}
	return "a " + goTypes.Replace(fmt.Sprintf("%T", v))
}
