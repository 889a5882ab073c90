// Package statestore keeps the state of tasks: Kafka Streams' stores, with
// transactions.
//
// It owns the stores as processors see them ([KV], [TimestampedKV], [Window],
// [Session], [Versioned]), the uncommitted changes of a task and what becomes of
// them ([State]), how entries are laid out as bytes, and how they become changelog
// records. It does not know of Kafka, disks, processors or goroutines: a [Base]
// holds what is committed, and the runtime decides when a transaction ends.
//
// # Transactions
//
// A task's changes live in overlays in memory, one for the open transaction and
// one for the sealed, whose outcome is not known yet:
//
//	read: open → sealed → base      Seal: open becomes sealed, and is logged
//	write: open                     Commit: sealed goes to the base, with the position
//	                                Abort: both are dropped
//
// So a base never holds what is not committed, and an abort costs nothing. Within
// the open transaction [State.Mark] and [State.Rollback] undo one record.
//
// # Layout
//
// Numbers are big endian; times are ms in 8 bytes; key and value are the codecs' bytes.
//
//	store          key                                  value
//	KV             key                                  value; with a TTL: expiry time, value
//	TimestampedKV  key                                  timestamp, value
//	Window         segment 8, key, start 8, sequence 4  timestamp, value
//	Session        segment 8, key, end 8, start 8       value
//	Versioned      length of key 4, key, timestamp 8    1, value; for a tombstone 0
//
//	changelog      key                                  value                      timestamp
//	KV             as stored                            as stored                  commit
//	TimestampedKV  key                                  value                      the value's
//	Window         key, start 8, sequence 4             value                      the value's
//	Session        key, end 8, start 8                  value                      end
//	Versioned      key                                  value; null if tombstone   the version's
//
// The changelog's layout is Kafka Streams' own. A segment is the window's start
// or the session's end divided by the segment interval, which is half of the
// retention and at least a minute; it makes retention one range of keys. A deleted
// entry is a null with the time of the commit.
//
// # Invariants
//
//   - The changelog gets one record per key that a transaction changed, in the
//     order of store and stored key. Replaying it gives the same entries.
//   - What retention removes is not logged: the changelog has retention of its own.
//     Entries with a [TTL] are the exception.
//   - What has expired is not found, whether or not it is still there. So when it
//     is removed decides nothing.
//   - Observed time, by which things expire, belongs to the transaction like any entry.
//   - A record that is rolled back leaves nothing: no entry, no time, no size.
//   - Stored slices are never modified. That makes it safe to share them between
//     overlays, base and callers without copies.
//   - State, Bytes and handles belong to one goroutine and take no locks.
package statestore
