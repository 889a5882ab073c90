// Package bench measures a Kafka-to-Kafka copy from the outside: records per
// second, CPU and memory, latency as a read_committed reader sees it, and the
// time from process start to the first committed output.
//
// What is measured is an [Arm]: a command, or one of two raw kgo loops that
// serve as yardsticks. Every arm runs as a child process of its own, so that
// its CPU time and peak memory are its own and so that no arm shares a heap,
// a scheduler or a connection with the generator and the reader.
//
// The package owns the workload, the raw loops, the running of children and
// the arithmetic on samples. It must not know what an arm does inside: it
// sees topics, group offsets and processes only, which is what lets it
// measure any implementation with the same ruler.
//
// Invariants:
//
//   - arms are interleaved: one round runs every arm once, and rounds start
//     with a different arm each time, so that drift of the machine or the
//     broker falls on all of them;
//   - a number is reported only together with the check that the output
//     holds each input record exactly once; a cell that fails a check is
//     marked invalid, never dropped;
//   - latency counts from the intended send time on one clock, so a stalled
//     pipeline cannot slow the generator down and hide its own stall;
//   - percentiles are exact: all samples are kept and sorted.
//
// A binary that uses the raw arms calls [ChildMain] first thing in main,
// because the raw loops are run by re-executing that binary.
package bench
