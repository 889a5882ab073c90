package preflight

// Found is what a start needs to know about the cluster. It does not change, and
// may be used from several goroutines.
type Found struct {
	// ClusterID is Kafka's id of the cluster.
	ClusterID string
	// TransactionVersion is the cluster's transaction.version: 0, 1 or 2.
	TransactionVersion int
	// MaxRecordBytes returns how large a record a topic takes, in bytes: the smaller
	// of the topic's max.message.bytes and max.request.size. A topic that was not
	// known at the start has max.request.size; if it takes less, its broker says so.
	MaxRecordBytes func(topic string) int
	// Partitions counts the partitions of every topic that the application reads,
	// by physical name.
	Partitions map[string]int
}
