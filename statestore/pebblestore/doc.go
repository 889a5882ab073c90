// Package pebblestore keeps the state of all tasks of a process on disk, in one
// Pebble database. A [Task] is the [statestore.Base] of one of them.
//
// It owns the directory: who may use it, the layout of keys, what a broken disk
// means. It does not know of stores' kinds, transactions or Kafka: what reaches
// it is committed.
//
// # Layout
//
// The directory holds Pebble's files and a file EOSPROC, which names the layout
// and the owner. Numbers are big endian.
//
//	key                                       value
//	task 4 = 0, store 2 = 0, task id          number of the task
//	task 4,     store 2 = 0, 0                position
//	task 4,     store 2 = 0, 1, store name    number of the store, 2
//	task 4,     store 2 > 0, key              value
//
//	position   for each store, by name: length of name (varint), name, offset (zigzag varint)
//
// Ids and names are long and are repeated in every key; numbers of fixed width
// keep the order of keys, and no prefix begins another.
//
// # Durability
//
// A commit is not synced. The write-ahead log is on, and one batch carries a
// transaction's drops, writes, position and the numbers of new stores; so what is
// found after a crash is a prefix of what was applied, with the position that
// belongs to it, and the changelog has the rest. [DB.Flush] and [DB.Close] make
// everything durable.
//
// # Faults
//
// The first write that fails is treated as if the machine had stopped there:
// nothing is written to the directory after it, what Pebble still writes is
// swallowed, and every further call returns the error. Rejected: to pass such
// errors on to Pebble, which answers a failed write of its log with a panic and
// of its manifest with the end of the process, and jams its locks. After the
// cause is gone, [Open] finds the prefix.
//
// # Invariants
//
//   - No batch mixes tasks. The number of a store is written in the batch that uses
//     it first, the number of a task in a batch before.
//   - A number of a task or store is never given to another while keys with it exist.
//   - Nothing is written into a directory that is not ours.
//   - Neither a disk nor a caller can cause a panic.
//   - When the last cursor is closed, Pebble has no iterator.
package pebblestore
