package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/pipeline/datum"
	"github.com/eosproc/eosproc/internal/pipeline/suggest"
)

// registryFormats are those whose records refer to a schema in a registry.
var registryFormats = []string{"avro", "json_schema", "protobuf"}

var errNoRegistry = errors.New("there is no schema registry")

// format finds a format by the name given, or takes that of the default. A format
// of a registry is another one for every topic and part ("key" or "value"): its
// schema is that of the subject "topic-part".
func (c *compiler) format(t text, byDefault *datum.Format, topic, part string) *datum.Format {
	name := t.Value
	if !t.Set() {
		if byDefault == nil {
			return nil
		}
		name = byDefault.Name
	}
	if f, ok := datum.Builtin(name); ok {
		return f
	}
	if slices.Contains(registryFormats, name) {
		return c.registered(t, name, topic, part)
	}
	known := append(datum.Names(), registryFormats...)
	hint := suggest.Hint(name, known)
	if hint == "" {
		hint = "known are " + strings.Join(known, ", ")
	}
	c.report(t.Error(fmt.Sprintf("unknown format %q", name), hint))
	return datum.JSON
}

func (c *compiler) registered(t text, name, topic, part string) *datum.Format {
	if topic == "" {
		c.report(t.Error(fmt.Sprintf("the format %s needs one topic, whose name names the schema", name), "name the topic, or another format"))
		return datum.JSON
	}
	subject := topic + "-" + part
	if f, ok := c.registry[name+"/"+subject]; ok {
		return f
	}
	var made codec.Codec[any] = unregistered{}
	if c.file.options.Registry != nil {
		var err error
		if made, err = c.file.options.Registry(name, subject); err != nil {
			c.report(t.Error(fmt.Sprintf("the schema of %s: %v", subject, err), ""))
			made = unregistered{}
		}
	}
	f := datum.Custom(name, made)
	c.registry[name+"/"+subject] = f
	return f
}

// unregistered stands in for a format of a registry where there is none.
type unregistered struct{}

func (unregistered) Append(dst []byte, _ any) ([]byte, error) { return dst, errNoRegistry }
func (unregistered) Decode([]byte) (any, error)               { return nil, errNoRegistry }
