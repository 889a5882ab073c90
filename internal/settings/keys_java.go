package settings

// javaKeys are Kafka Streams' keys that eosproc does not offer: most name a Java
// class, or choose what is decided in another place here.
func javaKeys() []key {
	const (
		codecs = "codecs belong to topics and stores: give the codec where the topic is declared"
		racks  = "replicas are not placed by rack; client.rack lets an instance read from near replicas"
	)
	return []key{
		{name: "allow.os.group.write.access", refused: "the state directory is open to its owner only, because it holds the data of the stores", harmless: []string{"false"}},
		{name: "application.server", ignored: "instances do not route queries to each other; each answers for its own partitions at eosproc.http.address", harmless: []string{""}},
		{name: "built.in.metrics.version", ignored: "metrics have one form, listed in the documentation", harmless: []string{"latest"}},
		{name: "default.client.supplier", refused: "a Java class cannot be loaded; tests use the in-process broker instead", harmless: []string{"DefaultKafkaClientSupplier", "org.apache.kafka.streams.processor.internals.DefaultKafkaClientSupplier"}},
		{name: "default.key.serde", refused: codecs},
		{name: "default.value.serde", refused: codecs},
		{name: "default.list.key.serde.inner", refused: codecs},
		{name: "default.list.key.serde.type", refused: codecs},
		{name: "default.list.value.serde.inner", refused: codecs},
		{name: "default.list.value.serde.type", refused: codecs},
		{name: "windowed.inner.class.serde", refused: codecs},
		{name: "window.size.ms", refused: "the size of a window belongs to its codec: give it where the topic is declared"},
		{name: "default.timestamp.extractor", refused: "a Java class cannot be loaded; give the timestamp extractor at the source", harmless: []string{"FailOnInvalidTimestamp"}},
		{name: "dsl.store.format", refused: "stores have one format, which keeps timestamps", harmless: []string{"DEFAULT"}},
		{name: "dsl.store.suppliers.class", refused: "a Java class cannot be loaded; stores are kept in Pebble", harmless: []string{"BuiltInDslStoreSuppliers$RocksDBDslStoreSuppliers"}},
		{name: "log.summary.interval.ms", ignored: "counts are on /metrics, and the log tells changes only", harmless: []string{"120000", "-1"}},
		{name: "poll.ms", ignored: "a worker wakes at once for records, timers and commits, so there is no wait to choose", harmless: []string{"100"}},
		{name: "processor.wrapper.class", refused: "a Java class cannot be loaded; wrap the function given to Process", harmless: []string{"NoOpProcessorWrapper"}},
		{name: "rack.aware.assignment.non_overlap_cost", ignored: racks},
		{name: "rack.aware.assignment.strategy", refused: racks, harmless: []string{"none"}},
		{name: "rack.aware.assignment.tags", refused: racks, harmless: []string{"", "[]"}},
		{name: "rack.aware.assignment.traffic_cost", ignored: racks},
		{name: "rocksdb.config.setter", refused: "stores are kept in Pebble, which has no such class; memory is set with statestore.cache.max.bytes"},
		{name: "task.assignor.class", refused: "a Java class cannot be loaded; tasks are assigned so that co-partitioned topics meet and move as little as possible"},
		{name: "topology.description.push.enabled", ignored: "it belongs to the groups of KIP-1071; `eosproc topology describe` prints the description", harmless: []string{"false"}},
		{name: "upgrade.from", refused: "instances of Kafka Streams and of eosproc cannot share a group; stop the old application before the first start of the new one"},
	}
}
