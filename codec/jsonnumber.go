package codec

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// hasOpenType reports whether decoding into t can fill an interface, which is
// where encoding/json would choose a number's type. Types that decode themselves
// are their own business.
func hasOpenType(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || decodesItself(t) {
		return false
	}
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
	default:
		return false
	}
	if seen == nil {
		seen = make(map[reflect.Type]bool)
	}
	seen[t] = true
	if t.Kind() != reflect.Struct {
		return hasOpenType(t.Elem(), seen)
	}
	for i := range t.NumField() {
		if hasOpenType(t.Field(i).Type, seen) {
			return true
		}
	}
	return false
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func decodesItself(t reflect.Type) bool {
	if t.Kind() == reflect.Interface {
		return false
	}
	p := reflect.PointerTo(t)
	return p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler)
}

// isLeaf reports whether no value of this kind holds another.
func isLeaf(k reflect.Kind) bool { return k <= reflect.Complex128 || k == reflect.String }

// typeNumbers gives every json.Number that stands in an interface, at any depth
// of what v points to, its final type. Numbers in fields declared as json.Number
// stay.
func typeNumbers(v any) error {
	switch v := v.(type) {
	case *any:
		x, err := typeNumber(*v)
		*v = x
		return err
	case *map[string]any:
		_, err := typeNumber(*v)
		return err
	case *[]any:
		_, err := typeNumber(*v)
		return err
	}
	return walkNumbers(reflect.ValueOf(v).Elem())
}

// typeNumber handles the dynamic types that encoding/json puts into an
// interface, in place for maps and slices.
func typeNumber(v any) (any, error) {
	switch v := v.(type) {
	case json.Number:
		return numberValue(v)
	case map[string]any:
		for k, x := range v {
			y, err := typeNumber(x)
			if err != nil {
				return nil, err
			}
			if _, isNumber := x.(json.Number); isNumber {
				v[k] = y
			}
		}
	case []any:
		for i, x := range v {
			y, err := typeNumber(x)
			if err != nil {
				return nil, err
			}
			v[i] = y
		}
	}
	return v, nil
}

// numberValue is the rule of [JSON] for one literal. A literal with a fraction or
// an exponent that no float64 can hold is refused: kept as text it would be a
// trap for whoever expands its exponent.
func numberValue(n json.Number) (any, error) {
	s := string(n)
	// "-0" is the one whole number that int64 would change.
	if s != "-0" && !strings.ContainsAny(s, ".eE") {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return i, nil
		}
		return n, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, &DecodeError{Format: "json", Offset: -1, Want: "a number that float64 can hold", Found: "a larger one", Cause: err}
	}
	return f, nil
}

// walkNumbers looks for interfaces in typed values.
func walkNumbers(v reflect.Value) error {
	if decodesItself(v.Type()) {
		return nil
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() || v.NumMethod() != 0 {
			return nil
		}
		x, err := typeNumber(v.Interface())
		if err != nil {
			return err
		}
		v.Set(reflect.ValueOf(x))
	case reflect.Pointer:
		if !v.IsNil() {
			return walkNumbers(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			// An unexported field was not filled by the decoder, save that an
			// embedded struct's own exported fields were.
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				if err := walkNumbers(v.Field(i)); err != nil {
					return err
				}
			}
		}
	case reflect.Slice, reflect.Array:
		if isLeaf(v.Type().Elem().Kind()) {
			return nil
		}
		for i := range v.Len() {
			if err := walkNumbers(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		if isLeaf(v.Type().Elem().Kind()) {
			return nil
		}
		// Map elements cannot be set in place: work on a copy and put it back.
		for it := v.MapRange(); it.Next(); {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(it.Value())
			if err := walkNumbers(elem); err != nil {
				return err
			}
			v.SetMapIndex(it.Key(), elem)
		}
	}
	return nil
}
