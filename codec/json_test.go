package codec

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

type order struct {
	ID    int64          `json:"id"`
	Note  string         `json:"note,omitempty"`
	Extra any            `json:"extra,omitempty"`
	Tags  map[string]any `json:"tags,omitempty"`
}

func TestJSONWritesPlainText(t *testing.T) {
	out, err := JSON[order]().Append([]byte("dst:"), order{ID: 1, Note: "<a & b>"})
	require.NoError(t, err)
	require.Equal(t, `dst:{"id":1,"note":"<a & b>"}`, string(out))
}

func TestJSONNumbers(t *testing.T) {
	for text, want := range map[string]any{
		"0":                              int64(0),
		"-1":                             int64(-1),
		"9007199254740993":               int64(1<<53 + 1),
		"9223372036854775807":            int64(math.MaxInt64),
		"-9223372036854775808":           int64(math.MinInt64),
		"9223372036854775808":            json.Number("9223372036854775808"),
		"-9223372036854775809":           json.Number("-9223372036854775809"),
		"123456789012345678901234567890": json.Number("123456789012345678901234567890"),
		"1.5":                            1.5,
		"1.0":                            float64(1),
		"1e3":                            float64(1000),
		"1E-2":                           0.01,
		"1e308":                          1e308,
	} {
		v, err := JSON[any]().Decode([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, v, text)

		m, err := JSON[map[string]any]().Decode([]byte(`{"a":{"b":[` + text + `,"x"]}}`))
		require.NoError(t, err, text)
		require.Equal(t, map[string]any{"a": map[string]any{"b": []any{want, "x"}}}, m, text)
	}
	_, err := JSON[any]().Decode([]byte("1e999999999"))
	require.ErrorIs(t, err, ErrMalformed)
}

func TestJSONNumbersInTypedValues(t *testing.T) {
	type inner struct{ V any }
	type Embedded struct{ E any }
	type T struct {
		Embedded
		A    any
		P    *inner
		S    []inner
		M    map[string]inner
		L    []any
		R    json.RawMessage
		N    json.Number
		Next *T
	}
	const big = "9007199254740993"
	doc := strings.ReplaceAll(`{"E":N,"A":[N],"P":{"V":N},"S":[{"V":N}],"M":{"k":{"V":N}},"L":[{"x":N}],"R":N,"N":N,"Next":{"A":N}}`, "N}", big+"}")
	doc = strings.NewReplacer(":N,", ":"+big+",", "[N]", "["+big+"]").Replace(doc)
	const n = int64(1<<53 + 1)
	got, err := JSON[T]().Decode([]byte(doc))
	require.NoError(t, err, doc)
	require.Equal(t, T{
		Embedded: Embedded{E: n},
		A:        []any{n},
		P:        &inner{V: n},
		S:        []inner{{V: n}},
		M:        map[string]inner{"k": {V: n}},
		L:        []any{map[string]any{"x": n}},
		R:        json.RawMessage(big),
		N:        json.Number(big),
		Next:     &T{A: n},
	}, got)

	type named map[string]any
	m, err := JSON[named]().Decode([]byte(`{"a":` + big + `}`))
	require.NoError(t, err)
	require.Equal(t, named{"a": n}, m)
}

// selfMade sees its own bytes: its fields are not touched afterwards.
type selfMade struct{ V any }

func (s *selfMade) UnmarshalJSON(b []byte) error { s.V = json.Number(b); return nil }

func TestJSONLeavesUnmarshalersAlone(t *testing.T) {
	v, err := JSON[struct {
		S selfMade
		A any
	}]().Decode([]byte(`{"S":5,"A":5}`))
	require.NoError(t, err)
	require.Equal(t, json.Number("5"), v.S.V)
	require.Equal(t, int64(5), v.A)
}

func TestOpenTypes(t *testing.T) {
	type closed struct {
		A int
		B []string
		C *closed
	}
	require.False(t, hasOpenType(reflect.TypeFor[closed](), nil))
	require.False(t, hasOpenType(reflect.TypeFor[selfMade](), nil))
	require.True(t, hasOpenType(reflect.TypeFor[order](), nil))
	require.True(t, hasOpenType(reflect.TypeFor[[]map[string]*order](), nil))
}

func TestJSONNullIsRefusedBothWays(t *testing.T) {
	_, err := JSON[*order]().Append(nil, nil)
	require.ErrorIs(t, err, ErrNil)
	_, err = JSON[[]int]().Append(nil, nil)
	require.ErrorIs(t, err, ErrNil)
	_, err = JSON[map[string]any]().Append(nil, nil)
	require.ErrorIs(t, err, ErrNil)
	out, err := JSON[any]().Append([]byte("dst"), (*order)(nil))
	require.ErrorIs(t, err, ErrNil)
	require.Equal(t, []byte("dst"), out)

	for _, text := range []string{"null", " null\n"} {
		_, err := JSON[*order]().Decode([]byte(text))
		require.ErrorIs(t, err, ErrNil)
		require.ErrorIs(t, err, ErrMalformed)
		_, err = JSON[order]().Decode([]byte(text))
		require.ErrorIs(t, err, ErrNil)
	}
	v, err := JSON[[]any]().Decode([]byte(`[null]`))
	require.NoError(t, err)
	require.Equal(t, []any{nil}, v)
	s, err := JSON[string]().Decode([]byte(`"null"`))
	require.NoError(t, err)
	require.Equal(t, "null", s)
}

func TestJSONErrorsTellWhereAndNotWhat(t *testing.T) {
	type T struct {
		A int8
		B struct{ C string }
		U UUID
		F json.Number
	}
	const secret = "s3cr3t"
	for _, c := range []struct{ doc, want string }{
		{``, "decode json at offset 0: want more, found the end of the document"},
		{`{"A":1`, "decode json at offset 6: want more, found the end of the document"},
		{`{"A":"s3cr3t"}`, "decode json at offset 13 (field A): want a value for Go type int8, found string"},
		{`{"A":777}`, "decode json at offset 8 (field A): want a value for Go type int8, found number"},
		{`{"B":{"C":777}}`, "decode json at offset 13 (field B.C): want a value for Go type string, found number"},
		{`{"A":1,}`, "decode json at offset 7: found '}' looking for beginning of object key string"},
		{`{"A":1} s3cr3t`, "decode json at offset 8: found a letter after top-level value"},
		{`{"A":s3cr3t}`, "decode json at offset 5: found a letter looking for beginning of value"},
		{`{"F":"s3cr3t"}`, "decode json: value refused with"},
		{`{"U":"s3cr3t"}`, "decode uuid: want 36 bytes, found 6 bytes"},
		{"{\"A\": \x07}", "decode json at offset 6: found a control character looking for beginning of value"},
		{`{"A":1 '}`, "decode json at offset 7: found a punctuation character after object key:value pair"},
	} {
		_, err := JSON[T]().Decode([]byte(c.doc))
		require.ErrorIs(t, err, ErrMalformed, c.doc)
		require.ErrorContains(t, err, c.want, c.doc)
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, err.Error(), "777")

		// The same document for an open type is read by another path.
		_, err = JSON[struct {
			T
			X any
		}]().Decode([]byte(c.doc))
		require.ErrorIs(t, err, ErrMalformed, c.doc)
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, err.Error(), "777")
	}
	_, err := JSON[any]().Decode([]byte(`{"A":1} {`))
	require.EqualError(t, err, "decode json at offset 8: want the end, found '{' after the document")
	var de *DecodeError
	require.ErrorAs(t, err, &de)
	require.EqualValues(t, 8, de.Offset)
}

