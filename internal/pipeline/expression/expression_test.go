package expression

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func eval(t *testing.T, src string, value any) (any, error) {
	t.Helper()
	p, err := Compile(src, Env{}, Anything)
	require.NoError(t, err, src)
	return p.Evaluator().Eval(&Vars{
		Key: "k1", Value: value, Headers: map[string]any{"trace": "t1", "none": nil},
		Timestamp: 1_700_000_000_123, StreamTime: 1_700_000_000_999, Topic: "orders", Partition: 3, Offset: 42,
	})
}

func doc(t *testing.T, text string) any {
	t.Helper()
	v, err := document.Decode([]byte(text))
	require.NoError(t, err)
	return v
}

func TestEval(t *testing.T) {
	value := doc(t, `{"id":9007199254740993,"status":"PLACED","amount":5,"rate":0.5,"max":9223372036854775807,
		"huge":92233720368547758089,"tags":["b","a"],"items":[{"sku":"x","cents":100},{"sku":"y","cents":250}],"nothing":null,"größe":"größer"}`)
	for src, want := range map[string]any{
		`value.status == "PLACED" and this.amount > 0`: true,
		`value.id`:                                      int64(9007199254740993),
		`value.id + 1`:                                  int64(9007199254740994),
		`value.id - 1`:                                  int64(9007199254740992),
		`value.id * 3`:                                  int64(27021597764222979),
		`-value.id`:                                     int64(-9007199254740993),
		`value.id % 10`:                                 3,
		`value.id / 1`:                                  int64(9007199254740993),
		`div(value.id, 10)`:                             int64(900719925474099),
		`6 / 2`:                                         int64(3),
		`7 / 2`:                                         3.5,
		`value.amount + value.rate`:                     5.5,
		`2 ** 62`:                                       int64(1) << 62,
		`2 ** 0.5 > 1.41`:                               true,
		`value.id == 9007199254740992.0`:                false,
		`value.id > 9007199254740992.0`:                 true,
		`value.huge > value.max`:                        true,
		`value.huge == value.huge`:                      true,
		`value.huge`:                                    json.Number("92233720368547758089"),
		`value.status != "NEW"`:                         true,
		`value.status in ["NEW", "PLACED"]`:             true,
		`value.amount in ["NEW", "PLACED"]`:             false,
		`value.amount in [1, 5]`:                        true,
		`value.nothing == nil`:                          true,
		`value.absent == nil`:                           true,
		`value.absent == "x"`:                           false,
		`value.absent?.deeper == nil`:                   true,
		`(value.absent ?? 7) > 6`:                       true,
		`{id: value.id, cents: value.amount * 100}`:     map[string]any{"id": int64(9007199254740993), "cents": int64(500)},
		`sum(value.items, .cents)`:                      int64(350),
		`sum(map(value.items, .cents))`:                 int64(350),
		`map(filter(value.items, .cents > 100), .sku)`:  []any{"y"},
		`keys({b: 1, a: 2})`:                            []any{"a", "b"},
		`values({b: 1, a: 2})`:                          []any{2, 1},
		`fromPairs(toPairs({b: 1, a: 2}))`:              map[string]any{"a": 2, "b": 1},
		`fromJSON('{"id":9007199254740993}').id`:        int64(9007199254740993),
		`toJSON({b: "<>", a: value.id})`:                `{"a":9007199254740993,"b":"<>"}`,
		`string(value.id) + key`:                        "9007199254740993k1",
		`int("9007199254740993")`:                       int64(9007199254740993),
		`round(2.5) + floor(value.amount)`:              8.0,
		`round(value.id)`:                               int64(9007199254740993),
		`min(value.id, 3.5)`:                            3.5,
		`max([1, 2, 3])`:                                3,
		`abs(-3)`:                                       int64(3),
		`headers.trace`:                                 "t1",
		`headers.absent == nil and headers.none == nil`: true,
		`timestamp + partition + offset`:                int64(1_700_000_000_123 + 3 + 42),
		`stream_time()`:                                 int64(1_700_000_000_999),
		`topic + "-" + upper(value.größe)`:              "orders-GRÖßER",
		`format_time(timestamp)`:                        "2023-11-14T22:13:20.123Z",
		`parse_time("2023-11-14T23:13:20.123+01:00") - timestamp`: int64(0),
		`let x = value.amount; x + x`:                             int64(10),
		`value.amount > 3 ? "big" : "small"`:                      "big",
		`value.status matches "^PL"`:                              true,
		`join(sort(value.tags), ",")`:                             "a,b",
		`replace("aXbX", "X", "--")`:                              "a--b--",
		`repeat("ab", 2)`:                                         "abab",
		`nil`:                                                     nil,
		`not (value.amount > 3)`:                                  false,
		`value.status not in ["NEW"]`:                             true,
		`reduce(value.items, #acc + .cents, 0)`:                   int64(350),
	} {
		got, err := eval(t, src, value)
		require.NoError(t, err, src)
		require.Equal(t, want, got, src)
	}
}

