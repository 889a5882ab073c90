package fencing

import "github.com/twmb/franz-go/pkg/kerr"

// producerRows: who owns the transactional id, and where its transaction
// stands.
var producerRows = []row{
	{
		err:     kerr.ProducerFenced,
		meaning: "The coordinator knows a newer epoch of this transactional id: another process initialised it, or the coordinator aborted this producer's transaction because it outlived transaction.timeout.ms.",
		remedy:  "If it recurs, look for a second process with the same application.id and instance id, or raise transaction.timeout.ms above the slowest step.",
		rules:   []rule{every(ofProducer, byEpoch)},
	},
	{
		err:     kerr.InvalidProducerEpoch,
		meaning: "The partition leader or the coordinator knows a newer epoch of this producer: another process initialised the transactional id, or the transaction was timed out.",
		remedy:  "If it recurs, look for a second process with the same application.id and instance id, or raise transaction.timeout.ms above the slowest step.",
		rules:   []rule{every(ofProducer, byEpoch)},
	},
	{
		err:     kerr.InvalidProducerIDMapping,
		meaning: "The coordinator does not know this producer id for the transactional id: the id sat idle longer than transactional.id.expiration.ms, or a newer owner was given another producer id.",
		remedy:  "Nothing after a long idle time; if it recurs under load, look for a second process with the same application.id and instance id.",
		rules: []rule{
			// An open transaction cannot expire, so at a commit the id was
			// given to somebody else.
			every(on(EndTxnCommit), byEpoch),
			every(ofProducer, byTimeout),
		},
	},
	{
		err:     kerr.UnknownProducerID,
		meaning: "The partition leader has forgotten this producer, because its records were deleted or producer.id.expiration.ms passed.",
		remedy:  "Nothing; if it recurs, keep producer.id.expiration.ms and the output's retention well above the commit interval.",
		rules: []rule{
			// Up to version 1 the next transaction would go on with the old
			// epoch and its gap in the sequence; under 2 the abort itself
			// brings a new epoch.
			upTo1(insideTransaction, abortReinit, abort),
			every(on(InitProducerID), retry),
		},
	},
	{
		err:     kerr.OutOfOrderSequenceNumber,
		meaning: "The partition leader misses an earlier batch of this producer: a batch before it failed, or acknowledged records were lost.",
		remedy:  "Nothing once; if it recurs, check for unclean leader elections and min.insync.replicas below 2.",
		rules:   []rule{upTo1(insideTransaction, abortReinit, abort)},
	},
	{
		err:     kerr.DuplicateSequenceNumber,
		meaning: "The partition leader was sent a batch that it has already replaced in its memory of recent batches.",
		remedy:  "Nothing; the transaction is done again under a sequence that the leader knows.",
		rules:   []rule{upTo1(insideTransaction, abortReinit, abort)},
	},
	{
		err:     kerr.InvalidTxnState,
		meaning: "The coordinator's transaction is not in a state that allows the request: it has ended, was never begun, or is ending the other way.",
		remedy:  "If it recurs, check that no other client uses the transactional id and that transaction.version is the same on all brokers.",
		rules: []rule{
			every(endsTransaction, unknown),
			every(insideTransaction, abortReinit),
			every(on(InitProducerID), retry),
		},
	},
	{
		err:     kerr.ConcurrentTransactions,
		meaning: "The coordinator is still writing the markers of the previous transaction of this id.",
		remedy:  "Nothing; if it lasts for seconds, look at the brokers' load and at the leaders of the partitions written to.",
		rules: []rule{
			// One failed produce aborts (R7): the records after it may have
			// been accepted, and sending it again would reorder them.
			every(on(Produce), abort),
			every(ofProducer, retry),
		},
	},
	{
		err:     kerr.TransactionAbortable,
		meaning: "The broker cannot go on with this transaction, but the producer stays usable once it is aborted.",
		remedy:  "Nothing; if it recurs, look for failed partition verification in the brokers' logs.",
		rules: []rule{
			every(insideTransaction|on(EndTxnCommit), abort),
			every(on(EndTxnAbort), unknown),
			every(on(InitProducerID), retry),
		},
	},
	{
		err:     kerr.OperationNotAttempted,
		meaning: "The client or the broker did not attempt the request, because another part of the transaction had failed before.",
		remedy:  "Look for the error before this one: it is the cause.",
		rules: []rule{
			every(insideTransaction|on(EndTxnCommit), abort),
			every(on(EndTxnAbort), unknown),
			every(outsideTransaction, retry),
		},
	},
	{
		err:     kerr.InvalidTransactionTimeout,
		meaning: "transaction.timeout.ms is above the broker's transaction.max.timeout.ms.",
		remedy:  "Lower transaction.timeout.ms, or raise transaction.max.timeout.ms on the brokers.",
		rules:   []rule{every(on(InitProducerID), fatal)},
	},
	{
		err:     kerr.TransactionalIDNotFound,
		meaning: "The coordinator has no record of the transactional id.",
		remedy:  "Nothing; the worker initialises the id again once it has proved its membership.",
		rules:   []rule{every(on(InitProducerID), retry), every(insideTransaction|on(EndTxnAbort), byTimeout)},
	},
	{
		err:     kerr.TransactionCoordinatorFenced,
		meaning: "The transaction coordinator moved to another broker while the request was under way.",
		remedy:  "Nothing; if it recurs, look at the leaders of __transaction_state.",
		rules:   []rule{every(insideTransaction, abort), every(on(InitProducerID), retry)},
	},
}
