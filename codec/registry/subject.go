package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/sr"
)

const latestVersion = -1

// resolve finds the schema that a codec writes with: its id and full form. With
// DecodeOnly it returns only what was given, and id 0.
func resolve(ctx context.Context, client *sr.Client, subject string, kind sr.SchemaType, o options) (id int, s sr.Schema, err error) {
	given := sr.Schema{Schema: o.schema, Type: kind, References: o.references}
	switch {
	case client == nil:
		return 0, s, errors.New("schema registry client is missing")
	case o.decodeOnly:
		return 0, given, nil
	case subject == "":
		return 0, s, errors.New("subject is missing")
	case o.register && o.schema == "":
		return 0, s, fmt.Errorf("register subject %q: %w: none was given", subject, ErrSchema)
	case o.register:
		if id, err = client.RegisterSchema(ctx, subject, given, -1, -1); err != nil {
			return 0, s, fmt.Errorf("register subject %q: %w", subject, registryError(err))
		}
		return id, given, nil
	case o.schema != "":
		found, err := client.LookupSchema(ctx, subject, given)
		if err != nil {
			return 0, s, fmt.Errorf("look up the given schema in subject %q: %w", subject, registryError(err))
		}
		return found.ID, given, nil
	}
	latest, err := client.SchemaByVersion(ctx, subject, latestVersion)
	if err != nil {
		return 0, s, fmt.Errorf("look up subject %q: %w", subject, registryError(err))
	}
	if err := checkKind(latest.Schema, kind); err != nil {
		return 0, s, fmt.Errorf("look up subject %q: %w", subject, err)
	}
	return latest.ID, latest.Schema, nil
}

func checkKind(s sr.Schema, want sr.SchemaType) error {
	if s.Type != want {
		return fmt.Errorf("%w: it is %s, not %s", ErrSchema, s.Type, want)
	}
	return nil
}

// reference is a schema under the name by which another one refers to it.
type reference struct {
	name string
	sr.Schema
}

// references fetches all schemas that s refers to, directly or not, each after
// those it needs itself.
func references(ctx context.Context, client *sr.Client, s sr.Schema) ([]reference, error) {
	var out []reference
	seen := make(map[sr.SchemaReference]bool)
	var visit func(s sr.Schema) error
	visit = func(s sr.Schema) error {
		for _, r := range s.References {
			if seen[r] {
				continue
			}
			seen[r] = true
			found, err := client.SchemaByVersion(ctx, r.Subject, r.Version)
			if err != nil {
				return fmt.Errorf("fetch reference %q (subject %q version %d): %w", r.Name, r.Subject, r.Version, registryError(err))
			}
			if err := visit(found.Schema); err != nil {
				return err
			}
			out = append(out, reference{name: r.Name, Schema: found.Schema})
		}
		return nil
	}
	return out, visit(s)
}
