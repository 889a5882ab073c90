package pipeline_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/settings"
)

func TestSettings(t *testing.T) {
	f := pipeline.Parse("p.yaml", []byte(`
config:
  application.id: ${APP:payments}
  bootstrap.servers: ${BROKERS}
  commit.interval.ms: 250
topology: [{from: a}, {to: b}]
`), pipeline.Options{Lookup: lookup(nil)})
	_, problems, err := f.Settings(nil)
	require.ErrorContains(t, err, "p.yaml:4:22: environment variable BROKERS is not set")
	require.NotEmpty(t, problems)

	s, problems, err := f.Settings(map[string]string{"bootstrap.servers": "h:1", "processing.guarantee": "at_least_once"})
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, "payments", s.ApplicationID)
	require.Equal(t, settings.AtLeastOnce, s.Guarantee)
	require.Equal(t, int64(250), s.Commit.Interval.Milliseconds())
	require.Equal(t, map[string]string{"application.id": "payments", "bootstrap.servers": "", "commit.interval.ms": "250"}, f.Config(nil))

	_, _, err = f.Settings(map[string]string{"bootstrap.servers": "h:1", "comit.interval.ms": "1"})
	require.ErrorContains(t, err, `p.yaml: comit.interval.ms: unknown key; did you mean "commit.interval.ms"?`)
}

// A variable of the topology is needed to build it, one of the config is not.
func TestBuildNeedsTheVariablesOfTheTopology(t *testing.T) {
	const text = `{config: {application.id: "${APP}", bootstrap.servers: "h:1"}, topology: [{from: "${IN}"}, {to: b}]}`
	_, err := pipeline.Parse("p.yaml", []byte(text), pipeline.Options{Lookup: lookup(nil)}).Build()
	require.EqualError(t, err, "p.yaml:1:83: environment variable IN is not set; set it, or give it a default: ${IN:default}")
	_, err = pipeline.Parse("p.yaml", []byte(text), pipeline.Options{Lookup: lookup(map[string]string{"IN": "a"})}).Build()
	require.NoError(t, err)
}

func TestLoad(t *testing.T) {
	_, err := pipeline.Load(filepath.Join(t.TempDir(), "no.yaml"), pipeline.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "load pipeline")
}

func TestCRLFAndByteOrderMark(t *testing.T) {
	text := "\ufeff" + string(bytes.ReplaceAll([]byte(broken), []byte("\n"), []byte("\r\n")))
	require.Equal(t,
		pipeline.Parse("p", []byte(broken), pipeline.Options{}).Lint(),
		pipeline.Parse("p", []byte(text), pipeline.Options{}).Lint())
}

func TestEval(t *testing.T) {
	for _, c := range []struct {
		expr, line string
		want       any
	}{
		{`this.amount > 2`, `{"status":"PLACED","amount":3}`, true},
		{`value.id`, `{"id":9007199254740993}`, int64(9007199254740993)},
		{`value == nil`, ``, true}, {`value == nil`, `null`, true}, {`1 + 1`, ``, int64(2)},
	} {
		got, err := pipeline.Eval(c.expr, []byte(c.line))
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	_, err := pipeline.Eval(`1`, []byte(`{`))
	require.ErrorContains(t, err, "decode line")
	_, err = pipeline.Eval(`now()`, nil)
	require.ErrorContains(t, err, "stream_time()")
}

// The schema that editors use accepts what the parser accepts.
func TestSchemaAcceptsTheExamples(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(pipeline.Schema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("pipeline.json", doc))
	schema, err := c.Compile("pipeline.json")
	require.NoError(t, err)
	valid := func(text []byte) error {
		var parsed any
		require.NoError(t, yaml.Unmarshal(text, &parsed))
		js, err := json.Marshal(parsed)
		require.NoError(t, err)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(js))
		require.NoError(t, err)
		return schema.Validate(v)
	}
	files, err := filepath.Glob("../../examples/pipelines/*.yaml")
	require.NoError(t, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, valid(text), path)
	}
	for text, ok := range map[string]bool{
		"topology: [{from: a}, {peek: }, {to: {topic: b, partition: 1}}]":                                true,
		"topology: [{from: {topic: a, schema: {x: [{y: int}], z: string}}}]":                             true,
		"config: {consumer.max.poll.records: 5, topic.retention.ms: 1}\ntopology: []\nx-anchors: [1, 2]": true,
		"topology: [{fliter: x}]":                      false,
		"topology: [{from: {topci: a}}]":               false,
		"topology: [{from: {topic: a, schema: inn}}]":  false,
		"config: {comit.interval.ms: 5}\ntopology: []": false,
		"config: {}":                                    false,
		"topology: []\ntests: [{name: x}]":              false,
		"topology: []\ndlq: x":                          false,
		"topology: [{repartition: {partitions: 5}}]":    false,
		"topology: [{branch: [{wen: x}]}]":              false,
		"topology: [{from: [a]}]":                       false,
		"topology: [{repartition: {name: x, key: {}}}]": false,
	} {
		require.Equal(t, ok, valid([]byte(text)) == nil, text)
	}
	require.True(t, json.Valid(pipeline.Schema()))
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/lint/*.yaml")
	require.NoError(f, err)
	more, err := filepath.Glob("../../examples/pipelines/*.yaml")
	require.NoError(f, err)
	for _, path := range append(files, more...) {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("&a [*a]"))
	f.Add([]byte("topology: &a [{branch: [{when: x, steps: *a}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := pipeline.Parse("f.yaml", data, pipeline.Options{Lookup: lookup(nil), Peek: new(bytes.Buffer)})
		for _, problem := range p.Lint() {
			if problem.Line > 0 {
				require.Positive(t, problem.Col)
			}
			require.NotEmpty(t, problem.Message)
			_ = problem.Excerpt() // must not panic
		}
		if _, err := p.RunTests(t.Context()); err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}
