// Package eostest drives a topology in a test, with no broker and no clock but
// the one that the test moves.
//
//	d := eostest.New(t, topo)
//	eostest.Send(d, orders, "customer-1", order, time.UnixMilli(5))
//	require.Equal(t, want, eostest.Read(d, payments))
//
// It owns the loop around the instances of a topology: what Kafka and the
// runtime do between an input and an output topic. Every topic has one
// partition, every sub-topology one instance, whose stores are in memory and can
// be looked into ([Driver.Opener]). [Send] returns when nothing is
// under way any more: records of repartition topics, and of topics that the
// topology both writes and reads, have then been processed as well.
//
// It knows no transactions: what a failing record leaves behind (nothing) is a
// matter of package topology and shows here too, what a crash leaves behind does not.
//
// # Invariants
//
//   - A test sees the same outputs in the same order in every run: nothing here
//     depends on a goroutine, the time of day or the order of a map.
//   - A record that fails fails the test, unless the test asked for [Errors].
//   - The task's clock stands still but for [Driver.AdvanceWallClock].
//
// A Driver belongs to the goroutine of its test.
package eostest
