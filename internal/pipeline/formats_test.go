package pipeline_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/pipeline"
)

const registryHead = "config: {application.id: a, bootstrap.servers: \"h:1\", schema.registry.url: \"http://h:1\"}\n"

func TestFormatsOfARegistry(t *testing.T) {
	const text = registryHead + `topology:
  - from: {topic: in, value: avro}
  - filter: value.keep
  - to: out
  - to: {topic: js, value: json}
tests: [{name: t, in: [{value: {keep: true}}], out: [{topic: out, value: {keep: true}}, {topic: js, raw_value: '{"keep":true}'}]}]
`
	var asked []pipeline.RegistryFormat
	f := pipeline.Parse("p.yaml", []byte(text), pipeline.Options{Registry: func(f pipeline.RegistryFormat) (codec.Codec[any], error) {
		asked = append(asked, f)
		return codec.JSON[any](), nil
	}})
	require.Empty(t, f.Lint())
	results, err := f.RunTests(t.Context())
	require.NoError(t, err)
	require.Empty(t, results[0].Failures)
	require.Empty(t, asked, "lint and test need no registry")
	want := []pipeline.RegistryFormat{{Name: "avro", Subject: "in-value"}, {Name: "avro", Subject: "out-value", Written: true}}
	require.Equal(t, want, f.RegistryFormats())
	_, err = f.Build()
	require.NoError(t, err)
	require.Equal(t, want, asked)

	_, err = f.WithRegistry(func(pipeline.RegistryFormat) (codec.Codec[any], error) { return nil, errors.New("no such subject") }).Build()
	require.ErrorContains(t, err, "p.yaml:3:30: the schema of in-value: no such subject")
	require.ErrorContains(t, err, "p.yaml:5:9: the schema of out-value: no such subject")
}

func TestSchemasAreNamedInTheFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "out.proto"), []byte("syntax = \"proto3\";"), 0o600))
	f := pipeline.Parse(filepath.Join(dir, "p.yaml"), []byte(registryHead+`topology:
  - from: {topic: in, key: {avro: ids}, value: {json_schema: {subject: docs}}}
  - repartition: again
  - to: {topic: out, key: {avro: ids}, value: {protobuf: {schema: out.proto, message: a.B}}}
  - to: {topic_expr: key, value: {protobuf: {subject: s}}, key: {avro: ids}}
`), pipeline.Options{})
	require.Empty(t, f.Lint())
	require.Equal(t, []pipeline.RegistryFormat{
		{Name: "avro", Subject: "ids", Written: true},
		{Name: "json_schema", Subject: "docs", Written: true}, // by the repartition
		{Name: "protobuf", Subject: "out-value", Schema: "syntax = \"proto3\";", Message: "a.B", Written: true},
		{Name: "protobuf", Subject: "s", Written: true},
	}, f.RegistryFormats())
	require.True(t, f.WithRegistry(nil).RegistryFormats()[0].Written)
}

func TestFaultsOfRegistryFormats(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600))
	for steps, want := range map[string]string{
		"[{from: {pattern: 'a.*', value: avro}}, {to: {topic: out, value: json}}]":      "the format avro needs one topic, whose name names the schema; name the schema's subject, {avro: subject}, or another format",
		"[{from: {topic: a, value: avro}}, {to: {topic_expr: key}}]":                    "the format avro needs one topic",
		"[{from: a}, {to: {topic: b, value: {json: x}}}]":                               "the format json has no schema in a registry",
		"[{from: a}, {to: {topic: b, value: {avro: x, json: y}}}]":                      "one format is needed here",
		"[{from: a}, {to: {topic: b, value: {avor: x}}}]":                               `unknown format "avor"; did you mean "avro"?`,
		"[{from: a}, {to: {topic: b, value: {avro: {subjct: x}}}}]":                     `unknown field "subjct"; did you mean "subject"?`,
		"[{from: a}, {to: {topic: b, value: {avro: {message: x}}}}]":                    "only protobuf has messages",
		"[{from: a}, {to: {topic: b, value: {avro: {schema: none.avsc}}}}]":             "no such file",
		"[{from: a}, {to: {topic: b, value: {avro: {schema: .}}}}]":                     "is no file",
		"[{from: a}, {to: {topic: b, value: {avro: {schema: empty}}}}]":                 "is empty",
		"[{from: a}, {to: {topic: b, value: [avro]}}]":                                  "text is needed here, found a list",
		"[{from: {topic: a, value: avro}}, {map: value.x}, {key: 5}, {to: {topic: b}}]": "the key is an int, which the format string cannot hold",
	} {
		f := pipeline.Parse(filepath.Join(dir, "p.yaml"), []byte(registryHead+"topology: "+steps+"\n"), pipeline.Options{
			Registry: func(pipeline.RegistryFormat) (codec.Codec[any], error) {
				t.Error("a file with errors asked the registry")
				return codec.JSON[any](), nil
			},
		})
		require.ErrorContains(t, f.Lint().Err(), want, steps)
		_, err := f.Build()
		require.ErrorContains(t, err, want, steps)
	}
}

func TestMissingRegistryIsSaid(t *testing.T) {
	const text = "topology:\n  - from: {topic: in, value: avro}\n  - to: out\n"
	const want = "p.yaml:3:30: schema.registry.url: must be set: the schemas of avro lie in a schema registry; put it under config, such as http://localhost:8081"
	f := pipeline.Parse("p.yaml", []byte("config: {application.id: a, bootstrap.servers: \"h:1\"}\n"+text), pipeline.Options{Lookup: lookup(nil)})
	require.ErrorContains(t, f.Lint().Err(), want)
	_, _, err := f.Settings(nil)
	require.ErrorContains(t, err, want)
	s, problems, err := f.Settings(map[string]string{"schema.registry.url": "http://r:8081"})
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, []string{"http://r:8081"}, s.Registry.URLs)

	open := pipeline.Parse("p.yaml", []byte("config: {application.id: a, bootstrap.servers: \"h:1\", schema.registry.url: \"${NOT_SET}\"}\n"+text), pipeline.Options{Lookup: lookup(nil)})
	require.NoError(t, open.Lint().Err())
	_, _, err = open.Settings(nil)
	require.ErrorContains(t, err, "NOT_SET")

	// Without a registry the topology can be looked at.
	topo, err := f.Build()
	require.NoError(t, err)
	require.Contains(t, topo.Describe(), "in")
}
