package pipeline_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/pipeline"
)

func TestFailingTestsSayWhatDiffers(t *testing.T) {
	f := parse(t, `topology:
  - from: in
  - filter: value.keep
  - map: {value: '{n: value.n, l: [1, 2], s: "x"}', headers: {h: '"v"'}}
  - to: out
tests:
  - name: differs
    in: [{key: k, value: {keep: true, n: 5}, timestamp: 7}]
    out: [{key: other, value: {n: 6, l: [1, 3], extra: null}, timestamp: 8, partition: 2, headers: {h: w, none: x}}]
  - name: missing and unexpected
    in: [{key: a, value: {keep: true, n: 1}}, {key: b, value: {keep: true, n: 2}}]
    out: []
  - name: nothing came
    in: [{key: a, value: {keep: false}}]
    out: [{key: a}]
  - name: raw
    in: [{value: {keep: true, n: 1}}]
    out: [{raw_key: "", raw_value: x}]
  - name: record fails
    in: [{key: a, value: {keep: "yes"}}]
    out: []
  - name: passes
    in: [{key: a, value: {keep: true, n: 1.0}}]
    out: [{value: {n: 1, l: [1, 2.0], s: x}}]
`, pipeline.Options{})
	results, err := f.RunTests(t.Context())
	require.NoError(t, err)
	require.Len(t, results, 6)
	got := map[string][]string{}
	for _, r := range results {
		got[r.Name] = r.Failures
		require.Equal(t, len(r.Failures) == 0, r.Passed())
	}
	require.Equal(t, map[string][]string{
		"differs": {
			`out, record 1 differs (line 10): key "k", value {"l":[1,2],"n":5,"s":"x"}, timestamp 7`,
			`  key: want "other", got "k"`,
			`  value.extra: want null, got nothing`,
			`  value.l[1]: want 3, got 2`,
			`  value.n: want 6, got 5`,
			`  value.s: not expected, got "x"`,
			`  timestamp: want 8, got 7`,
			`  partition: want 2, got -1`,
			`  headers.h: want "w", got "v"`,
			`  headers.none: want "x", got null`,
		},
		"missing and unexpected": {
			`out, record 1 was not expected: key "a", value {"l":[1,2],"n":1,"s":"x"}, timestamp 0`,
			`out, record 2 was not expected: key "b", value {"l":[1,2],"n":2,"s":"x"}, timestamp 0`,
		},
		"nothing came": {`out, record 1 is missing (line 16)`},
		"raw": {
			`out, record 1 differs (line 19): key null, value {"l":[1,2],"n":1,"s":"x"}, timestamp 0`,
			`  raw_key: want "", got null`,
			`  raw_value: want "x", got "{\"l\":[1,2],\"n\":1,\"s\":\"x\"}"`,
		},
		"record fails": {`processing of in-0@0 in filter-4: p.yaml:4:13: the expression gave a string, true or false is needed`},
		"passes":       nil,
	}, got)
	require.Equal(t, 8, results[0].Line)
}

func TestHandlersDecideInTests(t *testing.T) {
	f := pipeline.Parse("p.yaml", []byte(`
config:
  application.id: a
  bootstrap.servers: h:1
  deserialization.exception.handler: continue
  processing.exception.handler: dlq
  production.exception.handler: dlq
  errors.dead.letter.queue.topic.name: dead
topology:
  - from: {topic: in, timestamp: value.t}
  - filter: value.n > 0
  - to: {topic: out, value: json, partition: value.p}
  - map: value.s
  - to: {topic: text, value: string}
tests:
  - name: each by its stage
    in:
      - {raw_value: "{"}
      - {value: {t: 1, n: x}}
      - {value: {t: 2, n: 1, p: 0, s: 5}, headers: {own: kept}}
      - {value: {t: 3, n: 1, p: 0, s: fine}}
    out:
      - {topic: dead, value: {t: 1, n: x}, timestamp: 0, headers: {__streams.errors.topic: in, __streams.errors.partition: "0", __streams.errors.offset: "1"}}
      - {topic: dead, value: {t: 2, n: 1, p: 0, s: 5}, headers: {own: kept, __streams.errors.offset: "2"}}
      - {topic: out, timestamp: 3}
      - {topic: text, value: fine}
`), pipeline.Options{})
	require.Empty(t, f.Lint())
	results, err := f.RunTests(t.Context())
	require.NoError(t, err)
	require.Empty(t, results[0].Failures)
}

func TestRunTestsEndsWithItsContext(t *testing.T) {
	f := parse(t, "topology: [{from: in}, {to: out}]\ntests: [{name: t, in: [], out: []}]\n", pipeline.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.RunTests(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// The excerpt of a problem must not show what the problem does not quote.
func TestSecretsAreNotShown(t *testing.T) {
	for _, config := range []string{
		"sasl.password: s3cr3t", "sasl.pasword: s3cr3t", "producer.sasl.password: s3cr3t", "sasl.password: s3cr3t\n  sasl.password: s3cr3t", "sasl.password: [s3cr3t]",
		"sasl.jaas.config: |\n    org.x required\n    password=\"s3cr3t\";", "ssl.key.password: s3cr3t", "unknown.key: s3cr3t", "sasl.password: ${P:s3cr3t}", "sasl.password: {x: s3cr3t}",
		"schema.registry.url: ann:s3cr3t@r", "basic.auth.user.info: s3cr3t", "basic.auth.user.inof: ann:s3cr3t", "schema.registry.basic.auth.user.info: s3cr3t", "bearer.auth.token: s3cr3t",
	} {
		for _, file := range []string{"config:\n  " + config + "\ntopology: [{from: a}, {to: b}]\n"} {
			f := pipeline.Parse("p.yaml", []byte(file), pipeline.Options{Lookup: lookup(nil)})
			problems := f.Lint()
			require.NotEmpty(t, problems, config)
			for _, format := range []string{"text", "json", "github"} {
				out, err := problems.Format(format)
				require.NoError(t, err)
				require.NotContains(t, out, "s3cr3t", config)
			}
			_, ps, err := f.Settings(nil)
			text, _ := ps.Format("text")
			require.NotContains(t, text, "s3cr3t")
			require.Error(t, err)
			require.NotContains(t, err.Error(), "s3cr3t")
		}
	}
}

func TestTopologyThatFeedsItselfEnds(t *testing.T) {
	f := parse(t, `topology: [{from: a}, {filter: "true"}, {to: a}]
tests: [{name: t, in: [{value: 1}], out: []}]
`, pipeline.Options{})
	results, err := f.RunTests(t.Context())
	require.NoError(t, err)
	require.Contains(t, results[0].Failures[0], "feeds itself")
}
