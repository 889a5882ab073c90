package settings

import "time"

func producerKeys() []key {
	return []key{
		{name: "transaction.timeout.ms", byDefault: "10000",
			doc:   "Age at which a broker aborts an open transaction; it is also how long the input of an instance that is gone for good may be blocked.",
			value: millis(1, maxInt32, func(s *Settings) *time.Duration { return &s.Transaction.Timeout })},
		{name: "linger.ms", byDefault: "5",
			doc: "How long a batch waits for more records; a commit sends at once what waits, so that this bounds the number of requests and not the latency. Kafka Streams' 100 would hold records for a whole commit interval.",
			// kgo's own limit is a minute.
			value: millis(0, 60000, func(s *Settings) *time.Duration { return &s.Producer.Linger })},
		{name: "max.request.size", byDefault: "1048576",
			doc:   "Largest batch, and so the largest record, before compression; the topic's max.message.bytes must allow it.",
			value: integer(512, 1<<30, func(s *Settings) *int { return &s.Producer.MaxBatchBytes })},
		{name: "compression.type", byDefault: string(CompressionNone),
			doc: "Compression of the batches.",
			value: enum[Compression]{
				values: []Compression{CompressionNone, CompressionGzip, CompressionSnappy, CompressionLZ4, CompressionZstd},
				field:  func(s *Settings) *Compression { return &s.Producer.Compression },
			}.value()},
		{name: "compression.gzip.level", byDefault: "-1",
			doc:   "Level of gzip, 1 to 9; -1 is its default.",
			value: level(-1, 9, -1, func(s *Settings) *int { return &s.Producer.gzip })},
		{name: "compression.lz4.level", byDefault: "9",
			doc:   "Level of lz4, 1 to 17.",
			value: level(1, 17, 9, func(s *Settings) *int { return &s.Producer.lz4 })},
		{name: "compression.zstd.level", byDefault: "3",
			doc:   "Level of zstd, -131072 to 22.",
			value: level(-131072, 22, 3, func(s *Settings) *int { return &s.Producer.zstd })},
		{name: "delivery.timeout.ms", note: "2147483647 (no limit) under exactly_once_v2, else 120000",
			doc: "How long a record may take to be acknowledged; one that takes longer fails, and with it its transaction.",
			// kgo's own limit is a second.
			value: millis(1000, maxInt32, func(s *Settings) *time.Duration { return &s.Producer.DeliveryTimeout })},
		{name: "acks", byDefault: "all",
			doc: "Replicas that must have a record before it counts as written.",
			value: only(TypeString, []string{"all", "-1"}, Error,
				"a record that only the leader has is lost with it, and idempotence and transactions need acks=all")},
		{name: "enable.idempotence", byDefault: "true",
			doc: "Lets the broker drop the duplicates of retries.",
			value: only(TypeBoolean, []string{"true"}, Error,
				"without it a retry may write a record twice or out of order, and transactions need it")},
		{name: "max.in.flight.requests.per.connection", byDefault: "5",
			doc: "Requests under way at once, of which idempotence allows five.",
			value: only(TypeInteger, []string{"5", "1", "2", "3", "4"}, Error,
				"the order of idempotent records is kept for 1 to 5 requests")},
		{name: "batch.size", harmless: []string{"16384"},
			ignored: "a batch takes what has come in while the request before is under way, up to max.request.size; a lower limit would refuse larger records"},
		{name: "buffer.memory", harmless: []string{"33554432"},
			ignored: "what waits to be written is bounded by eosproc.transaction.max.bytes"},
		{name: "buffer.memory.allocation.strategy", ignored: "memory is Go's to allocate", harmless: []string{"full"}},
		{name: "max.block.ms", harmless: []string{"60000"},
			ignored: "waiting for brokers is bounded by transaction.timeout.ms and task.timeout.ms"},
		{name: "metadata.max.idle.ms", ignored: "what is known of a topic is kept while it is in the topology", harmless: []string{"300000"}},
		{name: "transactional.id", refused: "it is made of application.id, eosproc.instance.id, worker and producer, so that exactly the predecessor is fenced"},
		{name: "transaction.two.phase.commit.enable", harmless: []string{"false"},
			refused: "a two-phase transaction has no timeout, so a lost instance would block its readers for ever"},
		{name: "partitioner.class", refused: "a Java class cannot be loaded; keys go to the partition that Kafka's default partitioner chooses, and To takes a chooser for anything else"},
		{name: "partitioner.ignore.keys", harmless: []string{"false"},
			refused: "equal keys must meet in one partition; give To a chooser for a topic where that is not wanted"},
		{name: "partitioner.rack.aware", harmless: []string{"false"}, ignored: "keys choose the partition"},
		{name: "partitioner.adaptive.partitioning.enable", ignored: "it concerns records without a key only, which fill one partition's batch after the other", harmless: []string{"true"}},
		{name: "partitioner.availability.timeout.ms", ignored: "it concerns records without a key only, which fill one partition's batch after the other", harmless: []string{"0"}},
		{name: "key.serializer", refused: "codecs belong to topics: give the output's key and value codec where the topic is declared"},
		{name: "value.serializer", refused: "codecs belong to topics: give the output's key and value codec where the topic is declared"},
	}
}

// level reads a compression level; the codec's default is kept as 0, and so is 0
// itself, which only zstd has and takes for its default.
func level(low, high, byDefault int64, field func(*Settings) *int) value {
	v := integer(low, high, field)
	set := v.set
	v.set = func(s *Settings, text string) *fault {
		if f := set(s, text); f != nil {
			return f
		}
		if at := field(s); int64(*at) == byDefault {
			*at = 0
		}
		return nil
	}
	return v
}

func adminKeys() []key {
	return []key{
		{name: "bootstrap.controllers", refused: "controllers are never asked; give bootstrap.servers"},
	}
}

// topicConfigs are Kafka's topic settings that internal topics may be given with
// the prefix "topic.".
var topicConfigs = []string{
	"compression.gzip.level", "compression.lz4.level", "compression.type", "compression.zstd.level",
	"delete.retention.ms", "file.delete.delay.ms", "flush.messages", "flush.ms", "index.interval.bytes",
	"local.retention.bytes", "local.retention.ms", "max.compaction.lag.ms", "max.decompressed.message.bytes", "max.message.bytes",
	"message.timestamp.after.max.ms", "message.timestamp.before.max.ms", "message.timestamp.type",
	"min.cleanable.dirty.ratio", "min.compaction.lag.ms", "min.insync.replicas", "preallocate",
	"remote.copy.lag.bytes", "remote.copy.lag.ms", "remote.log.copy.disable", "remote.log.delete.on.disable", "remote.storage.enable",
	"retention.bytes", "retention.ms", "segment.bytes", "segment.index.bytes", "segment.jitter.ms", "segment.ms",
}

// refusedTopicConfigs would break what internal topics are for.
var refusedTopicConfigs = map[string]string{
	"cleanup.policy":                 "changelogs are compacted and repartition topics purged after the commit; another policy would lose state or unread records",
	"unclean.leader.election.enable": "an unclean leader loses committed records, and with them the guarantee",
	"message.downconversion.enable":  "brokers no longer convert records for old clients",
}
