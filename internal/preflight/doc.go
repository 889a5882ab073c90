// Package preflight finds out before the first record is read whether an
// application can run on its cluster, and makes its internal topics.
//
// It owns the questions (are brokers there and new enough, do the topics exist,
// may we use them, do the time limits fit) and the wording of what is wrong and
// what to do about it. It must not know how records are processed, and it keeps
// no connection once it has returned.
//
// # Invariants
//
//   - All faults are reported at once, each with the thing it is about and its
//     remedy. Only an unreachable cluster ends the questions early.
//   - Nothing is written before everything else is found to be right, and then
//     only internal topics are. The probes of rights name no member and no
//     producer, so that the broker has nothing to act on.
//   - What may not be asked is not held against the application: a denied
//     DescribeConfigs makes a check fall away, never fail.
package preflight
