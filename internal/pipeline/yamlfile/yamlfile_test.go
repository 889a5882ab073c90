package yamlfile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type sample struct {
	A Text          `yaml:"a"`
	B Int           `yaml:"b"`
	C Value         `yaml:"c"`
	D []Text        `yaml:"d"`
	E Mapping[Text] `yaml:"e"`
	F *inner        `yaml:"f"`
}

type inner struct {
	X text2 `yaml:"x,required"`
}

type text2 = Text

func read(t *testing.T, text string, vars map[string]string) (sample, *Decoder) {
	t.Helper()
	var s sample
	_, d := Read("f.yaml", []byte(text), func(n string) (string, bool) { v, ok := vars[n]; return v, ok }, &s)
	return s, d
}

// Every rune of a scalar is found again in the file, in every style.
func TestTextAt(t *testing.T) {
	for name, text := range map[string]string{
		"plain":            "a: one <two> three\n",
		"plain over lines": "a: one\n  more   <two>\n\n  three\n",
		"single quoted":    "a: 'it''s ''<two>'' three'\n",
		"double quoted":    "a: \"\\\"q\\\" \\u00e9\\x41\\n\\t<two>\"\n",
		"double folded":    "a: \"one\n  é <two>\"\n",
		"literal":          "a: |\n    one\n      é <two>\n    three\n",
		"literal stripped": "a: |-\n    one\n\n    <two>\n",
		"folded":           "a: >\n    one\n    more\n\n    é <two>\n    x\n",
		"folded stripped":  "a: >- # comment\n    one\n    <two>\n",
		"indented":         "a: |2\n      one\n    <two>\n",
		"flow":             "{b: 1, a: é <two>, c: 2}\n",
		"alias":            "e: {k: &x one <two>}\na: *x\n",
		"before variable":  "a: <two> ${V}\n",
		"behind variable":  "a: é${V}${W:some default} $${E} <two>\n",
		"in a flow":        "{c: {k: ${V}}, a: x ${W:d} <two>}\n",
		"crlf":             "a: |\r\n    one\r\n    <two>\r\n",
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			s, d := read(t, text, map[string]string{"V": "a longer value", "W": ""})
			require.Empty(t, d.Problems())
			runes := []rune(s.A.Value)
			i := -1
			for k := range runes {
				if strings.HasPrefix(string(runes[k:]), "<two>") {
					i = k
				}
			}
			require.GreaterOrEqual(t, i, 0, "%q", s.A.Value)
			lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
			for k, line := range lines {
				if col := strings.Index(line, "<two>"); col >= 0 {
					require.Equal(t, Pos{k + 1, len([]rune(line[:col])) + 1}, s.A.At(i), "%q", s.A.Value)
				}
			}
		})
	}
}

func TestVariables(t *testing.T) {
	vars := map[string]string{"SET": "value", "EMPTY": "", "NUMBER": "5", "LIST": "[1, 2]"}
	for text, want := range map[string]any{
		"c: ${SET}":                        "value",
		"c: ${UNSET:default}":              "default",
		"c: ${UNSET:}":                     nil,
		"c: ${EMPTY:default}":              nil, // set is set, even to nothing
		"c: ${NUMBER}":                     int64(5),
		"c: \"${NUMBER}\"":                 "5",
		"c: ${LIST}":                       "[1, 2]", // a value never becomes structure
		"c: x${SET}y${UNSET:z}":            "xvalueyz",
		"c: $${SET}":                       "${SET}",
		"c: ${not a variable":              "${not a variable",
		"c: {k: ${SET}, l: ${UNSET:a, b}}": map[string]any{"k": "value", "l": "a, b"},
		"c: [${SET}, ${U:{x}]":             []any{"value", "{x"},
		"c: ${UNSET:http://h:1/?q=#}":      "http://h:1/?q=#",
	} {
		s, d := read(t, text, vars)
		require.Empty(t, d.Problems(), text)
		require.Empty(t, d.Missing(), text)
		require.Equal(t, want, s.C.Any, text)
	}
	_, d := read(t, "a: x ${UNSET} y ${OTHER}\n", nil)
	require.Empty(t, d.Problems())
	require.Len(t, d.Missing(), 2)
	require.Equal(t, 6, d.Missing()[0].Col)
	require.Equal(t, 17, d.Missing()[1].Col)
}

