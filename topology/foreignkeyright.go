package topology

import (
	"encoding/binary"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// A subscription is an entry of a store: its key is the foreign key's length (4
// bytes, big endian), the foreign key, and the left row's key; its value the
// partition (4 bytes) and the hash of the left row. The length keeps apart keys
// that begin alike.

func subscriptions[FK any](keys codec.Codec[FK], k FK) ([]byte, error) {
	b, err := keys.Append(make([]byte, 4), k)
	if err == nil {
		binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	}
	return b, err
}

func subscriptionValue[K any](m registration[K]) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(m.partition)), m.hash[:]...)
}

// answerRegistrations is SubscriptionReceiveProcessor and
// SubscriptionJoinProcessor: it notes that a left row points to a key, and answers with the right row.
func answerRegistrations[K, FK, R any](registrations Stream[FK, registration[K]], n *node, right Table[FK, R], foreign codec.Codec[FK], keys codec.Codec[K], spec statestore.KV[[]byte, []byte], out *publisher[K, response[R]]) {
	registrations.p.children = append(registrations.p.children, func(in *Instance) sink[FK, registration[K]] {
		rows, store, next := right.read(in), spec.Open(in.env.State), out.compile(in)
		return func(r Record[FK, registration[K]]) error {
			m := r.Value
			entry, err := subscriptions(foreign, r.Key)
			if err == nil {
				entry, err = keys.Append(entry, m.key)
			}
			switch {
			case err != nil:
			case m.subscribe:
				err = store.Put(entry, subscriptionValue(m))
			default:
				err = store.Delete(entry)
			}
			if err != nil {
				return in.failure(n, Processing, err)
			}
			if !m.subscribe {
				return nil
			}
			row, ts, ok, err := rows.get(r.Key)
			if err != nil {
				return in.failure(n, Processing, err)
			}
			answer := Record[K, response[R]]{Key: m.key, Timestamp: r.Timestamp, Headers: r.Headers}
			answer.Value = response[R]{hash: m.hash, right: present(row, ok), found: ok, partition: m.partition}
			if ok {
				answer.Timestamp = max(ts, r.Timestamp)
			}
			return next(answer)
		}
	})
}

// answerChanges is ForeignTableJoinProcessor: a change of a right row goes to all
// left rows that point to it, in the order of their keys' bytes.
func answerChanges[K, FK, R any](updates Stream[FK, change[R]], n *node, foreign codec.Codec[FK], keys codec.Codec[K], spec statestore.KV[[]byte, []byte], out *publisher[K, response[R]]) {
	updates.p.children = append(updates.p.children, func(in *Instance) sink[FK, change[R]] {
		store, next := spec.Open(in.env.State), out.compile(in)
		return func(r Record[FK, change[R]]) error {
			c := r.Value
			if c.stale {
				in.dropped(DropOutOfOrder)
				return nil
			}
			prefix, err := subscriptions(foreign, r.Key)
			if err != nil {
				return in.failure(n, Processing, err)
			}
			for e, err := range statestore.Prefix(store, prefix) {
				if err != nil {
					return in.failure(n, Processing, err)
				}
				answer := Record[K, response[R]]{Timestamp: r.Timestamp, Headers: r.Headers}
				answer.Value = response[R]{right: present(c.new, c.hasNew), found: c.hasNew}
				if len(e.Value) != 4+len(answer.Value.hash) {
					return in.failure(n, Processing, statestore.ErrCorrupt)
				}
				answer.Value.partition = int32(binary.BigEndian.Uint32(e.Value))
				copy(answer.Value.hash[:], e.Value[4:])
				if answer.Key, err = keys.Decode(e.Key[len(prefix):]); err != nil {
					return in.failure(n, Processing, err)
				}
				if err := next(answer); err != nil {
					return err
				}
			}
			return nil
		}
	})
}
