package datum

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

func decode(t *testing.T, f *Format, b []byte) Datum {
	t.Helper()
	d, err := f.Codec(false).Decode(b)
	require.NoError(t, err)
	return d
}

func TestFormatsRoundTrip(t *testing.T) {
	for _, c := range []struct {
		format string
		value  any
		wire   string
	}{
		{"json", map[string]any{"id": int64(9007199254740993), "big": json.Number("123456789012345678901")}, `{"big":123456789012345678901,"id":9007199254740993}`},
		{"string", "héllo", "héllo"}, {"string", "", ""}, {"bytes", []byte{0, 0xff}, "\x00\xff"}, {"bytes", []byte{}, ""},
		{"int64", int64(-2), "\xff\xff\xff\xff\xff\xff\xff\xfe"}, {"int32", int64(258), "\x00\x00\x01\x02"},
		{"float64", 1.5, "\x3f\xf8\x00\x00\x00\x00\x00\x00"}, {"bool", true, "\x01"},
	} {
		f, ok := Builtin(c.format)
		require.True(t, ok)
		wire, err := f.Codec(false).Append([]byte{}, New(c.value, f))
		require.NoError(t, err, c.format)
		require.Equal(t, c.wire, string(wire), c.format)
		d := decode(t, f, wire)
		v, err := d.Value()
		require.NoError(t, err)
		require.Equal(t, c.value, v, c.format)
	}
	require.Equal(t, []string{"bool", "bytes", "float64", "int32", "int64", "json", "string"}, Names())
	_, ok := Builtin("avro")
	require.False(t, ok)
}

func TestValuesThatAFormatCannotHold(t *testing.T) {
	for _, c := range []struct {
		format *Format
		value  any
		want   string
	}{
		{String, int64(1), "an int cannot be written as string"}, {Int64, "1", "a string cannot be written as int64"}, {Int64, 1.0, "a float cannot"},
		{Int32, int64(math.MaxInt32) + 1, "an int cannot be written as int32"}, {Float64, int64(1<<53 + 1), "an int cannot be written as float64"},
		{Bool, nil, "null cannot"}, {Bytes, map[string]any{}, "a map cannot"}, {Int64, json.Number("99999999999999999999"), "an integer beyond 64 bits cannot"},
	} {
		out, err := c.format.Codec(false).Append([]byte("kept"), New(c.value, c.format))
		require.ErrorIs(t, err, ErrKind)
		require.ErrorContains(t, err, c.want)
		require.Equal(t, "kept", string(out))
	}
	_, err := JSON.Codec(false).Append(nil, New(math.NaN(), JSON))
	require.ErrorContains(t, err, "encode json")
	_, err = JSON.Codec(false).Append(nil, New(nil, JSON))
	require.ErrorIs(t, err, codec.ErrNil)
}

func TestBytesPassOnlyUnchangedAndInTheSameFormat(t *testing.T) {
	wire := JSON.Codec(false).(codec.Aliaser[Datum])
	raw := []byte(`{ "a" : 1 }`)
	d := decode(t, JSON, raw)
	for range 2 { // encoded, then decoded
		b, ok := wire.Bytes(d)
		require.True(t, ok)
		require.Same(t, &raw[0], &b[0])
		_, err := d.Value()
		require.NoError(t, err)
	}
	_, ok := String.Codec(false).(codec.Aliaser[Datum]).Bytes(d)
	require.False(t, ok)
	_, ok = wire.Bytes(New("x", JSON))
	require.False(t, ok)
	empty, ok := wire.Bytes(decode(t, JSON, []byte{}))
	require.True(t, ok)
	require.NotNil(t, empty)
}

func TestLazyAndEager(t *testing.T) {
	d := decode(t, JSON, []byte(`{bad`))
	_, err := d.Value()
	require.ErrorIs(t, err, codec.ErrMalformed)
	_, err = JSON.Codec(true).Decode([]byte(`{bad`))
	require.ErrorIs(t, err, codec.ErrMalformed)
	_, err = String.Codec(false).Append(nil, d)
	require.ErrorIs(t, err, codec.ErrMalformed)
	require.ErrorContains(t, err, "decode json to encode it as string")
}

func TestConvertKeepsTheWay(t *testing.T) {
	d := decode(t, String, []byte("x"))
	d.Route, d.To = 3, &topology.Destination{Topic: "t"}
	require.NoError(t, d.Convert(JSON))
	require.Equal(t, uint16(3), d.Route)
	require.Equal(t, "t", d.To.Topic)
	out, err := JSON.Codec(false).Append(nil, d)
	require.NoError(t, err)
	require.Equal(t, `"x"`, string(out))
	bad := decode(t, JSON, []byte("{"))
	require.NoError(t, bad.Convert(JSON)) // nothing to do, so nothing is decoded
	require.Error(t, bad.Convert(String))
}

