// Package worker runs tasks: one [Worker] is one goroutine that owns a set of
// tasks, one member of the consumer group and one commit cycle.
//
// Its loop (loop.go) is a straight line: take events, process what is fetched,
// commit if due, wait. Everything that happens elsewhere (fetches, group
// callbacks, answers of the commit cycle) reaches the loop through a channel,
// so a task is never touched by two goroutines.
//
// # Invariants
//
//   - R5 The producers are initialised before the group is joined, and so before
//     any committed offset is fetched.
//   - R11 A group callback returns only after the loop has committed or rolled
//     back the tasks concerned and closed them.
//   - No poll is outstanding while a group event is handled or the position is
//     set back: records that were fetched under an older assignment never meet a
//     newer position.
//   - R12 After an abort the position is what the broker has committed. A
//     partition without a commit gets its start position committed before its first record is read.
//   - The token that proves membership is read when a commit is sealed. That is
//     as good as reading it with the records: the client takes on a generation in
//     which a partition belongs to another member only after the loop has let it
//     go (see member.go).
package worker
