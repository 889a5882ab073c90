// Package demo is `eosproc demo`: a broker in this process, generated orders, a
// pipeline run by three child processes, faults, and a verdict.
//
// It owns the staging: the directory, the children, the faults, what is shown and
// what is concluded. It must not know how a worker commits: it sees workers as an
// operator does, through their processes, their logs and the topics.
//
// # The two faults
//
// Both strike inside of a commit, at failpoints, so that what they leave behind does
// not depend on chance. One worker kills itself with SIGKILL when all outputs are
// written and acknowledged and nothing is committed, and is started again under its
// old identity. Another one stops itself with SIGSTOP just before it asks for the
// commit, stays frozen until the group has given its partitions away, and on
// SIGCONT asks for it. Under exactly_once_v2 the brokers must refuse; under
// at_least_once the same two faults leave duplicates.
//
// # Invariants
//
//   - Nothing is written outside of the directory, and nothing in it is removed
//     that this package did not write.
//   - No child outlives the demo, even one killed: a child ends when its
//     standard input does.
//   - The verdict rests on internal/verify, which reads the topics by itself; the live
//     counts are for the eye only.
//   - A demo whose faults did not happen proves nothing and is not a success.
package demo
