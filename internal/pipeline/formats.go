package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/suggest"
	"github.com/eosproc/eosproc/internal/pipeline/yamlfile"
)

// registryFormats are those whose records refer to a schema in a registry.
var registryFormats = []string{"avro", "json_schema", "protobuf"}

var errNoRegistry = errors.New("there is no schema registry")

// RegistryFormat is a format whose schema lies in a schema registry, as a pipeline
// uses it for the keys or the values of a topic.
type RegistryFormat struct {
	// Name is "avro", "json_schema" or "protobuf".
	Name string
	// Subject is where the schema to write with is found: by default the topic with
	// "-key" or "-value" behind it.
	Subject string
	// Schema is the text of the schema to write with, and for Avro to read into,
	// from the file that the pipeline names. "" means to write with the subject's
	// latest, and to read with each record's own.
	Schema string
	// Message is the Protobuf message to write; "" means the schema's first.
	Message string
	// Written is false if records are only read: their own schemas are enough then,
	// and there need not be a subject.
	Written bool
}

// Registry makes the codec of a format.
type Registry func(RegistryFormat) (codec.Codec[any], error)

// standIn takes the place of every registry where nothing may be asked: lint, and
// tests, whose values are given as YAML. JSON holds whatever YAML does.
func standIn(RegistryFormat) (codec.Codec[any], error) { return codec.JSON[any](), nil }

// noRegistry serves those who want the topology only for looking at it.
func noRegistry(RegistryFormat) (codec.Codec[any], error) { return unregistered{}, nil }

// unregistered stands in for a format of a registry where there is none.
type unregistered struct{}

func (unregistered) Append(dst []byte, _ any) ([]byte, error) { return dst, errNoRegistry }
func (unregistered) Decode([]byte) (any, error)               { return nil, errNoRegistry }

// registered is a format of a registry. Whether it is written is known only when
// all steps have been compiled, so its codec comes later than the topology.
type registered struct {
	codec.Codec[any]
	RegistryFormat
	format *datum.Format
	at     text
	// place is where to report; at is not set when a step takes the format over
	// from the step before.
	place yamlfile.Pos
}

// format finds a format by the name given, or takes that of the default. A format
// of a registry is another one for every subject, which topic and part ("key" or
// "value") name unless the pipeline does.
func (c *compiler) format(given formatSpec, byDefault *datum.Format, topic, part string, at yamlfile.Pos) *datum.Format {
	name := given.Value
	if !given.Set() {
		if byDefault == nil {
			return nil
		}
		name = byDefault.Name
	}
	if f, ok := datum.Builtin(name); ok {
		if given.detailed {
			c.report(given.Error(fmt.Sprintf("the format %s has no schema in a registry", name), "write its name alone"))
		}
		return f
	}
	if slices.Contains(registryFormats, name) {
		return c.registered(given, name, topic, part, at)
	}
	known := append(datum.Names(), registryFormats...)
	hint := suggest.Hint(name, known)
	if hint == "" {
		hint = "known are " + strings.Join(known, ", ")
	}
	c.report(given.Error(fmt.Sprintf("unknown format %q", name), hint))
	return datum.JSON
}

func (c *compiler) registered(given formatSpec, name, topic, part string, at yamlfile.Pos) *datum.Format {
	r := &registered{RegistryFormat: RegistryFormat{Name: name, Subject: given.Subject.Value, Message: given.Message.Value}, at: given.text, place: at}
	if r.Subject == "" {
		if topic == "" {
			c.report(c.about(r, fmt.Sprintf("the format %s needs one topic, whose name names the schema", name),
				fmt.Sprintf("name the schema's subject, {%s: subject}, or another format", name)))
			return datum.JSON
		}
		r.Subject = topic + "-" + part
	}
	if given.Message.Set() && name != "protobuf" {
		c.report(given.Message.Error("only protobuf has messages", ""))
	}
	if given.Schema.Set() {
		text, err := c.file.readSchema(given.Schema.Value)
		if err != nil {
			c.report(given.Schema.Error(err.Error(), "the path is relative to the pipeline"))
		}
		r.Schema = text
	}
	for _, other := range c.registry {
		if other.RegistryFormat == r.RegistryFormat {
			return other.format
		}
	}
	r.format = datum.Custom(name, r)
	c.registry = append(c.registry, r)
	return r.format
}

func (c *compiler) about(r *registered, message, hint string) Problem {
	if r.at.Set() {
		return r.at.Error(message, hint)
	}
	return c.file.source.Problem(r.place, 1, Error, message, hint)
}

// writes notes that a step writes in these formats.
func (c *compiler) writes(formats ...*datum.Format) { c.written = append(c.written, formats...) }

// connect gives the formats of a registry their codecs.
func (c *compiler) connect(connect Registry) {
	for _, r := range c.registry {
		r.Written = slices.Contains(c.written, r.format)
		var err error
		if r.Codec, err = connect(r.RegistryFormat); err != nil {
			c.report(c.about(r, fmt.Sprintf("the schema of %s: %v", r.Subject, err), ""))
			r.Codec = unregistered{}
		}
	}
}

// RegistryFormats returns the formats of a schema registry that the pipeline uses,
// in the order of the file; nil if it needs no registry.
func (f *File) RegistryFormats() []RegistryFormat {
	var out []RegistryFormat
	for _, r := range f.compile(standIn).registry {
		out = append(out, r.RegistryFormat)
	}
	return out
}

// WithRegistry returns the same file with another [Options.Registry]: which one it
// needs may stand in the file itself.
func (f *File) WithRegistry(r Registry) *File {
	g := *f
	g.options.Registry = r
	return &g
}

// registryURL is the key that says where the schema registry is.
const registryURL = "schema.registry.url"

// lintRegistry reports formats of a registry in a configuration without one.
func (f *File) lintRegistry(c *compiler, overrides map[string]string) Problems {
	if _, given := overrides[registryURL]; given || len(c.registry) == 0 {
		return nil
	}
	for _, e := range f.doc.Config {
		if e.Key.Value == registryURL {
			return nil // that it is wrong, or lacks a variable, is said elsewhere
		}
	}
	return Problems{c.about(c.registry[0], fmt.Sprintf("%s: must be set: the schemas of %s lie in a schema registry", registryURL, c.registry[0].Name),
		"put it under config, such as http://localhost:8081")}
}
