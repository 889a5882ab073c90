package topology

import (
	"fmt"
	"sync"

	"github.com/eosproc/eosproc/codec"
)

// GlobalTable is a table of which each instance of the application has all rows,
// whatever their partition: streams are joined with it by any key, without
// repartitioning. Like [Stream] it is a handle.
//
// It is not in step with the streams: what is looked up is the newest row that the
// instance has read. It is kept in memory and read again from the beginning of its
// topic at each start.
type GlobalTable[K, V any] struct {
	b     *Builder
	topic string
	key   codec.Codec[K]
	value codec.Codec[V]
}

// GlobalTableFrom reads a topic as a global table. Records with a null key are
// skipped, a null value deletes. Nothing else may read the topic.
func GlobalTableFrom[K, V any](b *Builder, t Topic[K, V]) GlobalTable[K, V] {
	if err := checkTopic(t); err != nil {
		b.fail(fmt.Errorf("global table: %w", err))
	}
	if other, ok := b.topics[t.Name]; ok {
		b.fail(fmt.Errorf("topic %q is read by %s and a global table", t.Name, other))
	}
	b.topics[t.Name] = "a global table"
	b.globals = append(b.globals, t.Name)
	return GlobalTable[K, V]{b, t.Name, t.Key, t.Value}
}

// Globals holds the rows of all global tables of one instance of an application,
// for all of its tasks (see [Env]). It is safe for concurrent use.
//
// Whoever runs the topology reads all partitions of [Globals.Topics] with
// read_committed from the beginning, up to their ends before the first task starts and then
// on, and gives each record to Apply.
type Globals struct {
	mu     sync.RWMutex
	tables map[string]map[string][]byte // topic → key → value, as on the topic
	topics []string
}

// NewGlobals returns the global tables of the topology, without rows.
func (t *Topology) NewGlobals() *Globals {
	g := &Globals{tables: map[string]map[string][]byte{}, topics: t.globals}
	for _, topic := range t.globals {
		g.tables[topic] = map[string][]byte{}
	}
	return g
}

// Topics returns the names of the topics, in the order of definition. The slice must not be modified.
func (g *Globals) Topics() []string { return g.topics }

// Apply takes in a record and reports whether its topic is one of a global table.
// The record's bytes are kept. Records of one partition must come in their order.
func (g *Globals) Apply(r *RawRecord) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	table, ok := g.tables[r.Topic]
	switch {
	case !ok || r.Key == nil:
	case r.Value == nil:
		delete(table, string(r.Key))
	default:
		table[string(r.Key)] = r.Value
	}
	return ok
}

func (g *Globals) get(topic string, key []byte) (value []byte, ok bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	value, ok = g.tables[topic][string(key)]
	return value, ok
}

// JoinGlobal looks each record of a stream up in a global table, by a key that is
// made of the record, and passes on what join makes of its value and the row's, under
// the record's own key and timestamp. Records that find no row are dropped by the
// join, as are those whose value or whose made key is null: a nil, of a type that has one. The
// record's own key may be null.
func JoinGlobal[K, V, GK, G, R any](s Stream[K, V], t GlobalTable[GK, G], key func(K, V) GK, join func(V, G) R, opts ...Option) Stream[K, R] {
	return joinGlobal(s, t, "KSTREAM-GLOBALJOIN-", key, func(v V, row G, ok bool) (r R, found bool) {
		if ok {
			r = join(v, row)
		}
		return r, ok
	}, opts)
}

// LeftJoinGlobal is [JoinGlobal] for all records whose value is not null: join is
// told by ok whether there is a row. A null key finds none.
func LeftJoinGlobal[K, V, GK, G, R any](s Stream[K, V], t GlobalTable[GK, G], key func(K, V) GK, join func(v V, row G, ok bool) R, opts ...Option) Stream[K, R] {
	return joinGlobal(s, t, "KSTREAM-GLOBALLEFTJOIN-", key, func(v V, row G, ok bool) (R, bool) { return join(v, row, ok), true }, opts)
}

// joinGlobal is KStreamGlobalKTableJoin.
func joinGlobal[K, V, GK, G, R any](s Stream[K, V], t GlobalTable[GK, G], prefix string, key func(K, V) GK, join func(V, G, bool) (R, bool), opts []Option) Stream[K, R] {
	n := s.p.b.add(processorNode, prefix, collect(opts), s.p.n)
	if t.b != s.p.b {
		s.p.b.fail(fmt.Errorf("%s: the global table belongs to another builder", n.name))
	}
	nilKey, nilResult := hasNil[GK](), hasNil[R]()
	return attach(s, n, func(in *Instance, next sink[K, R]) sink[K, V] {
		globals := in.env.Globals
		if globals == nil {
			panic(fmt.Errorf("%s needs the global table of topic %q, which nobody reads: Env.Globals is nil", n.name, t.topic))
		}
		var buffer []byte
		find := func(k GK) (row G, ok bool, err error) {
			if bit(nilKey, &k, nullKey) != 0 {
				return row, false, nil
			}
			if buffer, err = t.key.Append(buffer[:0], k); err != nil {
				return row, false, fmt.Errorf("encode key for the global table of %s: %w", t.topic, err)
			}
			value, ok := globals.get(t.topic, buffer)
			if !ok {
				return row, false, nil
			}
			if row, err = t.value.Decode(value); err != nil {
				return row, false, fmt.Errorf("decode value of the global table of %s: %w", t.topic, err)
			}
			return row, true, nil
		}
		return func(r Record[K, V]) error {
			if r.null&nullValue != 0 {
				in.dropped(DropNullValue)
				return nil
			}
			row, ok, err := find(key(r.Key, r.Value))
			if err != nil {
				return in.failure(n, Processing, err)
			}
			value, ok := join(r.Value, row, ok)
			if !ok {
				return nil
			}
			out := Record[K, R]{Key: r.Key, Value: value, Timestamp: r.Timestamp, Headers: r.Headers, null: r.null & nullKey}
			out.null |= bit(nilResult, &out.Value, nullValue)
			return next(out)
		}
	})
}