func TestFields(t *testing.T) {
	into := map[string]any{"left": "over"}
	d := decode(t, JSON, []byte(`{"a":{"x":[1,"é\n"]},"b":1,"a":2,"c":"x"}`))
	v, err := d.Fields([]string{"a", "c", "z"}, into)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": int64(2), "c": "x"}, v)
	list := decode(t, JSON, []byte(`[1]`))
	v, err = list.Fields([]string{"a"}, into)
	require.NoError(t, err)
	require.Equal(t, []any{int64(1)}, v)
	bad := decode(t, JSON, []byte(`{"a":1,"b":tru}`))
	_, err = bad.Fields([]string{"a"}, into)
	require.ErrorIs(t, err, codec.ErrMalformed)
	text := decode(t, String, []byte("x"))
	v, err = text.Fields([]string{"a"}, into)
	require.NoError(t, err)
	require.Equal(t, "x", v)
}

var documents = []string{
	`{}`, `[]`, `{"a":1}`, `-0`, `{"a":-0}`, ` { "a" : [ 1 , 2.5e3 , -0 , -0.0, 1e999 ] } `, `{"a":1e999}`, `{"b":1e400}`, `{"a":"\u00e9\ud83d\ude00\ud83d","b":"\q"}`,
	`{"a":1,"a":2}`, `{"a":{"a":1},"a":null}`, `null`, `"x"`, `01`, `1.`, `.5`, `-`, `+1`, `1e`, `{"a":1,}`, `[1,]`, `{"a" 1}`, `{a:1}`, `{"a":1}x`, `tru`, `truex`,
	"\"\x01\"", "\"\xff\"", "{\"\xff\":1}", `{"a":9223372036854775807,"b":9223372036854775808,"c":-9223372036854775808}`, `{"\u0061":5}`, "\ufeff{}", `{"a":"` + strings.Repeat("x", 100) + `"}`,
	strings.Repeat("[", 600) + strings.Repeat("]", 600), `{"a":` + strings.Repeat("9", 400) + `.5}`, `{"b":` + strings.Repeat("9", 400) + `}`, ``, ` `, `"`, `{"a":"\u12"}`, `{"":1}`, "{\"a\":\"\u2028\"}",
}

// The fast reader gives what the codec gives, or gives up.
func compareWithCodec(t *testing.T, b []byte) {
	want, err := codec.JSON[any]().Decode(b)
	got, ok := scan(b)
	if ok && (err != nil || !reflect.DeepEqual(want, got)) {
		t.Fatalf("%q: scan gives %#v, the codec %#v, %v", b, got, want, err)
	}
	if !ok && err == nil && len(b) < 200 && !strings.Contains(string(b), "-0") && !strings.Contains(string(b), `\`) && !strings.Contains(string(b), "\xff") && isASCII(b) {
		t.Fatalf("%q: scan gives up on a plain document", b)
	}
	m := map[string]any{}
	if project(b, []string{"a", "é", ""}, m) {
		if err != nil {
			t.Fatalf("%q: project takes what the codec refuses: %v", b, err)
		}
		all, isMap := want.(map[string]any)
		if !isMap {
			t.Fatalf("%q: project takes what is no map", b)
		}
		for _, k := range []string{"a", "é", ""} {
			x, there := all[k]
			y, found := m[k]
			if there != found || !reflect.DeepEqual(x, y) {
				t.Fatalf("%q: field %q is %#v, %v; the codec gives %#v, %v", b, k, y, found, x, there)
			}
		}
	} else if _, isMap := want.(map[string]any); ok && isMap {
		t.Fatalf("%q: project gives up where scan does not", b)
	}
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

func TestScanGivesWhatTheCodecGives(t *testing.T) {
	for _, d := range documents {
		compareWithCodec(t, []byte(d))
	}
}

func FuzzScan(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Fuzz(compareWithCodec)
}

func BenchmarkDecode(b *testing.B) {
	doc := []byte(`{"id":9007199254740993,"status":"PLACED","amount":500,"customer":"ada","items":[{"sku":"x","cents":250},{"sku":"y","cents":250}]}`)
	m := map[string]any{}
	for name, f := range map[string]func() bool{
		"codec":   func() bool { _, err := codec.JSON[any]().Decode(doc); return err == nil },
		"scan":    func() bool { _, ok := scan(doc); return ok },
		"project": func() bool { return project(doc, []string{"amount", "status"}, m) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if !f() {
					b.Fatal(name)
				}
			}
		})
	}
}
