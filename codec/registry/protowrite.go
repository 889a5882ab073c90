package registry

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// fillMessage sets a message from the plain form that plainMessage gives. path is
// the dotted path so far, for errors.
func fillMessage(m protoreflect.Message, v any, path string) error {
	d := m.Descriptor()
	switch name := d.FullName(); {
	case name == timestampName:
		t, ok := v.(time.Time)
		if s, isText := v.(string); isText {
			var err error
			t, err = time.Parse(time.RFC3339Nano, s)
			ok = err == nil
		}
		if ok {
			setSecondsAndNanos(m, t.Unix(), int64(t.Nanosecond()))
			return nil
		}
	case name == durationName:
		if t, ok := v.(time.Duration); ok {
			setSecondsAndNanos(m, int64(t/time.Second), int64(t%time.Second))
			return nil
		}
	case wrapperNames[name]:
		f := d.Fields().ByNumber(1)
		x, err := scalar(f, v, path)
		if err == nil {
			m.Set(f, x)
		}
		return err
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return misfit(path, "message "+string(d.FullName()), v)
	}
	for name, x := range fields {
		at := join(path, name)
		f := d.Fields().ByName(protoreflect.Name(name))
		if f == nil {
			return &valueError{format: "protobuf", field: at, detail: fmt.Sprintf("message %s has no such field", d.FullName())}
		}
		if x == nil {
			continue // an unset field
		}
		if o := f.ContainingOneof(); o != nil && m.WhichOneof(o) != nil {
			return &valueError{format: "protobuf", field: at, detail: fmt.Sprintf("oneof %s has two values", o.Name())}
		}
		if err := fillField(m, f, x, at); err != nil {
			return err
		}
	}
	return nil
}

func setSecondsAndNanos(m protoreflect.Message, seconds, nanos int64) {
	f := m.Descriptor().Fields()
	m.Set(f.ByNumber(1), protoreflect.ValueOfInt64(seconds))
	m.Set(f.ByNumber(2), protoreflect.ValueOfInt32(int32(nanos)))
}

func fillField(m protoreflect.Message, f protoreflect.FieldDescriptor, v any, path string) error {
	switch {
	case f.IsMap():
		entries, ok := v.(map[string]any)
		if !ok {
			return misfit(path, "map", v)
		}
		out := m.Mutable(f).Map()
		for k, x := range entries {
			key, err := mapKey(f.MapKey(), k, path)
			if err != nil {
				return err
			}
			value, err := element(f.MapValue(), out.NewValue, x, path)
			if err != nil {
				return err
			}
			out.Set(key, value)
		}
		return nil
	case f.IsList():
		items, ok := v.([]any)
		if !ok {
			return misfit(path, "list", v)
		}
		out := m.Mutable(f).List()
		for i, x := range items {
			value, err := element(f, out.NewElement, x, join(path, strconv.Itoa(i)))
			if err != nil {
				return err
			}
			out.Append(value)
		}
		return nil
	}
	value, err := element(f, func() protoreflect.Value { return m.NewField(f) }, v, path)
	if err != nil {
		return err
	}
	m.Set(f, value)
	return nil
}

// element converts one value, into a fresh message if it is one.
func element(f protoreflect.FieldDescriptor, fresh func() protoreflect.Value, v any, path string) (protoreflect.Value, error) {
	if k := f.Kind(); k == protoreflect.MessageKind || k == protoreflect.GroupKind {
		value := fresh()
		return value, fillMessage(value.Message(), v, path)
	}
	return scalar(f, v, path)
}

func scalar(f protoreflect.FieldDescriptor, v any, path string) (protoreflect.Value, error) {
	none := protoreflect.Value{}
	switch k := f.Kind(); k {
	case protoreflect.BoolKind:
		if b, ok := v.(bool); ok {
			return protoreflect.ValueOfBool(b), nil
		}
	case protoreflect.StringKind:
		if s, ok := v.(string); ok {
			return protoreflect.ValueOfString(s), nil
		}
	case protoreflect.BytesKind:
		if b, ok := v.([]byte); ok {
			return protoreflect.ValueOfBytes(b), nil
		}
	case protoreflect.EnumKind:
		if s, ok := v.(string); ok {
			e := f.Enum().Values().ByName(protoreflect.Name(s))
			if e == nil {
				return none, &valueError{format: "protobuf", field: path, detail: fmt.Sprintf("enum %s has no such name", f.Enum().FullName())}
			}
			return protoreflect.ValueOfEnum(e.Number()), nil
		}
		if i, ok := signed(v); ok && i >= math.MinInt32 && i <= math.MaxInt32 {
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(i)), nil
		}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		if x, ok := float(v); ok && k == protoreflect.FloatKind {
			return protoreflect.ValueOfFloat32(float32(x)), nil
		} else if ok {
			return protoreflect.ValueOfFloat64(x), nil
		}
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		if i, ok := signed(v); ok && i >= math.MinInt32 && i <= math.MaxInt32 {
			return protoreflect.ValueOfInt32(int32(i)), nil
		}
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		if i, ok := signed(v); ok {
			return protoreflect.ValueOfInt64(i), nil
		}
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		if u, ok := unsigned(v); ok && u <= math.MaxUint32 {
			return protoreflect.ValueOfUint32(uint32(u)), nil
		}
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		if u, ok := unsigned(v); ok {
			return protoreflect.ValueOfUint64(u), nil
		}
	}
	return none, misfit(path, f.Kind().String(), v)
}

// mapKey reads a map's key from its text.
func mapKey(f protoreflect.FieldDescriptor, s, path string) (protoreflect.MapKey, error) {
	var v any = s
	switch f.Kind() {
	case protoreflect.StringKind:
	case protoreflect.BoolKind:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return protoreflect.MapKey{}, misfit(path, "bool as map key", s)
		}
		v = b
	default:
		v = json.Number(s)
	}
	value, err := scalar(f, v, path)
	if err != nil {
		return protoreflect.MapKey{}, err
	}
	return value.MapKey(), nil
}

// signed, unsigned and float take any Go number whose value they can keep.
func signed(v any) (int64, bool) {
	if n, ok := v.(json.Number); ok {
		i, err := strconv.ParseInt(string(n), 10, 64)
		return i, err == nil
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return r.Int(), true
	case r.CanUint():
		return int64(r.Uint()), r.Uint() <= math.MaxInt64
	case r.CanFloat():
		// A computed whole number is a float64 in an expression language.
		f := r.Float()
		return int64(f), f == math.Trunc(f) && math.Abs(f) <= 1<<53
	}
	return 0, false
}

func unsigned(v any) (uint64, bool) {
	if n, ok := v.(json.Number); ok {
		u, err := strconv.ParseUint(string(n), 10, 64)
		return u, err == nil
	}
	if r := reflect.ValueOf(v); r.CanUint() {
		return r.Uint(), true
	}
	i, ok := signed(v)
	return uint64(i), ok && i >= 0
}

func float(v any) (float64, bool) {
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		return f, err == nil
	}
	if r := reflect.ValueOf(v); r.CanFloat() {
		return r.Float(), true
	}
	// An integer that float64 would round is refused rather than changed.
	i, ok := signed(v)
	return float64(i), ok && i >= -1<<53 && i <= 1<<53
}

func misfit(path, want string, v any) error {
	return &valueError{format: "protobuf", field: path, detail: fmt.Sprintf("want %s, found %T or a number out of range", want, v)}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
