package fencing

// Request is the kind of request that an error answered. The same Kafka code
// means different things for different requests, so [Classify] needs both.
type Request int

// The requests of a transactional worker. The zero value is no request.
const (
	InitProducerID Request = iota + 1
	AddPartitionsToTxn
	AddOffsetsToTxn
	Produce
	TxnOffsetCommit
	EndTxnCommit
	EndTxnAbort
	OffsetFetch
	OffsetCommit
	// Heartbeat stands for Heartbeat and ConsumerGroupHeartbeat.
	Heartbeat
	// JoinGroup stands for JoinGroup and SyncGroup.
	JoinGroup
)

// Requests lists every request that [Classify] knows, in protocol order.
func Requests() []Request {
	return []Request{
		InitProducerID, AddPartitionsToTxn, AddOffsetsToTxn, Produce, TxnOffsetCommit,
		EndTxnCommit, EndTxnAbort, OffsetFetch, OffsetCommit, Heartbeat, JoinGroup,
	}
}

// String returns Kafka's name of the request; the two directions of EndTxn are
// told apart as EndTxn(commit) and EndTxn(abort).
func (r Request) String() string {
	switch r {
	case InitProducerID:
		return "InitProducerId"
	case AddPartitionsToTxn:
		return "AddPartitionsToTxn"
	case AddOffsetsToTxn:
		return "AddOffsetsToTxn"
	case Produce:
		return "Produce"
	case TxnOffsetCommit:
		return "TxnOffsetCommit"
	case EndTxnCommit:
		return "EndTxn(commit)"
	case EndTxnAbort:
		return "EndTxn(abort)"
	case OffsetFetch:
		return "OffsetFetch"
	case OffsetCommit:
		return "OffsetCommit"
	case Heartbeat:
		return "Heartbeat"
	case JoinGroup:
		return "JoinGroup"
	default:
		return "unknown request"
	}
}

// requestSet is a set of requests, one bit each.
type requestSet uint32

func on(requests ...Request) requestSet {
	var s requestSet
	for _, r := range requests {
		s |= 1 << r
	}
	return s
}

func (s requestSet) has(r Request) bool { return s&(1<<r) != 0 }

var (
	// insideTransaction: a failure leaves a transaction that has to be aborted.
	insideTransaction = on(AddPartitionsToTxn, AddOffsetsToTxn, Produce, TxnOffsetCommit)
	// endsTransaction: a failure leaves a transaction whose state is in doubt.
	endsTransaction = on(EndTxnCommit, EndTxnAbort)
	// outsideTransaction: a failure leaves nothing behind.
	outsideTransaction = on(InitProducerID, OffsetFetch, OffsetCommit, Heartbeat, JoinGroup)
	// ofProducer: the request carries a producer id and epoch.
	ofProducer = insideTransaction | endsTransaction | on(InitProducerID)
	// ofMember: the request carries a member id and generation.
	ofMember = on(TxnOffsetCommit, OffsetFetch, OffsetCommit, Heartbeat, JoinGroup)
	// anyRequest is all of them.
	anyRequest = insideTransaction | endsTransaction | outsideTransaction
)
