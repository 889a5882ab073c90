package pipeline

import (
	"fmt"
	"strings"

	"github.com/eosproc/eosproc/internal/pipeline/expression"
	"github.com/eosproc/eosproc/internal/pipeline/suggest"
	"github.com/eosproc/eosproc/internal/pipeline/yamlfile"
)

// schema is the declared type of a value: the name of a type, a mapping of fields
// to types, or a list with the type of its elements.
type schema struct {
	Type expression.Type
	Set  bool
}

// UnmarshalNode reads the type.
func (s *schema) UnmarshalNode(d *yamlfile.Decoder, n node) {
	s.Set = true
	switch d.Kind(n) {
	case yamlfile.Map:
		fields := map[string]expression.Type{}
		d.Entries(n, func(key text, value node) {
			var field schema
			d.Decode(value, &field)
			fields[key.Value] = field.Type
		})
		s.Type = expression.MapOf(fields)
	case yamlfile.List:
		var elements []schema
		d.Decode(n, &elements)
		if len(elements) != 1 {
			d.Fail(n, "a list's type has one element: the type of its elements", "for example [string]")
			return
		}
		s.Type = expression.ListOf(elements[0].Type)
	default:
		var name text
		if !d.Scalar(n, &name) {
			d.Fail(n, "the name of a type is needed here", "known are "+strings.Join(expression.TypeNames, ", "))
			return
		}
		t, ok := expression.TypeOf(name.Value)
		if !ok {
			hint := suggest.Hint(name.Value, expression.TypeNames)
			if hint == "" {
				hint = "known are " + strings.Join(expression.TypeNames, ", ")
			}
			d.Fail(n, fmt.Sprintf("unknown type %q", name.Value), hint)
		}
		s.Type = t
	}
}
