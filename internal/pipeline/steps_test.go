package pipeline_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/topology"
)

const head = "config: {application.id: a, bootstrap.servers: \"h:1\"}\n"

func parse(t *testing.T, text string, opts pipeline.Options) *pipeline.File {
	t.Helper()
	f := pipeline.Parse("p.yaml", []byte(head+text), opts)
	out, err := f.Lint().Format("text")
	require.NoError(t, err)
	require.Empty(t, out)
	return f
}

// Each step, by tests in the language itself: an exact output of each.
func TestSteps(t *testing.T) {
	for name, text := range map[string]string{
		"filter with null value": `
topology: [{from: in}, {filter: value == nil or value.keep}, {to: out}]
tests:
  - name: t
    in: [{key: a, value: null}, {key: b, value: {keep: false}}, {key: c, value: {keep: true}}]
    out: [{key: a, value: null}, {key: c, value: {keep: true}}]
`, "map value key headers timestamp": `
topology:
  - from: in
  - map:
      value: '{"n": value.n + 1, "k": key, "at": timestamp, "h": headers.a, "where": topic + "/" + string(partition) + "/" + string(offset), "st": stream_time()}'
      key: '"k" + key'
      headers: {a: '"new"', b: value.n, c: nil, "ü": headers.a}
      timestamp: timestamp + 1
  - to: out
tests:
  - name: t
    in: [{key: x, value: {n: 9007199254740993}, headers: {a: old, c: gone}, timestamp: 5, partition: 2}]
    out: [{key: kx, value: {n: 9007199254740994, k: x, at: 5, h: old, where: in/2/0, st: 5}, headers: {a: new, b: 9007199254740993, c: null, ü: old}, timestamp: 6}]
`, "map of a scalar is the value": `
topology: [{from: in}, {map: value.x}, {to: out}]
tests:
  - name: t
    in: [{key: a, value: {x: [1, "two", null, 2.5, true]}}, {key: b, value: {}}]
    out: [{key: a, value: [1, "two", null, 2.5, true]}, {key: b, value: null}]
`, "key": `
topology: [{from: in}, {key: value.c}, {to: out}]
tests:
  - name: t
    in: [{key: a, value: {c: x}}, {key: b, value: {c: null}}]
    out: [{key: x, value: {c: x}}, {key: null, value: {c: null}}]
`, "flat_map": `
topology: [{from: in}, {flat_map: value.items}, {to: out}]
tests:
  - name: t
    in: [{key: a, value: {items: [1, null, {x: y}]}, timestamp: 3}, {key: b, value: {items: []}}, {key: c, value: {}}]
    out: [{key: a, value: 1, timestamp: 3}, {key: a, value: null}, {key: a, value: {x: y}}]
`, "branch takes the first, null values too": `
topology:
  - from: in
  - branch:
      - when: value == nil
        steps: [{to: nulls}]
      - when: value.n > 10
        steps:
          - branch:
              - when: value.n > 100
                steps: [{to: huge}]
              - else: [{to: big}]
      - when: value.n > 5
        steps: []
      - when: key == "special"
        steps: [{map: '{special: true}'}, {to: special}]
tests:
  - name: t
    in: [{key: a, value: null}, {key: b, value: {n: 11}}, {key: c, value: {n: 101}}, {key: d, value: {n: 6}}, {key: special, value: {n: 1}}, {key: e, value: {n: 1}}]
    out: [{topic: nulls, key: a}, {topic: big, key: b}, {topic: huge, key: c}, {topic: special, key: special, value: {special: true}}]
`, "else with null key": `
topology: [{from: in}, {branch: [{when: "false", steps: [{to: no}]}, {else: [{to: yes}]}]}]
tests: [{name: t, in: [{value: 1}], out: [{topic: "yes", key: null, value: 1}]}]
`, "use and merge": `
topology:
  - from: a
    as: a
  - {from: b, as: b}
  - from: c
  - merge: [a, b]
    as: all
  - to: merged
  - use: a
  - map: '{from_a: value}'
  - to: only-a
  - use: all
  - filter: value == 3
  - to: threes
tests:
  - name: t
    in: [{topic: a, value: 1}, {topic: b, value: 2}, {topic: c, value: 3}]
    out: [{topic: merged, value: 1}, {topic: merged, value: 2}, {topic: merged, value: 3}, {topic: only-a, value: {from_a: 1}}, {topic: threes, value: 3}]
`, "merge at the beginning": `
topology: [{from: a, as: a}, {from: b, as: b}, {use: a}, {merge: [b]}, {to: out}]
tests: [{name: t, in: [{topic: a, value: 1}, {topic: b, value: 2}], out: [{value: 1}, {value: 2}]}]
`, "several topics and a pattern": `
topology: [{from: {topics: [a, b]}, as: ab}, {from: {pattern: 'logs-.*', value: string}}, {map: '{line: value}'}, {to: {topic: logs, value: json}}, {use: ab}, {to: ab}]
tests: [{name: t, in: [{topic: a, value: 1}, {topic: b, value: 2}, {topic: logs-x, value: hello}], out: [{topic: ab, value: 1}, {topic: ab, value: 2}, {topic: logs, value: {line: hello}}]}]
`, "to chooses topic and partition": `
topology: [{from: in}, {to: {topic_expr: value.t ?? "", partition: value.p}}, {to: {topic: fixed, partition: 3}}]
tests:
  - name: t
    in: [{key: k, value: {t: x, p: 7}}, {key: k, value: {p: 1}}]
    out: [{topic: x, partition: 7}, {topic: fixed, partition: 3}, {topic: fixed, partition: 3}]
`, "formats": `
topology:
  - from: {topic: in, key: int64, value: string}
  - to: {topic: json, key: json, value: json}
  - to: {topic: same}
  - map: {value: '{text: value, number: key}', key: 'key == nil ? nil : float(key)'}
  - to: {topic: made, key: float64, value: json}
tests:
  - name: t
    in: [{key: 9007199254740992, value: "héllo"}, {key: null, value: null}]
    out:
      - {topic: json, raw_key: "9007199254740992", raw_value: '"héllo"'}
      - {topic: json, key: null, value: null}
      - {topic: same, key: 9007199254740992, value: "héllo"}
      - {topic: same, key: null}
      - {topic: made, key: 9007199254740992.0, value: {text: "héllo", number: 9007199254740992}}
      - {topic: made, key: null, value: {text: null, number: null}}
`, "big numbers keep their digits": `
topology: [{from: in}, {map: '{sum: value.a + 1, whole: value.big, items: map(value.l, # * 2)}'}, {to: out}]
tests:
  - name: t
    in: [{raw_value: '{"a":9007199254740993,"big":123456789012345678901234567890,"l":[9007199254740993]}'}]
    out: [{raw_value: '{"items":[18014398509481986],"sum":9007199254740994,"whole":123456789012345678901234567890}', value: {sum: 9007199254740994, whole: 123456789012345678901234567890, items: [18014398509481986]}}]
`, "anchors merge keys and variables": `
x-a: &small {value: string}
x-cond: &cond value != "${WORD:stop}"
topology:
  - from: {topic: "in", <<: *small}
  - filter: *cond
  - filter: *cond
  - filter: 'value != "$${WORD}"'
  - to: out
tests: [{name: t, in: [{value: go}, {value: stop}, {value: "$${WORD}"}], out: [{value: go}]}]
`, "time of the record": `
topology: [{from: {topic: in, timestamp: 'parse_time(value.at)'}}, {to: out}]
tests: [{name: t, in: [{value: {at: "1970-01-01T00:00:01Z"}, timestamp: 77}], out: [{timestamp: 1000}]}]
`, "repartition drops null keys": `
topology: [{from: in}, {repartition: {name: r, key: value.k}}, {to: out}]
tests: [{name: t, in: [{value: {k: a}}, {value: {k: null}}], out: [{key: a}]}]
`, "retried in place of failing": `
topology: [{from: in}, {map: 'value?.a?.b?.c ?? "none"'}, {to: out}]
tests: [{name: t, in: [{value: null}, {value: {a: {b: {c: x}}}}, {value: {a: null}}], out: [{value: none}, {value: x}, {value: none}]}]
`, "untouched bytes stay": `
topology: [{from: in}, {filter: value.a == 1}, {map: {key: '"k"'}}, {to: out}]
tests: [{name: t, in: [{raw_value: '{ "z": 1.0e0,  "a":1, "a":1 }'}], out: [{key: k, raw_value: '{ "z": 1.0e0,  "a":1, "a":1 }'}]}]
`,
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			results, err := parse(t, text, pipeline.Options{Lookup: lookup(nil)}).RunTests(t.Context())
			require.NoError(t, err)
			require.Len(t, results, 1)
			require.Empty(t, results[0].Failures)
		})
	}
}