func TestValues(t *testing.T) {
	for text, want := range map[string]any{
		"c: 9007199254740993": int64(9007199254740993), "c: 123456789012345678901234567890": json.Number("123456789012345678901234567890"),
		"c: -9223372036854775809": json.Number("-9223372036854775809"), "c: 0x1f": int64(31), "c: 0o17": int64(15), "c: 1.50": 1.5, "c: 1e3": 1000.0,
		"c: true": true, "c: yes": "yes", "c: null": nil, "c: ~": nil, "c:": nil, "c: '5'": "5", "c: !!str 5": "5", "c: 2020-01-01": "2020-01-01",
		"c: [1, [a, {b: null}]]": []any{int64(1), []any{"a", map[string]any{"b": nil}}}, "c: |\n  5\n": "5\n", "c: 1_000": "1_000", "c: .5": 0.5,
	} {
		s, d := read(t, text, nil)
		require.Empty(t, d.Problems(), text)
		require.Equal(t, want, s.C.Any, text)
		require.True(t, s.C.Set)
	}
}

func TestDecodeProblems(t *testing.T) {
	for text, want := range map[string]string{
		"a: [x]":                             "text is needed here, found a list",
		"a: {x: y}":                          "text is needed here, found a mapping",
		"a:":                                 "text is needed here, found nothing",
		"b: x":                               `"x" is not a whole number`,
		"b: 1.5":                             `"1.5" is not a whole number`,
		"b: '1'":                             `"1" is not a whole number`,
		"d: x":                               "a list is needed here, found a scalar",
		"e: [x]":                             "a mapping is needed here, found a list",
		"f: {}":                              `"x" is missing`,
		"f: x":                               "a mapping is needed here, found a scalar; its fields are x",
		"g: x":                               `unknown field "g"; known are a, b, c, d, e, f`,
		"a: x\na: y":                         `"a" is given twice, first in line 1`,
		"a: *x":                              "there is no anchor &x above",
		"a: &x *x":                           "",
		"c: &x [*x]":                         "aliases make the file too large",
		"e: &x {<<: *x}":                     "an alias contains itself",
		"e: {<<: 5}":                         "only a mapping can be merged",
		"e: {<<: [5]}":                       "only a mapping can be merged",
		"c: 1e999":                           "",
		"a: !tag x":                          `"!tag" is a YAML tag`,
		"\xff":                               "not valid UTF-8",
		"a: " + strings.Repeat("x", MaxSize): "larger than 256 KiB",
		"c: " + strings.Repeat("[", 400):     "",
		"c: " + strings.Repeat("[", 400) + strings.Repeat("]", 400): "nested too deeply",
		strings.Repeat("- ", 50_000):                                "nested too deeply",
		strings.Repeat("? ", 50_000):                                "nested too deeply",
		strings.Repeat("{a: ", 50_000):                              "nested too deeply",
		strings.Repeat("!a ", 50_000):                               "",
		strings.Repeat("&a ", 50_000):                               "",
	} {
		_, d := read(t, text, nil)
		if text == "c: 1e999" {
			require.Empty(t, d.Problems()) // stays text, as its digits cannot be kept
			continue
		}
		require.NotEmpty(t, d.Problems(), "%.40q", text)
		require.Contains(t, d.Problems().Error(), want, "%.40q", text)
	}
}

// A small file whose aliases stand for a very large one.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("c:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "  a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	_, d := read(t, b.String(), nil)
	require.ErrorContains(t, d.Problems().Err(), "too large")
}

func TestAnchorsMeanTheLatest(t *testing.T) {
	s, d := read(t, "c: [&x 1, *x, &x 2, *x]\ne: {<<: [{k: a}, {k: b, l: c}], m: d}\n", nil)
	require.Empty(t, d.Problems())
	require.Equal(t, []any{int64(1), int64(1), int64(2), int64(2)}, s.C.Any)
	got := map[string]string{}
	for _, e := range s.E {
		got[e.Key.Value] = e.Value.Value
	}
	require.Equal(t, map[string]string{"k": "a", "l": "c", "m": "d"}, got)
}

func TestExcerpt(t *testing.T) {
	p := Problem{Line: 12, Col: 3, Width: 99, Source: "\té x"}
	require.Equal(t, "  12 | \té x\n     | \t ^^\n", p.Excerpt())
	require.Empty(t, Problem{Message: "x"}.Excerpt())
}
