// Package kafkaconf turns Kafka client settings, as users already have them in
// Java .properties files or librdkafka configurations, into kgo options.
//
// It owns how eosproc connects: bootstrap servers, TLS, SASL, the time limits of
// the connection, and the reading of secrets. Everything that talks to Kafka
// takes its options from here, so that one file works for every command.
//
// It must not know what the connection is for: no group, no topic, no
// transaction, no consumer or producer setting.
//
// Invariants:
//   - A secret is held as [Secret] and leaves that type in two places only: the
//     SASL mechanism and the key pair of a TLS handshake. No error, log line or
//     dump holds one.
//   - The connection is never weaker than configured: no fallback to plaintext,
//     TLS 1.2 at least, the chain of the broker's certificate always verified.
//   - Credentials that could be read on the wire (SASL PLAIN, OAUTHBEARER without
//     TLS) are refused unless the user allows them by name.
package kafkaconf
