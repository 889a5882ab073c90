// Package verify is the auditor behind `eosproc verify`: it reads the input and
// the output of a copy-like pipeline, whoever wrote it, and proves that nothing
// was lost, doubled, invented or reordered and that nothing aborted is visible.
//
// It owns the reading of topics for audit, the matching of outputs to inputs and
// the report. It must not know eosproc's own pipelines: no topology, no task, no
// state; what it believes comes from the log alone. It never writes to Kafka and
// joins no group.
//
// How it works. Every partition is read with raw fetches up to positions taken
// at the start, once for all views: the broker's list of aborted transactions
// gives what a read_committed consumer sees, the control markers in the log give,
// independently, what happened. Records are kept as 128-bit hashes with their
// offsets in columns (about 20 bytes for an input, 28 for an output), then
// matched in memory.
//
// Invariants:
//   - A position decides how far is read, never a count or "the last record":
//     control markers, aborted tails and compacted gaps are progress.
//   - Bounds are taken in an order that is safe beside a running pipeline: the
//     group's offsets before the output's end (what is committed must be there),
//     and again after the output was read (what is there must be committed), each
//     time with require_stable.
//   - A check that fails names a record that is really wrong. Where records are
//     not distinguishable enough to say (equal ones from several partitions),
//     their order is left unjudged and counted as such.
package verify
