// Package faulttest proves the guarantee on a real Kafka: worker processes are
// killed, frozen, cut off and restarted at every step of the commit cycle while
// input keeps coming and a read_committed reader watches, and then everything
// that was read is compared with everything that was written.
//
// The test binary runs itself as the worker process. All of the package is in
// test files; it must not know how a commit is made, only what may be seen of it
// from outside: topics, offsets, transactions, exit codes and the log.
//
// Invariants:
//   - The verdict comes from the topics, never from what a worker says of itself.
//   - Every input record names itself (run, partition, sequence) and its fate, so
//     that a lost, repeated, reordered or aborted one is found by name.
//   - A check that cannot fail is worthless: seeded faults (package seeded) show
//     that each of the checks catches what it is there for.
//
// The default sizes are for every commit. EOSPROC_FAULT_ROUNDS sets the number
// of rounds of each case, for example 20.
package faulttest
