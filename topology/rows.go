package topology

import (
	"reflect"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// TableStore are the stores that can keep a table: one with the newest value of
// each key, or one with its versions.
type TableStore[K, V any] interface {
	statestore.TimestampedKV[K, V] | statestore.Versioned[K, V]
	statestore.Spec
}

// rowStore is the declared store of a table, of whichever kind.
type rowStore[K, V any] struct {
	spec  statestore.Spec
	key   codec.Codec[K]
	value codec.Codec[V]
	open  func(*Instance) rows[K, V]
}

// rows are the stored rows of a table within a task.
type rows[K, V any] struct {
	reader[K, V]
	// put sets a row, or deletes it if it is not there. kept is false if the row is
	// older than the store's history, newest if a newer version is there already.
	put func(k K, v V, there bool, ts int64) (kept, newest bool, err error)
}

func keepIn[K, V any, S TableStore[K, V]](store S) rowStore[K, V] {
	out := rowStore[K, V]{spec: store}
	switch s := any(store).(type) {
	case statestore.TimestampedKV[K, V]:
		out.key, out.value = s.Codecs()
		out.open = func(in *Instance) rows[K, V] { return openTimestamped(s.Open(in.env.State)) }
	case statestore.Versioned[K, V]:
		out.key, out.value = s.Codecs()
		out.open = func(in *Instance) rows[K, V] { return openVersioned(s.Open(in.env.State)) }
	}
	return out
}

func openTimestamped[K, V any](h *statestore.TimestampedHandle[K, V]) rows[K, V] {
	return rows[K, V]{
		reader: reader[K, V]{get: h.Get},
		put: func(k K, v V, there bool, ts int64) (kept, newest bool, err error) {
			if there {
				err = h.Put(k, v, ts)
			} else {
				err = h.Delete(k)
			}
			return true, true, err
		},
	}
}

// updateRow stores the new value of a change, unless it is too old, and passes the change on.
func updateRow[K, V any](s rows[K, V], in *Instance, n *node, next sink[K, change[V]], k K, ts int64, h Headers, c change[V]) error {
	kept, newest, err := s.put(k, c.new, c.hasNew, ts)
	if err != nil {
		return in.failure(n, Processing, err)
	}
	if !kept {
		in.dropped(DropExpired)
		return nil
	}
	c.stale = !newest
	return next(Record[K, change[V]]{Key: k, Value: c, Timestamp: ts, Headers: h})
}

// sameCodec reports whether two codecs are certainly one and the same.
func sameCodec(a, b any) bool {
	return a != nil && b != nil && reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

func openVersioned[K, V any](h *statestore.VersionedHandle[K, V]) rows[K, V] {
	return rows[K, V]{
		reader: reader[K, V]{get: h.Get, asOf: h.GetAsOf},
		put: func(k K, v V, there bool, ts int64) (kept, newest bool, err error) {
			if there {
				var validTo int64
				validTo, kept, err = h.Put(k, v, ts)
				return kept, validTo < 0, err
			}
			if _, _, kept, err = h.Delete(k, ts); err != nil || !kept {
				return kept, false, err
			}
			// A row that is still there has a version after the tombstone.
			_, _, later, err := h.Get(k)
			return kept, !later, err
		},
	}
}
