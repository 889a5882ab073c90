package topology

import (
	"bytes"
	"hash/fnv"

	"github.com/eosproc/eosproc/codec"
)

// valueHash stands for a value of the left table on its way through the topics.
type valueHash [16]byte

func hashOf[V any](c codec.Codec[V], v V) (h valueHash, err error) {
	b, err := c.Append(nil, v)
	if err != nil {
		return h, err
	}
	f := fnv.New128a()
	f.Write(b) // a hash does not fail
	f.Sum(h[:0])
	return h, nil
}

// registerForeignKeys is SubscriptionSendProcessor: it tells the right table which
// row a left one points to, and no longer points to. Where no answer is to be expected,
// because there is no row or it points nowhere, the result is known at once.
func registerForeignKeys[K, L, FK, R, O any](updates Stream[K, change[L]], n *node, foreign func(K, L) (FK, bool), through ForeignKeys[K, L, FK, R], out *publisher[FK, registration[K]], results foreignResults[K, L, R, O]) {
	nilable := hasNil[FK]()
	updates.p.children = append(updates.p.children, func(in *Instance) sink[K, change[L]] {
		next, put := out.compile(in), results.open(in)
		pointsTo := func(k K, l L, there bool) (fk FK, ok bool) {
			if there {
				fk, ok = foreign(k, l)
			}
			return fk, ok && bit(nilable, &fk, nullKey) == 0
		}
		same := func(a, b FK) (bool, error) {
			x, err := through.Foreign.Append(nil, a)
			if err != nil {
				return false, err
			}
			y, err := through.Foreign.Append(nil, b)
			return bytes.Equal(x, y), err
		}
		return func(r Record[K, change[L]]) error {
			c := r.Value
			if c.stale {
				in.dropped(DropOutOfOrder)
				return nil
			}
			send := func(fk FK, m registration[K]) error {
				m.key, m.partition = r.Key, in.id.Partition
				return next(Record[FK, registration[K]]{Key: fk, Value: m, Timestamp: r.Timestamp, Headers: r.Headers})
			}
			before, had := pointsTo(r.Key, c.old, c.hasOld)
			now, has := pointsTo(r.Key, c.new, c.hasNew)
			leaves := had
			if had && has {
				eq, err := same(before, now)
				if err != nil {
					return in.failure(n, Processing, err)
				}
				leaves = !eq
			}
			if leaves {
				if err := send(before, registration[K]{}); err != nil {
					return err
				}
			}
			if !has {
				var none R
				return put(r.Key, c.new, c.hasNew, none, false, r.Timestamp, r.Headers)
			}
			hash, err := hashOf(through.Left, c.new)
			if err != nil {
				return in.failure(n, Processing, err)
			}
			return send(now, registration[K]{subscribe: true, hash: hash})
		}
	})
}

// resolveResponses is ResponseJoinProcessor: it joins the answers with the left
// rows, if these are still those that were asked for.
func resolveResponses[K, L, R, O any](answers Stream[K, response[R]], n *node, left Table[K, L], values codec.Codec[L], results foreignResults[K, L, R, O]) {
	answers.p.children = append(answers.p.children, func(in *Instance) sink[K, response[R]] {
		rows, put := left.read(in), results.open(in)
		return func(r Record[K, response[R]]) error {
			row, _, ok, err := rows.get(r.Key)
			if err != nil {
				return in.failure(n, Processing, err)
			}
			if !ok {
				return nil
			}
			hash, err := hashOf(values, row)
			if err != nil {
				return in.failure(n, Processing, err)
			}
			if hash != r.Value.hash {
				return nil
			}
			return put(r.Key, row, true, r.Value.right, r.Value.found, r.Timestamp, r.Headers)
		}
	})
}

// foreignResults keeps the results of a foreign-key join.
type foreignResults[K, L, R, O any] struct {
	node  *node
	store rowStore[K, O]
	out   *publisher[K, change[O]]
	join  func(L, R, bool) (O, bool)
}

// open returns what sets the result of a left row, which is deleted if there is no such row.
func (f foreignResults[K, L, R, O]) open(in *Instance) func(k K, l L, there bool, r R, found bool, ts int64, h Headers) error {
	rows, next, nilable := f.store.open(in), f.out.compile(in), hasNil[O]()
	return func(k K, l L, there bool, r R, found bool, ts int64, h Headers) error {
		old, _, had, err := rows.get(k)
		if err != nil {
			return in.failure(f.node, Processing, err)
		}
		c := change[O]{old: old, hasOld: had}
		if there {
			c.new, c.hasNew = f.join(l, r, found)
			c.hasNew = c.hasNew && bit(nilable, &c.new, nullValue) == 0
		}
		if !c.hasNew && !had {
			return nil
		}
		return updateRow(rows, in, f.node, next, k, ts, h, c)
	}
}
