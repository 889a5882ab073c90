// Package localkafka starts and controls a real Apache Kafka on the loopback
// interface: one or three KRaft brokers in combined mode, run as child
// processes from jars that Maven resolves into a cache.
//
// It owns the jars, the brokers' directories, their configuration and their
// processes. It must not know what is tested with them: no consumer or
// producer client, no testing.T (package kafkatest has those), no proxy.
//
// Invariants:
//   - A broker that is not detached never outlives the process that started it
//     (Linux: even when that process is killed with SIGKILL).
//   - Stop returns only after every broker process has ended.
//   - The jar cache is filled by rename, so a directory that exists is whole.
//   - A broker keeps its ports and its data over Kill, Stop and Start.
package localkafka
