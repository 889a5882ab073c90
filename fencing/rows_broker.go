package fencing

import "github.com/twmb/franz-go/pkg/kerr"

// undecided are the rules of an error that says nothing about what the broker
// did: repeat what leaves nothing behind, abort what is inside a transaction,
// read back how a transaction ended.
var undecided = []rule{
	every(outsideTransaction, retry),
	every(insideTransaction, abort),
	every(endsTransaction, unknown),
}

// brokerRows: the cluster is busy, moving, or down.
var brokerRows = []row{
	{
		err:     kerr.UnknownServerError,
		meaning: "The broker failed in a way it has no code for, or sent a code that this client does not know.",
		remedy:  "Read the broker's log at this time; upgrade eosproc if the brokers are newer than it.",
		rules:   undecided,
	},
	{
		err:     kerr.RequestTimedOut,
		meaning: "The broker did not finish the request in time; it may finish it later.",
		remedy:  "Look at the load of the brokers and for partitions with too few in-sync replicas.",
		rules:   undecided,
	},
	{
		err:     kerr.NetworkException,
		meaning: "The broker closed the connection before it answered.",
		remedy:  "Look at the brokers and the network between.",
		rules:   undecided,
	},
	{
		err:     kerr.CoordinatorNotAvailable,
		meaning: "The coordinator is not available: its internal topic has no leader.",
		remedy:  "Look at the leaders of __transaction_state and __consumer_offsets.",
		rules:   undecided,
	},
	{
		err:     kerr.CoordinatorLoadInProgress,
		meaning: "The coordinator has just moved and is still loading its state.",
		remedy:  "Nothing; if it lasts for minutes, look at the size of the internal topics.",
		rules:   undecided,
	},
	{
		err:     kerr.NotCoordinator,
		meaning: "The coordinator moved to another broker, and the client did not find it again in time.",
		remedy:  "Nothing; if it lasts, look at the leaders of __transaction_state and __consumer_offsets.",
		rules:   undecided,
	},
	{
		err:     kerr.NotLeaderForPartition,
		meaning: "The partition's leader moved to another broker, and the client did not find it again in time.",
		remedy:  "Nothing; if it lasts, look for partitions without a leader.",
		rules:   undecided,
	},
	{
		err:     kerr.LeaderNotAvailable,
		meaning: "The partition has no leader at the moment.",
		remedy:  "Nothing; if it lasts, look for partitions without a leader.",
		rules:   undecided,
	},
	{
		err:     kerr.NotEnoughReplicas,
		meaning: "The partition has fewer in-sync replicas than min.insync.replicas, so nothing was written.",
		remedy:  "Bring the missing brokers back.",
		rules:   undecided,
	},
	{
		err:     kerr.NotEnoughReplicasAfterAppend,
		meaning: "The batch was written, but to fewer replicas than min.insync.replicas.",
		remedy:  "Bring the missing brokers back.",
		rules:   undecided,
	},
	{
		err:     kerr.KafkaStorageError,
		meaning: "The broker cannot use the disk that holds the partition.",
		remedy:  "Replace the disk or the broker.",
		rules:   undecided,
	},
	{
		err:     kerr.ThrottlingQuotaExceeded,
		meaning: "The client exceeded a quota.",
		remedy:  "Raise the quota of this client, or run it slower.",
		rules:   undecided,
	},
	{
		err:     kerr.UnsupportedVersion,
		meaning: "The broker does not support the version of the request that the feature needs.",
		remedy:  "Upgrade the brokers: eosproc needs Kafka 2.5 or newer for exactly once.",
		rules:   []rule{every(anyRequest, fatal)},
	},
}

// clientRows: no broker sent the error.
var clientRows = []row{
	{
		code:    CodeTransport,
		meaning: "The connection failed, or no answer came in time: the broker may or may not have done what was asked.",
		remedy:  "Look at the brokers and the network between.",
		rules:   undecided,
	},
	{
		code:    CodeCanceled,
		meaning: "This process cancelled the request itself, because it is stopping.",
		remedy:  "Nothing.",
		rules: []rule{
			every(outsideTransaction|insideTransaction, abort),
			every(endsTransaction, unknown),
		},
	},
	{
		code:    CodeTLS,
		meaning: "The TLS handshake failed: the certificate of the broker or of this client is not accepted.",
		remedy:  "Check the CA file, the host name in the broker's certificate, the client certificate and their dates.",
		rules: []rule{
			every(outsideTransaction|insideTransaction, fatal),
			every(endsTransaction, unknown),
		},
	},
	{
		code:    CodeClient,
		meaning: "The Kafka client gave up on the request by itself, for example because its buffer was full or its retries were used up.",
		remedy:  "Read the text of the error, and the one before it.",
		rules:   undecided,
	},
}
