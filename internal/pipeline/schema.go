package pipeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/eosproc/eosproc/internal/pipeline/expression"
	"github.com/eosproc/eosproc/internal/pipeline/yamlfile"
	"github.com/eosproc/eosproc/internal/settings"
)

// variableText lets ${NAME} stand where something else than text is expected.
const variableText = `\$\{[A-Za-z_][A-Za-z0-9_.]*(:[^}]*)?\}`

// Schema returns the JSON Schema of pipeline files, for editors. It is made of the
// structs that files are read into and of the table of settings, so that it
// cannot lag behind.
func Schema() []byte {
	r := jsonschema.Reflector{
		FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, Mapper: mapType,
		Namer: func(t reflect.Type) string {
			return strings.Map(func(c rune) rune {
				if c == '[' || c == ']' || c == '.' || c == '/' {
					return '_'
				}
				return c
			}, t.Name())
		},
	}
	s := r.Reflect(document{})
	s.ID = "https://github.com/eosproc/eosproc/pipeline.schema.json"
	s.Title = "eosproc pipeline"
	for _, t := range []reflect.Type{
		reflect.TypeFor[document](), reflect.TypeFor[step](), reflect.TypeFor[from](), reflect.TypeFor[mapStep](), reflect.TypeFor[branch](),
		reflect.TypeFor[repartition](), reflect.TypeFor[to](), reflect.TypeFor[test](), reflect.TypeFor[testInput](), reflect.TypeFor[testOutput](),
	} {
		s.Definitions[t.Name()].Required = requiredFields(t)
	}
	// These may be written as one scalar.
	for name, what := range map[string]string{"from": "the topic", "mapStep": "expression for the value", "repartition": "the name", "to": "the topic"} {
		fields := s.Definitions[name]
		s.Definitions[name+"Fields"] = fields
		s.Definitions[name] = &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Type: "string", Description: what}, {Ref: "#/$defs/" + name + "Fields"},
		}}
	}
	doc := s.Definitions["document"]
	doc.Properties.Set("config", configSchema())
	doc.PatternProperties = map[string]*jsonschema.Schema{"^x-": {Description: "A place for anchors."}}
	types := make([]any, 0, len(expression.TypeNames))
	for _, name := range expression.TypeNames {
		types = append(types, name)
	}
	s.Definitions["type"] = &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "string", Enum: types},
		{Type: "object", AdditionalProperties: &jsonschema.Schema{Ref: "#/$defs/type"}},
		{Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/type"}, MinItems: one(), MaxItems: one()},
	}}
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("pipeline: %v", err)) // a fault of this program, found by any test
	}
	return append(out, '\n')
}

func one() *uint64 { n := uint64(1); return &n }

func mapType(t reflect.Type) *jsonschema.Schema {
	scalar := func() *jsonschema.Schema {
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}}}
	}
	switch t {
	case reflect.TypeFor[text]():
		return scalar()
	case reflect.TypeFor[formatSpec]():
		return formatSchema()
	case reflect.TypeFor[peek]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, {Type: "null"}}}
	case reflect.TypeFor[yamlfile.Int]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer"}, {Type: "string", Pattern: "^" + variableText + "$"}}}
	case reflect.TypeFor[yamlfile.Value]():
		return &jsonschema.Schema{}
	case reflect.TypeFor[schema]():
		return &jsonschema.Schema{Ref: "#/$defs/type"}
	case reflect.TypeFor[yamlfile.Mapping[text]]():
		return &jsonschema.Schema{Type: "object", AdditionalProperties: scalar()}
	case reflect.TypeFor[yamlfile.Mapping[yamlfile.Value]]():
		return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{}}
	}
	return nil
}

func requiredFields(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		if name, option, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); option == "required" {
			out = append(out, name)
		}
	}
	return out
}

// configSchema describes the keys. Their values are left to lint: it knows what
// depends on what.
func configSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Description: "Configuration, by the keys of Kafka Streams and of its clients. Secrets: file:/path.",
		Properties: jsonschema.NewProperties(), PatternProperties: map[string]*jsonschema.Schema{},
		AdditionalProperties: jsonschema.FalseSchema,
	}
	prefixes := map[string]bool{"topic.": true, "client.tag.": true}
	for _, k := range settings.Keys() {
		p := &jsonschema.Schema{Description: k.Doc, OneOf: mapType(reflect.TypeFor[text]()).OneOf}
		if k.Default != "" {
			p.Default = k.Default
		}
		if k.DefaultNote != "" {
			p.Description += " Default: " + k.DefaultNote + "."
		}
		for _, v := range k.Values {
			p.Examples = append(p.Examples, v)
		}
		p.Deprecated = k.Support == settings.Refused
		s.Properties.Set(k.Name, p)
		for _, prefix := range k.Prefixes {
			prefixes[prefix] = true
		}
	}
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		s.PatternProperties["^"+regexp.QuoteMeta(prefix)] = &jsonschema.Schema{OneOf: mapType(reflect.TypeFor[text]()).OneOf}
	}
	return s
}
