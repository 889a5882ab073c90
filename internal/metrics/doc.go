// Package metrics counts what the workers of an application report, for
// Prometheus.
//
// It owns the names, labels and buckets of the series; the names are part of the
// interface to dashboards and alerts. It must not know how they are served, and
// it never looks into records.
//
// # Invariants
//
//   - No work per record: workers report batches.
//   - Labels have few values: topics, partitions and tasks of the application,
//     Kafka's error codes, and words of this program. Never a message, a key or a member id.
//   - The series of a partition or task that moves away are deleted, or every
//     instance would show for ever what it once had.
//   - Base units: seconds, bytes, records.
package metrics
