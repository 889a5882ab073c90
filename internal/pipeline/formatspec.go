package pipeline

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/yamlfile"
)

// formatSpec is a format as a file names it: "avro", {avro: subject}, or
// {avro: {subject: …, schema: …, message: …}}. The text is the format's name.
type formatSpec struct {
	text
	schemaPlace
	detailed bool
}

// schemaPlace says which schema of a registry is meant.
type schemaPlace struct {
	Subject text `yaml:"subject" jsonschema_description:"Subject of the schema; by default <topic>-key or <topic>-value."`
	Schema  text `yaml:"schema" jsonschema_description:"File with the schema to write with, and for Avro to read into; by default the subject's latest, and each record's own."`
	Message text `yaml:"message" jsonschema_description:"Full name of the Protobuf message to write; by default the schema's first."`
}

// UnmarshalNode reads one of the forms.
func (f *formatSpec) UnmarshalNode(d *yamlfile.Decoder, n node) {
	if d.Kind(n) != yamlfile.Map {
		d.Decode(n, &f.text)
		return
	}
	count := 0
	d.Entries(n, func(key text, value node) {
		count++
		f.text, f.detailed = key, true
		if !d.Scalar(value, &f.Subject) {
			d.Struct(value, &f.schemaPlace)
		}
	})
	if count != 1 {
		d.Fail(n, "one format is needed here", "for example {avro: orders-value}")
	}
}

// maxSchemaBytes bounds the schema files, so that a wrong path fails at once.
const maxSchemaBytes = 1 << 20

// readSchema reads a schema file, whose path is relative to the pipeline.
func (f *File) readSchema(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(f.name), path)
	}
	// Opening a pipe would wait for its writer, and lint reads files of others.
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read schema: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("read schema: %s is no file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read schema: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxSchemaBytes+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("read schema: %w", err)
	}
	if len(data) > maxSchemaBytes || strings.TrimSpace(string(data)) == "" {
		return "", fmt.Errorf("read schema: %s is empty, or larger than %d bytes", path, maxSchemaBytes)
	}
	return string(data), nil
}

// formatSchema describes the forms for editors.
func formatSchema() *jsonschema.Schema {
	place := jsonschema.NewProperties()
	t := reflect.TypeFor[schemaPlace]()
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		place.Set(tag.Get("yaml"), &jsonschema.Schema{Type: "string", Description: tag.Get("jsonschema_description")})
	}
	names, detailed := jsonschema.NewProperties(), &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "string", Description: "Subject of the schema."},
		{Type: "object", Properties: place, AdditionalProperties: jsonschema.FalseSchema},
	}}
	examples := make([]any, 0, len(datum.Names())+len(registryFormats))
	for _, name := range append(datum.Names(), registryFormats...) {
		examples = append(examples, name)
	}
	for _, name := range registryFormats {
		names.Set(name, detailed)
	}
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "string", Examples: examples},
		{Type: "object", Properties: names, AdditionalProperties: jsonschema.FalseSchema, MinProperties: one(), MaxProperties: one()},
	}}
}
