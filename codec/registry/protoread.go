package registry

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// The well-known types that have a Go value of their own.
const (
	timestampName protoreflect.FullName = "google.protobuf.Timestamp"
	durationName  protoreflect.FullName = "google.protobuf.Duration"
)

// wrapperNames are the messages that stand for one optional value.
var wrapperNames = map[protoreflect.FullName]bool{
	"google.protobuf.DoubleValue": true, "google.protobuf.FloatValue": true,
	"google.protobuf.Int64Value": true, "google.protobuf.UInt64Value": true,
	"google.protobuf.Int32Value": true, "google.protobuf.UInt32Value": true,
	"google.protobuf.BoolValue": true, "google.protobuf.StringValue": true,
	"google.protobuf.BytesValue": true,
}

// plainMessage converts a message as [ProtoAny] documents.
func plainMessage(m protoreflect.Message) any {
	d := m.Descriptor()
	switch name := d.FullName(); {
	case name == timestampName:
		seconds, nanos := secondsAndNanos(m)
		return time.Unix(seconds, nanos).UTC()
	case name == durationName:
		seconds, nanos := secondsAndNanos(m)
		if seconds > math.MaxInt64/int64(time.Second)-1 || seconds < math.MinInt64/int64(time.Second)+1 {
			// Beyond what time.Duration can hold: the message as it is.
			return map[string]any{"seconds": seconds, "nanos": nanos}
		}
		return time.Duration(seconds)*time.Second + time.Duration(nanos)
	case wrapperNames[name]:
		f := d.Fields().ByNumber(1)
		return plainScalar(f, m.Get(f))
	}
	out := make(map[string]any, d.Fields().Len())
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if f.HasPresence() && !m.Has(f) {
			continue
		}
		out[string(f.Name())] = plainField(f, m.Get(f))
	}
	return out
}

func secondsAndNanos(m protoreflect.Message) (seconds, nanos int64) {
	f := m.Descriptor().Fields()
	return m.Get(f.ByNumber(1)).Int(), m.Get(f.ByNumber(2)).Int()
}

func plainField(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch {
	case f.IsMap():
		out := make(map[string]any, v.Map().Len())
		v.Map().Range(func(k protoreflect.MapKey, x protoreflect.Value) bool {
			out[k.String()] = plainScalar(f.MapValue(), x)
			return true
		})
		return out
	case f.IsList():
		out := make([]any, v.List().Len())
		for i := range out {
			out[i] = plainScalar(f, v.List().Get(i))
		}
		return out
	}
	return plainScalar(f, v)
}

func plainScalar(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch f.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return plainMessage(v.Message())
	case protoreflect.EnumKind:
		if e := f.Enum().Values().ByNumber(v.Enum()); e != nil {
			return string(e.Name())
		}
		return int64(v.Enum())
	case protoreflect.BoolKind:
		return v.Bool()
	case protoreflect.StringKind:
		return v.String()
	case protoreflect.BytesKind:
		return v.Bytes()
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return v.Float()
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		if u := v.Uint(); u > math.MaxInt64 {
			return json.Number(strconv.FormatUint(u, 10))
		}
		return int64(v.Uint())
	default: // the signed integers
		return v.Int()
	}
}
