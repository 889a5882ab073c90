// Package eosproc is Kafka Streams for Go, exactly once by construction.
//
// A program describes its processing with package topology, and hands the
// topology to [New]; [App.Run] then reads from Kafka, processes and writes to Kafka
// inside Kafka transactions that also carry the offsets of the input:
//
//	b := topology.NewBuilder()
//	topology.From(b, orders).Filter(paid).To(payments)
//	t, err := b.Build()
//	…
//	app, err := eosproc.New(t, eosproc.Config{ApplicationID: "payments", BootstrapServers: []string{"localhost:9092"}})
//	…
//	err = app.Run(ctx)
//
// What is promised: for every input record, its outputs and the advance of its
// offset become visible to read_committed readers of the same Kafka cluster
// exactly once or not at all. What is not: effects outside of Kafka, readers that
// read uncommitted data, and clusters that elect unclean leaders.
package eosproc
