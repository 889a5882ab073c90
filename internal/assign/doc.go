// Package assign spreads the tasks of an application over the members of its
// classic consumer group.
//
// A task reads one partition number of every topic of a sub-topology, so these
// partitions belong together; the balancers that come with the client treat each
// alone. The package owns the group protocol "eosproc": what a member tells the
// leader about itself, how the leader plans, and in which order tasks change
// hands. It must not know what a task does, nor talk to a broker: the client
// calls it.
//
// # How a plan is made
//
//   - Tasks: topics that any member reads in one sub-topology are joined into one
//     group of topics; task p of the group reads partition p of each topic that
//     has one.
//   - Claims: each member names the partitions it holds and the generation in
//     which it got them. The newest claim to a partition is its ownership; older
//     ones are those of members that missed a rebalance.
//   - [Plan]: who should have which task in the end.
//   - [Handover]: what can be handed out now. A task that another member still
//     claims is handed out to nobody; whoever has to give something up asks for
//     the next rebalance itself, in which it is free.
//
// # Invariants
//
//   - A partition is never handed to a member while another one may hold it.
//   - All inputs of a task go to one member, and are taken from it together. An input that this member does not
//     subscribe to (another version of the topology, or a new topic that matches
//     a pattern and that it has not seen yet) waits until it does: read elsewhere
//     it would miss its counterparts.
//   - With members that subscribe to the same topics, the numbers of tasks differ
//     by one at most, and no plan of this kind moves fewer tasks.
//   - A plan depends on what the members say only, not on the order in which they
//     are listed.
package assign