func TestEvalErrors(t *testing.T) {
	secret := "s3cr3t"
	value := map[string]any{"max": int64(math.MaxInt64), "min": int64(math.MinInt64), "s": secret, "m": map[string]any{"x": secret}, "n": int64(1), "huge": json.Number("92233720368547758089"), "l": []any{int64(1)}}
	for src, want := range map[string]string{
		`value.max + 1`:                      "does not fit in a 64-bit",
		`value.min - 1`:                      "does not fit",
		`value.max * 2`:                      "does not fit",
		`value.min * -1`:                     "does not fit",
		`value.min / -1`:                     "does not fit",
		`-value.min`:                         "does not fit",
		`10 ** 19`:                           "does not fit",
		`sum([value.max, 1])`:                "does not fit",
		`int(1e19)`:                          "does not fit",
		`value.max + 0.5`:                    "would lose digits",
		`value.max / 2`:                      "would lose digits",
		`float(value.max)`:                   "would lose digits",
		`value.huge + 1`:                     "+ of an integer beyond 64 bits and an int",
		`value.n / 0`:                        "division by zero",
		`value.n % 0`:                        "division by zero",
		`div(1, 0)`:                          "division by zero",
		`value.absent > 0`:                   "> of null and an int; a field is missing or null",
		`value.absent.deeper`:                "no field deeper in null; use ?.",
		`value.s > 0`:                        "> of a string and an int",
		`value.s + 1`:                        "+ of a string and an int",
		`value.s.field`:                      "text and lists have no fields",
		`not value.absent`:                   "null where a bool is needed",
		`value.s and true`:                   "string where a bool is needed",
		`value.m[1:2]`:                       "only text and lists can be sliced",
		`int(value.s)`:                       "not a 64-bit whole number",
		`float(value.s)`:                     "not a number",
		`fromJSON(value.s)`:                  "json",
		`parse_time(value.s)`:                "RFC 3339",
		`format_time(value.max)`:             "beyond the year 9999",
		`1..value.max`:                       "too large",
		`count(1..2000000, true)`:            "too large",
		`repeat(value.s, 100000000)`:         "too long",
		`value.l[7]`:                         "index out of range",
		`fromPairs([[1, 2]])`:                "needs text as keys",
		`keys(value.l)`:                      "not of a map",
		`value.s matches value.s + "["`:      "",
		`min([value.s, 1])`:                  "min() of",
		`let a = repeat("x", 10000000); a+a`: "too long",
	} {
		_, err := eval(t, src, value)
		require.Error(t, err, src)
		var e *Error
		require.ErrorAs(t, err, &e, src)
		require.Contains(t, err.Error(), want, src)
		require.NotContains(t, strings.ReplaceAll(err.Error(), "value.s", ""), secret, "%s shows the record", src)
		require.Less(t, e.From, e.To, src)
		require.LessOrEqual(t, e.To, len([]rune(src)), src)
	}
}

func TestCompileErrors(t *testing.T) {
	str, _ := TypeOf("string")
	whole, _ := TypeOf("int")
	env := Env{Value: MapOf(map[string]Type{"status": str, "amount": whole, "items": ListOf(MapOf(map[string]Type{"sku": str}))})}
	for _, c := range []struct {
		src, at, want string
	}{
		{`value.satus == "PLACED"`, "satus", `no field "satus"; did you mean "status"?`},
		{`value.items[0].skuu`, "skuu", `no field "skuu"; did you mean "sku"?`},
		{`all(value.items, .amout > 1)`, "amout", `no field "amout"`},
		{`value.amount > "5"`, ">", "mismatched types int and string"},
		{`vaule.amount > 5`, "vaule", `unknown name vaule; did you mean "value"?`},
		{`value.amount >`, "", "unexpected token EOF"},
		{`now() > 5`, "now", "now() is not available; a record that is processed again must give the same result"},
		{`value.status`, "value.status", "the expression gives a string, true or false is needed"},
		{`nil`, "nil", "the expression gives null, true or false is needed"},
		{`groupBy(value.items, .sku) == nil`, "groupBy", "groupBy() is not available"},
		{`$env.key == 1`, "$env", "$env is not available"},
		{`value.amount + value.status == 1`, "+", "mismatched types int and string"},
		{`__add(1, 2) == 3`, "__add", "unknown name __add"},
		{`value.n() == 1`, "", "methods cannot be called"},
		{`map(value.items, {sku: .sku}) == nil`, ":", "a map is written {{name: …}}"},
		{`uper("x") == "X"`, "uper", `unknown name uper; did you mean "upper"?`},
		{`value.status matches "["`, "", "missing closing ]"},
		{`div("a", 2) == 1`, "", ""},
		{``, "", "the expression is empty"},
		{`true ` + strings.Repeat("or true ", 3000), "", "longer than 16 KiB"},
		{strings.Repeat("(", 8000) + "1", "", "unexpected token EOF"},
		{strings.Repeat("a=>", 10), "", ""},
		{"\xff", "", "not valid UTF-8"},
	} {
		_, err := Compile(c.src, env, Bool)
		if c.src == `div("a", 2) == 1` {
			require.NoError(t, err) // (any, any) is one of its signatures
			continue
		}
		require.Error(t, err, c.src)
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Contains(t, err.Error(), c.want, c.src)
		if c.at != "" {
			require.True(t, strings.HasPrefix(string([]rune(c.src)[e.From:]), c.at), "%s: points at %q", c.src, string([]rune(c.src)[e.From:]))
		}
	}
}