// What is wrong with a record is said with file, line and column, by stage, and
// without its content.
func TestRecordErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, value string
		stage             topology.Stage
		want              string
	}{
		{"missing field", "topology:\n  - from: in\n  - filter: value.amount > 0\n  - to: out\n", `{"a":"s3cr3t"}`, topology.Processing,
			"processing of in-0@9 in filter-4: p.yaml:4:26: > of null and an int; a field is missing or null: give it a default with ??"},
		{"not a bool", "topology:\n  - from: in\n  - filter: value.a\n  - to: out\n", `{"a":"s3cr3t"}`, topology.Processing,
			"in filter-4: p.yaml:4:13: the expression gave a string, true or false is needed"},
		{"malformed", "topology:\n  - from: in\n  - name: keep\n    filter: value.a\n  - to: out\n", `{"a":"s3cr3t`, topology.Deserialization,
			"deserialization of in-0@9 in keep: decode value: "},
		{"malformed in a branch", "topology:\n  - from: in\n  - branch: [{when: value.a, steps: [{to: out}]}]\n", `s3cr3t`, topology.Deserialization,
			"deserialization of in-0@9 in branch-4: decode value: "},
		{"malformed at the sink", "topology:\n  - from: in\n  - to: {topic: out, value: string}\n", `s3cr3t`, topology.Deserialization,
			"deserialization of in-0@9 in to-4-convert: decode value: "},
		{"malformed timestamp", "topology:\n  - from: {topic: in, timestamp: value.t}\n  - to: out\n", `s3cr3t`, topology.Deserialization,
			"deserialization of in-0@9 in from-3: decode value: "},
		{"no timestamp", "topology:\n  - from: {topic: in, timestamp: value.t}\n  - to: out\n", `{}`, topology.Deserialization,
			"p.yaml:3:34: the expression gave null, a whole number is needed"},
		{"format", "topology:\n  - from: in\n  - to: {topic: out, value: int64}\n", `"s3cr3t"`, topology.Production,
			"production of in-0@9 in to-4: encode value for topic out: the format cannot hold this value: a string cannot be written as int64"},
		{"topic", "topology:\n  - from: in\n  - to: {topic_expr: value.t}\n", `{"t":"a b"}`, topology.Production, "in to-4"},
		{"partition", "topology:\n  - from: in\n  - to: {topic: out, partition: value.p}\n", `{"p":-1}`, topology.Processing, "p.yaml:4:33: partition -1"},
		{"block scalar", "topology:\n  - from: in\n  - map: |\n      {\n        é: value.a.b\n      }\n  - to: out\n", `{}`, topology.Processing,
			"p.yaml:6:20: no field b in null; use ?. where the value before it may be missing"},
		{"negative time", "topology:\n  - from: in\n  - map: {timestamp: -1 * value.a}\n  - to: out\n", `{"a":1}`, topology.Processing, "p.yaml:4:22: record has no valid timestamp"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			f := pipeline.Parse("p.yaml", []byte(head+c.text), pipeline.Options{})
			topo, err := f.Build()
			require.NoError(t, err)
			in, err := topo.SubTopologies()[0].NewInstance(0, topology.Env{Now: func() int64 { return 0 }})
			require.NoError(t, err)
			s, ok := in.Open("in")
			require.True(t, ok)
			r := topology.RawRecord{Topic: "in", Offset: 9, Value: []byte(c.value)}
			if s.Timestamp != nil {
				_, _, err = s.Timestamp(&r, -1)
			} else {
				err = in.Process(s, &r)
			}
			var re *topology.RecordError
			require.ErrorAs(t, err, &re)
			require.Equal(t, c.stage, re.Stage, err.Error())
			require.Contains(t, err.Error(), c.want)
			require.NotContains(t, err.Error(), "s3cr3t")
			require.Empty(t, in.Outputs())
		})
	}
}

