// Package fencing answers one question: who may write?
//
// It owns the transactional ids, the membership token that travels with the
// offsets (KIP-447), the one table that turns a broker's error into a verdict,
// the typed reasons of a fence, and the lock and identity of a state
// directory. It must not know how a request is sent (no kgo), what a task or a
// store is, or what the caller does with a verdict.
//
// Invariants:
//
//   - Nothing falls into success. Only a nil error is OK; an error that no row
//     names is Unknown when it answers EndTxn, and Abort or Fatal otherwise.
//   - The answer to EndTxn is the only one that may be Unknown, and an Unknown
//     is read back from the broker, never guessed (rule R8).
//   - A fenced producer is never initialised again on the strength of the
//     error alone. An epoch that the broker refused may have been taken by
//     another process, so [Decision.ProveMembership] demands a fresh proof that
//     the group still counts this worker as a member, and
//     [Decision.WithTransactionAge] withdraws even that permission when the
//     transaction was too young for the coordinator to have timed it out.
//   - A state directory belongs to one cluster, one application, one layout,
//     and one living process. A directory that does not is refused, with
//     nothing in it changed.
package fencing
