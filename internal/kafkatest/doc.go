// Package kafkatest holds what tests need around a Kafka: a real cluster that
// is started, shared and stopped with the tests, and helpers that create
// topics, write, read up to the end, and look at offsets and transactions.
//
// It owns the rule when a test may be skipped. The helpers take a bootstrap
// string, so that they work the same against a real Kafka and against kfake; it
// must not know anything of eosproc's own packages, which all may import it in
// their tests.
//
// Invariants:
//   - A missing Kafka skips a test, and fails it when EOSPROC_REQUIRE asks for
//     "kafka" or "all".
//   - Reading up to the end means that the position reached the end that was
//     valid when reading began; records are never counted to find that out, as
//     markers, aborted records and compacted ones take offsets too.
package kafkatest