func TestPeekPrintsLines(t *testing.T) {
	var out bytes.Buffer
	f := parse(t, `
topology: [{from: in}, {name: all, peek: }, {peek: value.n * 2}, {to: out}]
tests: [{name: t, in: [{key: k, value: {n: 9007199254740993}, headers: {h: x}, timestamp: 4}], out: [{key: k}]}]
`, pipeline.Options{Peek: &out})
	results, err := f.RunTests(t.Context())
	require.NoError(t, err)
	require.Empty(t, results[0].Failures)
	require.Equal(t, `{"step":"all","topic":"in","partition":0,"offset":0,"record":{"key":"k","value":{"n":9007199254740993},"timestamp":4,"headers":{"h":"x"}}}
{"step":"peek-3","topic":"in","partition":0,"offset":0,"result":18014398509481986}
`, out.String())
}

// Passing bytes through means the very same memory.
func TestPassthroughDoesNotCopy(t *testing.T) {
	f := parse(t, "topology: [{from: in}, {filter: headers.x != nil}, {to: out}]\n", pipeline.Options{})
	topo, err := f.Build()
	require.NoError(t, err)
	in, err := topo.SubTopologies()[0].NewInstance(0, topology.Env{Now: func() int64 { return 0 }})
	require.NoError(t, err)
	s, _ := in.Open("in")
	key, value := []byte("k"), []byte("{not json")
	require.NoError(t, in.Process(s, &topology.RawRecord{Topic: "in", Key: key, Value: value, Headers: topology.Headers{{Key: "x", Value: []byte("1")}}}))
	outs := in.Outputs()
	require.Len(t, outs, 1)
	require.Same(t, &key[0], &outs[0].Key[0])
	require.Same(t, &value[0], &outs[0].Value[0])
}

func TestStepsNameTheOperators(t *testing.T) {
	f := parse(t, `topology:
  - from: in
  - name: paid
    filter: "true"
  - branch:
      - {when: "true", steps: [{to: a}]}
      - else: [{to: {topic: b, partition: 1}}]
`, pipeline.Options{})
	topo, err := f.Build()
	require.NoError(t, err)
	require.Len(t, topo.SubTopologies(), 1)
	topics, _ := topo.SubTopologies()[0].Sinks()
	require.Equal(t, []string{"a"}, topics)
}
