package fencing

import "github.com/twmb/franz-go/pkg/kerr"

// groupRows: who is a member of the consumer group, and of which generation.
//
// A fence by generation costs the worker its tasks and no more: treating it as
// fatal makes a rolling restart cascade.
var groupRows = []row{
	{
		err:     kerr.IllegalGeneration,
		meaning: "The group has moved to another generation: the partitions may belong to another member now.",
		remedy:  "Nothing; if it recurs, raise max.poll.interval.ms above the slowest step, or lower the records per transaction.",
		rules:   []rule{every(ofMember, byGeneration)},
	},
	{
		err:     kerr.UnknownMemberID,
		meaning: "The group has removed this member, because its session or rebalance timeout passed.",
		remedy:  "Nothing; if it recurs, look for long pauses of the process, or raise session.timeout.ms.",
		rules:   []rule{every(ofMember, byGeneration)},
	},
	{
		err:     kerr.FencedMemberEpoch,
		meaning: "The group coordinator has fenced this member's epoch: it must give up its partitions and join again.",
		remedy:  "Nothing; if it recurs, look for long pauses of the process.",
		rules:   []rule{every(ofMember, byGeneration)},
	},
	{
		err:     kerr.StaleMemberEpoch,
		meaning: "The group has moved to a newer member epoch than the one the request carries.",
		remedy:  "Nothing; the epoch arrives with the next heartbeat.",
		rules: []rule{
			// Fetching offsets claims nothing, so it waits for the heartbeat;
			// falling back to the reset policy would skip or repeat input.
			every(on(OffsetFetch, Heartbeat, JoinGroup), retry),
			every(ofMember, byGeneration),
		},
	},
	{
		err:     kerr.GroupIDNotFound,
		meaning: "The coordinator knows no such group: it was deleted, or its state expired.",
		remedy:  "Find out who deleted the group: without its offsets the input starts at the reset policy.",
		rules:   []rule{every(ofMember, byGeneration)},
	},
	{
		err:     kerr.FencedInstanceID,
		meaning: "Another process joined the group with the same group.instance.id and took this member's place.",
		remedy:  "Give every process its own instance id, and stop the one that should not run.",
		rules:   []rule{every(ofMember, byInstance)},
	},
	{
		err:     kerr.UnreleasedInstanceID,
		meaning: "The predecessor with the same group.instance.id is still a member of the group.",
		remedy:  "Wait for its session timeout, or stop the process that still uses the instance id.",
		rules:   []rule{every(ofMember, retry)},
	},
	{
		err:     kerr.RebalanceInProgress,
		meaning: "The group is rebalancing, so the generation of the request is about to end.",
		remedy:  "Nothing.",
		rules: []rule{
			every(on(TxnOffsetCommit, OffsetCommit), abort),
			every(ofMember, retry),
		},
	},
	{
		err:     kerr.MemberIDRequired,
		meaning: "The coordinator has given this member its id and expects it to join once more with it.",
		remedy:  "Nothing.",
		rules:   []rule{every(ofMember, retry)},
	},
	{
		err:     kerr.UnstableOffsetCommit,
		meaning: "A transaction with offsets of the partition is still open, so the committed offset is not settled yet.",
		remedy:  "If it lasts longer than transaction.timeout.ms, find the hanging transaction with kafka-transactions find-hanging.",
		rules:   []rule{every(on(OffsetFetch, OffsetCommit), retry)},
	},
	{
		err:     kerr.GroupMaxSizeReached,
		meaning: "The group has as many members as group.max.size allows.",
		remedy:  "Run fewer workers, or raise the broker's group.max.size.",
		rules:   []rule{every(on(JoinGroup, Heartbeat), fatal)},
	},
	{
		err:     kerr.InconsistentGroupProtocol,
		meaning: "The members of the group do not share an assignment protocol or a group protocol.",
		remedy:  "Give another application.id to the other application, or stop all members before the protocol is changed.",
		rules:   []rule{every(on(JoinGroup, Heartbeat), fatal)},
	},
	{
		err:     kerr.UnsupportedAssignor,
		meaning: "The brokers do not support the assignor that the group asks for.",
		remedy:  "Set group.protocol to classic, or use an assignor that the brokers know.",
		rules:   []rule{every(on(JoinGroup, Heartbeat), fatal)},
	},
	{
		err:     kerr.InvalidSessionTimeout,
		meaning: "session.timeout.ms is outside the broker's group.min.session.timeout.ms and group.max.session.timeout.ms.",
		remedy:  "Choose a session.timeout.ms in the broker's range.",
		rules:   []rule{every(on(JoinGroup), fatal)},
	},
	{
		err:     kerr.InvalidGroupID,
		meaning: "The group id is not legal.",
		remedy:  "Correct application.id.",
		rules:   []rule{every(ofMember|on(AddOffsetsToTxn), fatal)},
	},
	{
		err:     kerr.OffsetMetadataTooLarge,
		meaning: "The metadata that goes with a committed offset is longer than the broker's offset.metadata.max.bytes.",
		remedy:  "Raise offset.metadata.max.bytes on the brokers.",
		rules:   []rule{every(on(TxnOffsetCommit, OffsetCommit), fatal)},
	},
	{
		err:     kerr.InvalidCommitOffsetSize,
		meaning: "One offset commit is larger than the max.message.bytes of __consumer_offsets.",
		remedy:  "Raise max.message.bytes of __consumer_offsets, or give the worker fewer partitions.",
		rules:   []rule{every(on(TxnOffsetCommit, OffsetCommit), fatal)},
	},
}
