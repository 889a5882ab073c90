package fencing

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
)

// transaction.version has the three values 0, 1 and 2. 0 and 1 differ only in
// how the coordinator writes its log; 2 (KIP-890 part 2) bumps the epoch at
// every end of a transaction.
const transactionVersions = 3

// row is one error of the table. [Classify], [Explain] and the golden file read
// the same rows, so that text and behaviour cannot drift apart.
type row struct {
	// err is the broker's error; nil in the rows of the Code constants.
	err *kerr.Error
	// code is Kafka's name, or a Code constant.
	code string
	// meaning says what happened, remedy what a person should do: one sentence
	// each.
	meaning, remedy string
	// rules are tried in order; a request that no rule names gets the default.
	rules []rule
}

// rule gives the decision for some requests, by transaction.version.
type rule struct {
	requests requestSet
	tv       [transactionVersions]Decision
}

// every is a rule that does not depend on transaction.version.
func every(requests requestSet, d Decision) rule {
	return rule{requests: requests, tv: [transactionVersions]Decision{d, d, d}}
}

// upTo1 is a rule with one decision for versions 0 and 1 and another for 2.
func upTo1(requests requestSet, d01, d2 Decision) rule {
	return rule{requests: requests, tv: [transactionVersions]Decision{d01, d01, d2}}
}

// The decisions of the table.
var (
	retry       = Decision{Verdict: Retry}
	abort       = Decision{Verdict: Abort}
	abortReinit = Decision{Verdict: Abort, Reinit: true}
	recordFault = Decision{Verdict: Abort, RecordFault: true}
	unknown     = Decision{Verdict: Unknown, Reinit: true}
	fatal       = Decision{Verdict: Fatal}

	byGeneration = Decision{Verdict: Fenced, By: ByGeneration}
	byInstance   = Decision{Verdict: Fenced, By: ByInstance}
	byEpoch      = Decision{Verdict: Fenced, By: ByEpoch, Reinit: true, ProveMembership: true}
	byTimeout    = Decision{Verdict: Fenced, By: ByTimeout, Reinit: true, ProveMembership: true}
)

// table is the whole of it.
var table = slices.Concat(producerRows, recordRows, groupRows, brokerRows, accessRows, clientRows)

var rowByCode = func() map[string]*row {
	m := make(map[string]*row, len(table))
	for i := range table {
		r := &table[i]
		if r.err != nil {
			r.code = r.err.Message
		}
		m[r.code] = r
	}
	return m
}()

// decide finds the decision of a row that names the request.
func (r *row) decide(req Request, version int) (Decision, bool) {
	for _, rule := range r.rules {
		if rule.requests.has(req) {
			return rule.tv[version], true
		}
	}
	return Decision{}, false
}

// defaultDecision is the answer to a broker error that no rule names. Only
// where nothing is left behind does Kafka's own "retriable" mean that the
// request is sent again: inside a transaction the client has retried already.
func defaultDecision(req Request, retriable bool) Decision {
	switch {
	case endsTransaction.has(req):
		return unknown
	case !retriable:
		return fatal
	case insideTransaction.has(req):
		return abort
	default:
		return retry
	}
}
