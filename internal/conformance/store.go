package conformance

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/statestore"
)

// retention is that of all window stores: nothing is forgotten within a case.
const retention = 3650 * 24 * time.Hour

// dump reads the entries of a store.
type dump func(*eostest.Driver) ([]Entry, error)

var texts = codec.Codec[*string](textCodec{})

// show writes a value as the cases do.
func show(v any) string {
	switch v := v.(type) {
	case *string:
		return *v
	case int64:
		return *number(v)
	default:
		panic("a value that no case has")
	}
}

// entries collects the entries of a store in the order of the cases.
func entries[E any](walk func(func(E, error) bool), entry func(E) Entry) ([]Entry, error) {
	var out []Entry
	for e, err := range walk {
		if err != nil {
			return nil, err
		}
		out = append(out, entry(e))
	}
	slices.SortFunc(out, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return out, nil
}

func newRows[V any](b *builder, name string, values codec.Codec[V]) statestore.TimestampedKV[*string, V] {
	store := statestore.NewTimestampedKV(name, texts, values)
	b.stores[name] = func(d *eostest.Driver) ([]Entry, error) {
		return entries(statestore.TimestampedAll(store.Open(d.Opener(store))), func(e statestore.TimestampedEntry[*string, V]) Entry {
			return Entry{Key: *e.Key, Value: show(e.Value), Ts: e.Timestamp}
		})
	}
	return store
}

func newKV(b *builder, name string) statestore.KV[*string, *string] {
	store := statestore.NewKV(name, texts, texts)
	b.stores[name] = func(d *eostest.Driver) ([]Entry, error) {
		return entries(statestore.All(store.Open(d.Opener(store))), func(e statestore.Entry[*string, *string]) Entry {
			return Entry{Key: *e.Key, Value: *e.Value}
		})
	}
	return store
}

func newWindows[V any](b *builder, name string, values codec.Codec[V], size int64) statestore.Window[*string, V] {
	store := statestore.NewWindow(name, texts, values, statestore.WindowConfig{Size: ms(size), Retention: retention})
	b.stores[name] = func(d *eostest.Driver) ([]Entry, error) {
		return entries(statestore.FetchAll(store.Open(d.Opener(store)), 0, math.MaxInt64), func(e statestore.WindowEntry[*string, V]) Entry {
			return Entry{Key: *e.Key, Start: e.Start, End: e.Start + size, Value: show(e.Value), Ts: e.Timestamp}
		})
	}
	return store
}

func newSessions[V any](b *builder, name string, values codec.Codec[V]) statestore.Session[*string, V] {
	store := statestore.NewSession(name, texts, values, statestore.SessionConfig{Retention: retention})
	b.stores[name] = func(d *eostest.Driver) ([]Entry, error) {
		return entries(statestore.FindAll(store.Open(d.Opener(store)), 0, math.MaxInt64), func(e statestore.SessionEntry[*string, V]) Entry {
			return Entry{Key: *e.Key, Start: e.Start, End: e.End, Value: show(e.Value)}
		})
	}
	return store
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
