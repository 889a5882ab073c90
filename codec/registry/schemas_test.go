package registry

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/eosproc/eosproc/codec"
)

const userV1 = `{"type":"record","name":"User","fields":[{"name":"name","type":"string"}]}`

type user struct {
	Name string `avro:"name"`
}

func reader(t *testing.T, f *fixture) codec.Codec[user] {
	t.Helper()
	c, err := Avro[user](t.Context(), f.client, "", DecodeOnly())
	require.NoError(t, err)
	return c
}

var amy = "\x06amy"

func TestUnknownIDIsTheRecordsFault(t *testing.T) {
	f := newFixture(t)
	c := reader(t, f)
	_, err := c.Decode(appendHeader(nil, 77))
	require.ErrorIs(t, err, ErrUnknownSchema)
	require.ErrorIs(t, err, codec.ErrMalformed)
	require.NotErrorIs(t, err, codec.ErrUnavailable)
	require.ErrorContains(t, err, "fetch schema 77")

	// It is not remembered: the schema may be registered later.
	f.SeedSchema("users-value", 1, 77, sr.Schema{Schema: userV1})
	u, err := c.Decode(append(appendHeader(nil, 77), amy...))
	require.NoError(t, err)
	require.Equal(t, user{Name: "amy"}, u)
}

func TestRegistryDownThenUp(t *testing.T) {
	f := newFixture(t)
	id := f.seed(t, "users-value", sr.TypeAvro, userV1)
	c := reader(t, f)
	record := append(appendHeader(nil, id), amy...)

	f.down.Store(true)
	for range 2 {
		_, err := c.Decode(record)
		require.ErrorIs(t, err, codec.ErrUnavailable)
		require.NotErrorIs(t, err, codec.ErrMalformed, "a good record must not be condemned")
	}
	_, err := Avro[user](t.Context(), f.client, "users-value")
	require.ErrorIs(t, err, codec.ErrUnavailable)

	f.down.Store(false)
	u, err := c.Decode(record)
	require.NoError(t, err)
	require.Equal(t, "amy", u.Name)

	f.down.Store(true)
	u, err = c.Decode(record)
	require.NoError(t, err, "a cached schema needs no registry")
	require.Equal(t, "amy", u.Name)
}

// A 404 that is not the registry's own, such as a proxy's, says nothing about
// the record.
func TestForeignNotFoundIsUnavailable(t *testing.T) {
	f := newFixture(t)
	f.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		http.NotFound(w, r)
		return true
	})
	_, err := reader(t, f).Decode(appendHeader(nil, 1))
	require.ErrorIs(t, err, codec.ErrUnavailable)
	require.NotErrorIs(t, err, codec.ErrMalformed)
}

func TestSchemaIsFetchedOnce(t *testing.T) {
	f := newFixture(t)
	id := f.seed(t, "users-value", sr.TypeAvro, userV1)
	c := reader(t, f)
	record := append(appendHeader(nil, id), amy...)

	// Hold the first fetch until all others have had the chance to join it.
	const readers = 16
	release := make(chan struct{})
	f.Intercept(func(http.ResponseWriter, *http.Request) bool { <-release; return false })
	var started, done sync.WaitGroup
	for range readers {
		started.Add(1)
		done.Go(func() {
			started.Done()
			if u, err := c.Decode(record); err != nil || u.Name != "amy" {
				t.Errorf("got %v, %v", u, err)
			}
		})
	}
	started.Wait()
	close(release)
	done.Wait()
	require.EqualValues(t, 1, f.fetches.Load())
}

func TestFetchTimesOut(t *testing.T) {
	f := newFixture(t)
	release := make(chan struct{})
	f.Intercept(func(w http.ResponseWriter, r *http.Request) bool { <-release; return false })
	t.Cleanup(func() { close(release) })
	c, err := Avro[user](t.Context(), f.client, "", DecodeOnly(), Timeout(20*time.Millisecond))
	require.NoError(t, err)
	_, err = c.Decode(appendHeader(nil, 1))
	require.ErrorIs(t, err, codec.ErrUnavailable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestSchemaOfAnotherKind(t *testing.T) {
	f := newFixture(t)
	id := f.seed(t, "docs-value", sr.TypeJSON, `{"type":"object"}`)
	c := reader(t, f)
	for range 3 {
		_, err := c.Decode(appendHeader(nil, id))
		require.ErrorIs(t, err, ErrSchema)
		require.ErrorIs(t, err, codec.ErrMalformed)
		require.ErrorContains(t, err, "it is JSON, not AVRO")
	}
	require.EqualValues(t, 1, f.fetches.Load(), "what an id names never changes")
	_, err := Avro[user](t.Context(), f.client, "docs-value")
	require.ErrorIs(t, err, ErrSchema)
}

func TestConstructorFindsItsSchema(t *testing.T) {
	f := newFixture(t)
	_, err := Avro[user](t.Context(), f.client, "users-value")
	require.ErrorIs(t, err, ErrUnknownSchema)
	require.NotErrorIs(t, err, codec.ErrMalformed, "no record is at fault")
	_, err = Avro[user](t.Context(), f.client, "users-value", Schema(userV1))
	require.ErrorIs(t, err, ErrUnknownSchema)
	require.False(t, f.SubjectExists("users-value"), "nothing is registered unless asked")
	_, err = Avro[user](t.Context(), f.client, "users-value", Register())
	require.ErrorIs(t, err, ErrSchema)
	_, err = Avro[user](t.Context(), f.client, "")
	require.ErrorContains(t, err, "subject is missing")
	_, err = Avro[user](t.Context(), nil, "users-value")
	require.ErrorContains(t, err, "client is missing")

	c, err := Avro[user](t.Context(), f.client, "users-value", Schema(userV1), Register())
	require.NoError(t, err)
	b, err := c.Append(nil, user{"amy"})
	require.NoError(t, err)
	// Once it is there, all ways lead to the same id.
	for _, opts := range [][]Option{nil, {Schema(userV1)}, {Schema(userV1), Register()}} {
		same, err := Avro[user](t.Context(), f.client, "users-value", opts...)
		require.NoError(t, err)
		again, err := same.Append(nil, user{"amy"})
		require.NoError(t, err)
		require.Equal(t, b, again)
	}
	_, err = reader(t, f).Append(nil, user{})
	require.ErrorIs(t, err, ErrDecodeOnly)
}