// A schema finds mistakes and must not change what a record becomes.
func TestSchemaDoesNotChangeResults(t *testing.T) {
	str, _ := TypeOf("string")
	env := Env{Value: MapOf(map[string]Type{"status": str})}
	for _, value := range []any{map[string]any{}, map[string]any{"status": int64(5)}, map[string]any{"status": nil}, map[string]any{"status": "PLACED"}} {
		typed, err := Compile(`value.status == "PLACED"`, env, Bool)
		require.NoError(t, err)
		open, err := Compile(`value.status == "PLACED"`, Env{}, Bool)
		require.NoError(t, err)
		a, err := typed.Evaluator().Eval(&Vars{Value: value})
		require.NoError(t, err)
		b, err := open.Evaluator().Eval(&Vars{Value: value})
		require.NoError(t, err)
		require.Equal(t, b, a)
	}
}

func TestResultTypeReachesTheNextExpression(t *testing.T) {
	p, err := Compile(`{id: value.id, cents: 100 * 2, name: "x", inner: {a: 1}}`, Env{}, Anything)
	require.NoError(t, err)
	next := Env{Value: p.Type()}
	_, err = Compile(`value.cent > 5`, next, Bool)
	require.ErrorContains(t, err, `no field "cent"; did you mean "cents"?`)
	_, err = Compile(`value.inner.b > 5`, next, Bool)
	require.ErrorContains(t, err, `no field "b"`)
	_, err = Compile(`value.name > 5`, next, Bool)
	require.ErrorContains(t, err, `mismatched types string and int`)
	_, err = Compile(`value.id.anything > 5 and value.cents > 5`, next, Bool)
	require.NoError(t, err)
}

func TestUses(t *testing.T) {
	for src, want := range map[string]Uses{
		`this.x > 1`: UsesValue, `key`: UsesKey, `headers.a + topic`: UsesHeaders | UsesTopic,
		`stream_time() - timestamp`: UsesStreamTime | UsesTimestamp, `1`: 0, `map(value, {{k: key}})`: UsesKey | UsesValue,
	} {
		p, err := Compile(src, Env{}, Anything)
		require.NoError(t, err, src)
		require.Equal(t, want, p.Uses(), src)
	}
}

func TestWants(t *testing.T) {
	for _, c := range []struct {
		want  Want
		value any
		ok    bool
	}{
		{Bool, true, true}, {Bool, int64(1), false}, {Bool, nil, false},
		{Int, int64(1), true}, {Int, 1.5, false}, {Int, nil, false},
		{Text, "x", true}, {Text, int64(1), false},
		{List, []any{}, true}, {List, nil, true}, {List, "x", false},
		{Map, map[string]any{}, true}, {Map, []any{}, false},
	} {
		p, err := Compile("value", Env{}, c.want)
		require.NoError(t, err)
		_, err = p.Evaluator().Eval(&Vars{Value: c.value})
		if c.ok {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "is needed")
		}
	}
}

func TestEvaluatorIsReusedWithoutTraces(t *testing.T) {
	p, err := Compile(`value.a ?? "none"`, Env{}, Anything)
	require.NoError(t, err)
	e := p.Evaluator()
	for _, c := range []struct{ in, want any }{{map[string]any{"a": "x"}, "x"}, {map[string]any{}, "none"}, {nil, nil}, {map[string]any{"a": "y"}, "y"}} {
		got, err := e.Eval(&Vars{Value: c.in})
		if c.in == nil {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

func FuzzCompileAndEval(f *testing.F) {
	for _, s := range []string{`value.a + 1`, `filter(value.l, # > 1)`, `{a: 1}["a"]`, `value?.x ?? "é"`, `1..10`, `let x = 1; x`, `sum(value.l, #)`, `value.l[-1]`, `"a" in value`, `not`} {
		f.Add(s)
	}
	value := map[string]any{"a": int64(1), "l": []any{int64(1), "x", nil, 2.5}}
	f.Fuzz(func(t *testing.T, src string) {
		p, err := Compile(src, Env{}, Anything)
		if err != nil {
			e, ok := err.(*Error)
			if !ok || e.From > e.To || e.To > len([]rune(src)) {
				t.Fatalf("%q: %#v", src, err)
			}
			return
		}
		if _, err := p.Evaluator().Eval(&Vars{Value: value}); err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("%q: %#v", src, err)
			}
		}
	})
}

func BenchmarkPredicate(b *testing.B) {
	p, err := Compile(`value.status == "PLACED" and value.amount > 0`, Env{}, Bool)
	if err != nil {
		b.Fatal(err)
	}
	e := p.Evaluator()
	v := &Vars{Value: map[string]any{"status": "PLACED", "amount": int64(5)}}
	b.ReportAllocs()
	for b.Loop() {
		if ok, err := e.Holds(v); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
