// Package txn ends transactions: the commit cycle of a worker as a pure step
// function ([State.Step]) and the driver that performs it on kgo ([Session]).
//
// It owns the transactional producers of one worker, the order in which
// records, offsets and EndTxn reach the brokers, and the truth about what has
// been committed. It knows neither tasks nor stores nor the consumer: records
// and offsets go in, outcomes come out.
//
// # The cycle
//
// Transactions are numbered N, N+1, … Transaction N uses producer N mod K. When
// N is sealed, its records are flushed, its offsets are sent and it is ended,
// in this order, while the worker already processes the input of N+1. Two
// producers in turn hide the time in which a broker still writes the markers of
// the last transaction and would make its producer wait.
//
// # Invariants
//
//   - R1 A producer begins again only after the outcome of its previous transaction is known.
//   - R2 Records of N+1 are sent only after every record of N is acknowledged.
//   - R3 N+1 is sealed only after N has ended: there is one sealed transaction at most.
//   - R4 If N aborts, or its outcome cannot be told, N+1 is aborted with it.
//   - R6 A transaction always carries offsets and proof of membership; a cycle without output is a plain offset commit.
//   - R7 One record that could not be produced aborts its transaction.
//   - R8 An EndTxn without a definite answer is resolved by re-initialising the
//     producer, which forces the coordinator to decide, and reading the
//     committed offsets back. Each commit's offset metadata carries a stamp that
//     no other commit has, so the answer is never a guess.
//   - R9 A fenced session does nothing more.
//
// testdata/cycle.txt holds the whole table of the step function. It is printed
// by a test and is meant to be read.
//
// A Session belongs to one goroutine. What it waits for runs in a goroutine of
// its own, whose answers arrive on [Session.Answers].
package txn