func TestJSONRefusesWhatHasNoDocument(t *testing.T) {
	out, err := JSON[any]().Append([]byte("dst"), math.NaN())
	require.Error(t, err)
	require.Equal(t, []byte("dst"), out)
	out, err = JSON[chan int]().Append([]byte("dst"), make(chan int))
	require.Error(t, err)
	require.Equal(t, []byte("dst"), out)
	// The pooled encoder must not remember the failures.
	out, err = JSON[any]().Append([]byte("dst"), int64(1))
	require.NoError(t, err)
	require.Equal(t, []byte("dst1"), out)
}

func TestJSONIsSafeForConcurrentUse(t *testing.T) {
	c := JSON[map[string]any]()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				in := map[string]any{"g": int64(g), "i": int64(i)}
				b, err := c.Append(nil, in)
				if err != nil {
					t.Error(err)
					return
				}
				out, err := c.Decode(b)
				if err != nil || !reflect.DeepEqual(in, out) {
					t.Errorf("got %v, %v; want %v", out, err, in)
					return
				}
			}
		})
	}
	wg.Wait()
}

// FuzzJSONAny: what decodes is written as a document that stays as it is from then
// on (1e5 is written 100000, which is read as an integer: the same number); what
// encoding/json takes is taken here.
func FuzzJSONAny(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x",null,true]}`, `9223372036854775808`, `"<\u2028>"`, ` [ ] `, `1e5`, `-0`, `{"a":1}{`, `null`, "\xff"} {
		f.Add([]byte(s))
	}
	c := JSON[any]()
	f.Fuzz(func(t *testing.T, b []byte) {
		before := string(b)
		v, err := c.Decode(b)
		require.Equal(t, before, string(b), "the record must not be modified")
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			var plain any
			if uerr := json.Unmarshal(b, &plain); uerr == nil && plain != nil {
				t.Fatalf("refused a valid document: %v", err)
			}
			return
		}
		require.True(t, json.Valid(b))
		out, err := c.Append(nil, v)
		require.NoError(t, err)
		again, err := c.Decode(out)
		require.NoError(t, err)
		third, err := c.Append(nil, again)
		require.NoError(t, err)
		require.Equal(t, string(out), string(third))
		require.JSONEq(t, string(b), string(out))
	})
}
