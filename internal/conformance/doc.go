// Package conformance runs stream processing cases whose expected output was
// computed by Kafka Streams 4.4.0, and shows the first difference.
//
// It owns the case format: reading it (case.go), its named functions
// (functions.go), making a topology of its nodes (build.go, and one file for each
// group of operators), giving it the input (run.go) and comparing (compare.go).
// It sees a topology only as a user does, through packages topology and eostest.
//
// # Invariants
//
//   - No expectation is written by hand: files in testdata come from Kafka's own
//     TopologyTestDriver.
//   - Keys and values are texts or null, as *string.
//   - An operator that is not there yet is reported by its name and counted,
//     never skipped in silence.
package conformance
