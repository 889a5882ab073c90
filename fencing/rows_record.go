package fencing

import "github.com/twmb/franz-go/pkg/kerr"

// recordRows: a record, or the topic it goes to, is refused. Every failed
// produce aborts (R7): kgo would commit the rest of the transaction.
var recordRows = []row{
	{
		err:     kerr.MessageTooLarge,
		meaning: "A record is larger than the topic's max.message.bytes.",
		remedy:  "Raise max.message.bytes of the output topic, or let the production exception handler drop or dead-letter the record.",
		rules:   []rule{every(on(Produce), recordFault)},
	},
	{
		err:     kerr.RecordListTooLarge,
		meaning: "A batch is larger than the topic's segment.bytes.",
		remedy:  "Raise segment.bytes of the output topic, or let the production exception handler drop or dead-letter the record.",
		rules:   []rule{every(on(Produce), recordFault)},
	},
	{
		err:     kerr.InvalidRecord,
		meaning: "The broker's validation refused a record, for example one without a key for a compacted topic.",
		remedy:  "Correct the record (a compacted topic needs keys), or let the production exception handler drop or dead-letter it.",
		rules:   []rule{every(on(Produce), recordFault)},
	},
	{
		err:     kerr.InvalidTimestamp,
		meaning: "A record's timestamp is outside the range that the output topic accepts.",
		remedy:  "Widen message.timestamp.before.max.ms and message.timestamp.after.max.ms of the topic, or correct the timestamp extractor.",
		rules:   []rule{every(on(Produce), recordFault)},
	},
	{
		err:     kerr.InvalidTopicException,
		meaning: "A record was sent to a topic whose name is not legal.",
		remedy:  "Correct the function that chooses the topic: a name has 1 to 249 of the characters A-Z a-z 0-9 . _ -",
		rules:   []rule{every(on(Produce), recordFault)},
	},
	{
		err:     kerr.CorruptMessage,
		meaning: "A batch failed its checksum on the way to the broker, or an old broker refused a record without a key for a compacted topic.",
		remedy:  "If it recurs, check the network path and the memory of the hosts, and that records for compacted topics have keys.",
		rules:   []rule{every(on(Produce), abort)},
	},
	{
		err:     kerr.UnknownTopicOrPartition,
		meaning: "The topic or partition does not exist, or the brokers have not heard of it yet.",
		remedy:  "Create the topic again with its former number of partitions; state of a deleted changelog topic has to be rebuilt.",
		rules: []rule{
			// The client waited for the topic before it gave up. Going on
			// without an output or changelog topic would lose data.
			every(on(Produce, AddPartitionsToTxn), fatal),
			every(on(TxnOffsetCommit), abort),
			every(on(OffsetCommit, OffsetFetch), retry),
		},
	},
	{
		err:     kerr.UnknownTopicID,
		meaning: "The topic was deleted and created again since this process started.",
		remedy:  "Reset the application, since offsets and state belong to the old topic, then start it again.",
		rules:   []rule{every(on(Produce, AddPartitionsToTxn), fatal), every(on(TxnOffsetCommit), abort)},
	},
	{
		err:     kerr.InconsistentTopicID,
		meaning: "The topic was deleted and created again, and brokers disagree about which of the two is meant.",
		remedy:  "Reset the application, since offsets and state belong to the old topic, then start it again.",
		rules:   []rule{every(on(Produce, AddPartitionsToTxn), fatal), every(on(TxnOffsetCommit), abort)},
	},
	{
		err:     kerr.UnsupportedForMessageFormat,
		meaning: "The output topic stores a message format that is too old for transactions or headers.",
		remedy:  "Raise the topic's message format, or use another topic.",
		rules:   []rule{every(on(Produce), fatal)},
	},
	{
		err:     kerr.UnsupportedCompressionType,
		meaning: "The broker does not support the compression of the batch.",
		remedy:  "Set compression.type to one that all brokers support.",
		rules:   []rule{every(on(Produce), fatal)},
	},
	{
		err:     kerr.PolicyViolation,
		meaning: "A policy plugin of the broker refused the request.",
		remedy:  "Ask the operator of the cluster which policy it was, and follow it.",
		rules:   []rule{every(on(Produce), fatal)},
	},
}
