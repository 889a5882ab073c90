// Package task runs one copy of a sub-topology on one partition of its inputs.
//
// It owns the order in which a task takes records from its inputs (lowest head
// timestamp first), the positions that a commit may cover, and what happens to
// a record that fails: retries, handlers, dead letters. It does no I/O and
// knows no broker: raw records go in, outputs come out through a function.
//
// # Invariants
//
//   - A position covers exactly the records that are done: processed, skipped
//     or dead-lettered. Records that wait in a queue are not covered.
//   - A record that fails leaves no output but its dead letter.
//   - After [Task.Rewind] a task is as it was at its last commit.
//
// A Task belongs to one goroutine.
package task
