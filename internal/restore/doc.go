// Package restore reads changelogs into stores until they hold what is committed.
//
// It owns the reading: where a changelog begins and ends, which of its records
// are committed, when a store is complete, and what is wrong with a changelog
// that does not fit a store. It knows neither tasks nor groups, and nothing of
// what a record means: see [Changelog.Apply].
//
// # Invariants
//
//   - Only committed records are applied.
//   - A changelog is read up to the high watermark that it had when its turn came. It
//     is done when the position reaches that, not when a record does: markers,
//     aborted records and the gaps that compaction leaves count.
//   - A position is never moved silently: one that is before the changelog's
//     beginning has the store wiped, one behind its end is an error.
//   - What was applied stays applied when Run is interrupted; the next goes on there.
//
// The client's consumer is not used for this: it does not tell the position
// behind records that are not returned.
package restore
