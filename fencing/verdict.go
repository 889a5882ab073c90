package fencing

import "time"

// Verdict is what a worker does about an error.
type Verdict int

const (
	// OK is the verdict on a nil error and on nothing else. It is not the zero
	// value, so that a Decision nobody filled in is not a success.
	OK Verdict = iota + 1
	// Retry sends the same request again after a pause. When patience runs
	// out, [Decision.GiveUp] says what the failure amounts to.
	Retry
	// Abort ends the open transaction with EndTxn(abort), drops the overlay and
	// reads the input again from the committed offsets. Outside a transaction
	// it gives up the step at hand. The worker keeps its tasks.
	Abort
	// Fenced means that this worker may no longer write: it drops the overlay
	// and gives up its tasks. [Decision.By] says by what; [By.EndsProcess] says
	// whether the process may rejoin.
	Fenced
	// Unknown answers EndTxn only: the transaction may or may not have ended.
	// The worker re-initialises the producer and reads the outcome back.
	Unknown
	// Fatal stops the process after the open transaction is aborted: no retry
	// helps until a person changes something.
	Fatal
)

// String returns the verdict in lower case, as logs and metrics show it.
func (v Verdict) String() string {
	switch v {
	case OK:
		return "ok"
	case Retry:
		return "retry"
	case Abort:
		return "abort"
	case Fenced:
		return "fenced"
	case Unknown:
		return "unknown"
	case Fatal:
		return "fatal"
	default:
		return "none"
	}
}

// By is what fenced a worker.
type By int

const (
	// ByNone is the zero value: nothing fenced the worker.
	ByNone By = iota
	// ByEpoch: the producer epoch was refused, because another producer took
	// the transactional id.
	ByEpoch
	// ByGeneration: the group moved on without this member.
	ByGeneration
	// ByInstance: another process joined with the same group.instance.id.
	ByInstance
	// ByTimeout: the coordinator gave up on an idle or slow producer, and
	// nobody else needs to be involved.
	ByTimeout
)

// String returns the value of the metric label `by` of eosproc_fenced_total;
// "none" when nothing fenced the worker.
func (b By) String() string {
	switch b {
	case ByEpoch:
		return "epoch"
	case ByGeneration:
		return "generation"
	case ByInstance:
		return "instance"
	case ByTimeout:
		return "timeout"
	default:
		return "none"
	}
}

// EndsProcess reports whether the fence means that another process runs under
// this one's identity. Rejoining would then fence that process in turn, for
// ever, so the only right move is to exit. A fence by generation or by timeout
// costs the tasks and nothing more.
func (b By) EndsProcess() bool { return b == ByEpoch || b == ByInstance }

// Decision is the verdict on one error and what goes with it.
type Decision struct {
	Verdict Verdict
	// By is set when Verdict is Fenced, ByNone otherwise.
	By By
	// Code is Kafka's name of the error, or one of the Code constants of this
	// package for an error that no broker sent. Empty when Verdict is OK.
	Code string
	// Reinit says that the producer's id and epoch are spent: InitProducerId
	// must succeed before the producer begins again. Unless ProveMembership is
	// also set, the conditional form (own id and epoch, KIP-360) is enough and
	// safe at any time, because the broker refuses it if another process has
	// taken the id meanwhile.
	Reinit bool
	// ProveMembership says that the broker already refuses our id and epoch, so
	// that only an unconditional InitProducerId can help. That one takes the
	// id from whoever holds it, so it is allowed only after a heartbeat or a
	// join was answered, later than this decision, without an error or with
	// REBALANCE_IN_PROGRESS, which the group says to its members only.
	ProveMembership bool
	// RecordFault says that the content of a record caused the error, so that
	// sending the same record again fails again: the production exception
	// handler decides about it.
	RecordFault bool
}

// String renders the decision as the golden table does, for example
// "fenced by timeout, reinit, prove membership".
func (d Decision) String() string {
	s := d.Verdict.String()
	if d.By != ByNone {
		s += " by " + d.By.String()
	}
	if d.RecordFault {
		s += ", record fault"
	}
	if d.Reinit {
		s += ", reinit"
	}
	if d.ProveMembership {
		s += ", prove membership"
	}
	return s
}

// WithTransactionAge settles a refused epoch with what only the worker knows:
// how long the transaction had been open at the client, and its timeout. Pass
// an open of 0 when no transaction was open.
//
// The coordinator aborts a transaction by itself only after the timeout, and
// it starts to count later than the client did. So a younger transaction was
// not timed out: somebody took the id, the fence is by epoch, and the
// permission to initialise again is withdrawn. An older one was most likely
// timed out: the fence is by timeout, and a worker that proves its membership
// may go on. Most likely only, since a takeover during a long freeze looks the
// same, which is why the proof stays necessary.
//
// A clock that stands still while the host sleeps makes open too small; the
// mistake is then an exit, never a second writer. All other decisions are
// returned as they are.
func (d Decision) WithTransactionAge(open, timeout time.Duration) Decision {
	if d.Verdict != Fenced || d.By != ByEpoch || !d.ProveMembership {
		return d
	}
	if timeout > 0 && open >= timeout {
		d.By = ByTimeout
		return d
	}
	d.Reinit, d.ProveMembership = false, false
	return d
}

// GiveUp is the decision once a Retry is no longer worth repeating: Unknown for
// EndTxn, Abort inside a transaction, Fatal elsewhere. Other verdicts stay.
func (d Decision) GiveUp(req Request) Decision {
	if d.Verdict != Retry {
		return d
	}
	switch {
	case endsTransaction.has(req):
		d.Verdict, d.Reinit = Unknown, true
	case insideTransaction.has(req):
		d.Verdict = Abort
	default:
		d.Verdict = Fatal
	}
	return d
}

// MayHaveCommitted reports whether the transaction may be committed although
// req failed with this decision. The client retries EndTxn by itself, so even a
// clear refusal can be the answer to the second copy of a request whose first
// copy committed. Where this is true, local state is brought up to date from
// the committed offsets and the changelog, never from memory.
func (d Decision) MayHaveCommitted(req Request) bool {
	return req == EndTxnCommit && d.Verdict != Abort
}
