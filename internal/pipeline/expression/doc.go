// Package expression compiles and evaluates the expressions of a pipeline.
//
// It owns the language: which names and functions there are, their types, the
// arithmetic, the limits, and the wording of errors. The syntax and the virtual
// machine are those of github.com/expr-lang/expr; no other package imports it. It
// knows nothing of YAML, topics or records.
//
// # Names
//
// key, value (also this), headers, timestamp (milliseconds), topic, partition and
// offset are those of the record at hand; stream_time() is the task's. A null key
// or value is nil.
//
// # Two compilations
//
// An expression is compiled twice. The first time is for the author: every name
// has the type that is declared or known, so that a wrong field or a comparison
// of a string with a number is found before anything runs. The second time is for
// records: no type is assumed, so that declaring a schema can find mistakes but
// never changes what a record becomes. The program that runs would otherwise hold
// instructions that panic on a null where the undeclared one gives false.
//
// # Numbers
//
// Whole numbers are 64 bits wide and exact. +, -, *, ** and unary minus fail
// rather than wrap around; / of two whole numbers is whole if it is exact; nothing
// turns a whole number into a floating point number that cannot hold it. See
// arithmetic.go.
//
// # Invariants
//
//   - The same record gives the same result on every machine, whenever it is
//     processed again: there is no clock, no randomness, no time zone data, and a
//     map is walked in the order of its keys.
//   - Evaluation ends (the language has no unbounded loop), makes at most
//     [MemoryBudget] elements and no text longer than [MaxText], and never panics.
//   - An error names the place and the kinds of what was found, never the content
//     of the record.
package expression
