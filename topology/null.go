package topology

import (
	"reflect"
	"unsafe"
)

// hasNil reports whether T has a nil of its own.
func hasNil[T any]() bool {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func:
		return true
	default:
		return false
	}
}

// bit returns mark if v is a nil. nilable is hasNil[T](), which operators ask
// once, when they are built, so that types without a nil pay nothing per record.
//
// The first word of every kind that has a nil is zero exactly when the value is
// nil. Reading it spares a reflect.Value; and as the call is a plain one, v stays
// on the stack, which it would not through a function value.
func bit[T any](nilable bool, v *T, mark nullBits) nullBits {
	if nilable && *(*unsafe.Pointer)(unsafe.Pointer(v)) == nil {
		return mark
	}
	return 0
}

func isNil[T any](v T) bool { return bit(hasNil[T](), &v, 1) != 0 }
