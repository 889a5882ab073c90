package settings

import "time"

func consumerKeys() []key {
	return []key{
		{name: "session.timeout.ms", byDefault: "45000",
			doc:   "Silence after which the group gives up a member; the broker sets it under group.protocol=consumer.",
			value: millis(100, maxInt32, func(s *Settings) *time.Duration { return &s.Group.SessionTimeout })},
		{name: "heartbeat.interval.ms", byDefault: "3000",
			doc:   "Time between heartbeats, at most a third of the session timeout; the broker sets it under group.protocol=consumer.",
			value: millis(1, maxInt32, func(s *Settings) *time.Duration { return &s.Group.HeartbeatInterval })},
		{name: "max.poll.interval.ms", byDefault: "300000",
			doc:   "The rebalance timeout: how long a member may take to commit and let go of its partitions.",
			value: millis(100, maxInt32, func(s *Settings) *time.Duration { return &s.Group.RebalanceTimeout })},
		{name: "max.poll.records", byDefault: "10000",
			doc:   "Most records that a worker takes over from the client in one turn; they are fetched already. Kafka Streams' 1000 would make a fast worker wait between turns.",
			value: integer(1, maxInt32, func(s *Settings) *int { return &s.Consumer.MaxPollRecords })},
		{name: "group.protocol", byDefault: string(GroupClassic),
			doc: "classic, or consumer for the groups of KIP-848 (Kafka 4.3 or newer).",
			value: enum[GroupProtocol]{
				values: []GroupProtocol{GroupClassic, GroupConsumer},
				refused: map[string]fault{
					"streams": {message: "the groups of KIP-1071 are not implemented by the Kafka client in use; classic and consumer give the same guarantees", suggestion: string(GroupClassic)},
				},
				field: func(s *Settings) *GroupProtocol { return &s.Group.Protocol },
			}.value()},
		{name: "group.instance.id",
			doc:   "Makes the membership static; the worker's number from 1 on is appended, as in my-app-1.",
			value: text(func(s *Settings) *string { return &s.Group.InstanceID }, notEmpty)},
		{name: "auto.offset.reset", byDefault: string(ResetEarliest),
			doc: "Where a partition without a committed offset begins: earliest, latest, or none for an error.",
			value: enum[OffsetReset]{
				values: []OffsetReset{ResetEarliest, ResetLatest, ResetNone},
				field:  func(s *Settings) *OffsetReset { return &s.Consumer.OffsetReset },
			}.value()},
		{name: "isolation.level", byDefault: string(ReadCommitted),
			doc: "Whether records of open and aborted transactions are read; read_uncommitted is refused under exactly_once_v2.",
			value: enum[IsolationLevel]{
				values: []IsolationLevel{ReadCommitted, ReadUncommitted},
				field:  func(s *Settings) *IsolationLevel { return &s.Consumer.Isolation },
			}.value()},
		{name: "enable.auto.commit", byDefault: "false",
			doc: "Whether the client commits offsets by itself.",
			value: only(TypeBoolean, []string{"false"}, Error,
				"offsets are committed together with the results, never by the client on its own")},
		{name: "check.crcs", byDefault: "true",
			doc: "Checks the checksum of every batch read.",
			value: only(TypeBoolean, []string{"true"}, Error,
				"a corrupted batch would be processed as if it were whole")},
		{name: "allow.auto.create.topics", byDefault: "false",
			doc: "Whether reading a missing topic creates it.",
			value: only(TypeBoolean, []string{"false"}, Error,
				"a mistyped topic would be created empty; create input topics yourself")},
		{name: "exclude.internal.topics", byDefault: "true",
			doc: "Whether a topic pattern leaves out Kafka's own topics.",
			value: only(TypeBoolean, []string{"true"}, Error,
				"a pattern must not read Kafka's own topics; name such a topic instead")},
		{name: "group.id", refused: "the group is named by application.id"},
		{name: "group.remote.assignor", refused: "co-partitioned topics must meet in one task, which only eosproc's own assignment knows"},
		{name: "partition.assignment.strategy", refused: "co-partitioned topics must meet in one task, which only eosproc's own assignment knows"},
		{name: "auto.commit.interval.ms", ignored: "offsets are committed together with the results, every commit.interval.ms", harmless: []string{"5000"}},
		{name: "share.acknowledgement.mode", ignored: "input is read through consumer groups, not share groups", harmless: []string{"implicit"}},
		{name: "share.acquire.mode", ignored: "input is read through consumer groups, not share groups", harmless: []string{"batch_optimized"}},
		{name: "key.deserializer", refused: "codecs belong to topics: give the input's key and value codec where the topic is declared"},
		{name: "value.deserializer", refused: "codecs belong to topics: give the input's key and value codec where the topic is declared"},
	}
}

func fetchKeys() []key {
	return []key{
		fetchKey("fetch.min.bytes", "1", "Bytes for which the broker waits up to fetch.max.wait.ms.",
			func(of func(*Settings) *Fetch) value {
				return integer(0, maxInt32, func(s *Settings) *int { return &of(s).MinBytes })
			}),
		fetchKey("fetch.max.wait.ms", "500", "How long the broker waits for fetch.min.bytes.",
			func(of func(*Settings) *Fetch) value {
				// kgo waits 10 ms at least.
				return millis(10, maxInt32, func(s *Settings) *time.Duration { return &of(s).MaxWait })
			}),
		fetchKey("fetch.max.bytes", "52428800", "Most bytes of one answer.",
			func(of func(*Settings) *Fetch) value {
				// kgo reads no answer above 100 MiB unless told to.
				return integer(1, 1<<30, func(s *Settings) *int { return &of(s).MaxBytes })
			}),
		fetchKey("max.partition.fetch.bytes", "524288", "Most bytes of one partition in an answer; half of Kafka's default, which costs memory and brings no throughput.",
			func(of func(*Settings) *Fetch) value {
				return integer(1, 1<<30, func(s *Settings) *int { return &of(s).MaxPartitionBytes })
			}),
	}
}

func fetchKey(name, byDefault, doc string, valueOf func(func(*Settings) *Fetch) value) key {
	return key{
		name: name, byDefault: byDefault, doc: doc,
		value:   valueOf(func(s *Settings) *Fetch { return &s.Consumer.Fetch }),
		restore: valueOf(func(s *Settings) *Fetch { return &s.Restore }).set,
		global:  valueOf(func(s *Settings) *Fetch { return &s.Global }).set,
	}
}
