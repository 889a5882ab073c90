package registry

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
	"golang.org/x/sync/singleflight"

	"github.com/eosproc/eosproc/codec"
)

// schemas caches the compiled form of schemas by id. It is unbounded, since ids
// come from a registry's finite set; an id that is not there leaves nothing.
type schemas[S any] struct {
	client  *sr.Client
	kind    sr.SchemaType
	timeout time.Duration
	compile func(s sr.Schema, refs []reference) (S, error)

	byID   sync.Map // int → compiled[S]
	flight singleflight.Group
}

type compiled[S any] struct {
	schema S
	err    error // a schema that does not compile never will
}

// get returns the compiled schema of an id, fetching it if it is not cached.
func (c *schemas[S]) get(id int) (S, error) {
	if v, ok := c.byID.Load(id); ok {
		e := v.(compiled[S])
		return e.schema, e.err
	}
	v, err, _ := c.flight.Do(strconv.Itoa(id), func() (any, error) {
		// Decode has no context: the caller's shutdown waits for one fetch at
		// most, which the timeout bounds.
		ctx, cancel := context.WithTimeout(context.Background(), c.timeout)
		defer cancel()
		s, err := c.fetch(ctx, id)
		if err == nil || permanent(err) {
			c.byID.Store(id, compiled[S]{s, err})
		}
		return s, err
	})
	s, _ := v.(S) // the zero value if S is an interface and the fetch failed
	return s, err
}

func (c *schemas[S]) fetch(ctx context.Context, id int) (S, error) {
	var none S
	raw, err := c.client.SchemaByID(ctx, id)
	if err != nil {
		return none, fetchError(id, registryError(err))
	}
	if err := checkKind(raw, c.kind); err != nil {
		return none, fetchError(id, err)
	}
	s, err := c.build(ctx, raw)
	if err != nil {
		return none, fetchError(id, err)
	}
	return s, nil
}

// build compiles a schema together with what it refers to.
func (c *schemas[S]) build(ctx context.Context, raw sr.Schema) (S, error) {
	var none S
	refs, err := references(ctx, c.client, raw)
	if err != nil {
		return none, err
	}
	s, err := c.compile(raw, refs)
	if err != nil {
		return none, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return s, nil
}

// fetchError marks an error as the record's fault unless the registry was away.
func fetchError(id int, err error) error {
	if isUnavailable(err) {
		return fmt.Errorf("fetch schema %d: %w", id, err)
	}
	return fmt.Errorf("%w: fetch schema %d: %w", codec.ErrMalformed, id, err)
}
