package txn

import "strings"

// State is the state of a worker's commit cycle: what became of the sealed
// transaction N, and whether N+1 has begun. It is a value; [State.Step] is the
// whole of its behaviour.
type State struct {
	Sealed Phase
	Next   Next
}

// Phase is how far the sealed transaction has come.
type Phase uint8

// The phases, in the order in which a transaction goes through them.
const (
	// NoneSealed: no transaction is being ended.
	NoneSealed Phase = iota
	// Flushing: the records of N are not all acknowledged yet.
	Flushing
	// SendingOffsets: TxnOffsetCommit of N is under way.
	SendingOffsets
	// Ending: EndTxn(commit) of N is under way; N can no longer be taken back.
	Ending
	// CommittingPlain: an OffsetCommit outside of any transaction is under way.
	CommittingPlain
	// Resolving: the outcome of N is being read back.
	Resolving
	// Aborting: everything begun is being aborted.
	Aborting
	// Proving: everything is dropped; membership is being proved, so that the producers may be initialised again.
	Proving
	// Stopped: fenced or failed for good.
	Stopped
)

// Next is what is known of the transaction after the sealed one.
type Next uint8

// The states of N+1.
const (
	// NotBegun: N+1 has no output yet.
	NotBegun Next = iota
	// Held: N+1 has output, which waits until N's records are acknowledged.
	Held
	// Open: N+1 has output, which is being sent.
	Open
	// Doomed: N+1 will be aborted as soon as the step under way is answered.
	Doomed
)

// Event is what happens to the cycle: a wish of the worker or an answer.
type Event uint8

// The events.
const (
	// Output: the worker has the first record for a new transaction.
	Output Event = iota
	// Seal: the open transaction is to be committed.
	Seal
	// SealPlain: only offsets are to be committed.
	SealPlain
	// Abandon: the worker cannot go on with what is open.
	Abandon
	// Acked: every record of N is acknowledged.
	Acked
	// ProduceFailed: a record of N could not be produced.
	ProduceFailed
	// NextFailed: a record of the open transaction could not be produced.
	NextFailed
	// OffsetsTaken: the group coordinator accepted the offsets.
	OffsetsTaken
	// Ended: EndTxn(commit) was answered with success.
	Ended
	// Refused: the step under way was refused in a way that an abort mends.
	Refused
	// Unknown: EndTxn was not answered, or not with anything definite.
	Unknown
	// FoundCommitted: the offsets read back bear N's stamp.
	FoundCommitted
	// FoundAborted: the offsets read back do not bear N's stamp.
	FoundAborted
	// Aborted: everything begun is aborted.
	Aborted
	// Suspect: a producer id was refused; it may have timed out or be taken.
	Suspect
	// Proved: the group still knows this member, and the producers are initialised again.
	Proved
	// Fenced: this worker may no longer write.
	Fenced
	// Failed: nothing helps until a person changes something.
	Failed
)

// Effect is what has to be done after a step, in order.
type Effect uint8

// The effects.
const (
	// Begin begins a transaction on the next producer.
	Begin Effect = iota
	// Release hands the held records to their producer.
	Release
	// Flush waits for the acknowledgements of N.
	Flush
	// SendOffsets sends TxnOffsetCommit for N.
	SendOffsets
	// EndCommit sends EndTxn(commit) for N.
	EndCommit
	// CommitPlain sends an OffsetCommit.
	CommitPlain
	// Resolve re-initialises N's producer and reads the committed offsets back.
	Resolve
	// AbortAll aborts all that is begun and not ended.
	AbortAll
	// Prove proves membership and then initialises the producers again.
	Prove
	// TellCommitted tells the worker that N is committed.
	TellCommitted
	// TellRewind tells the worker to drop what is not committed and to read again.
	TellRewind
	// TellFenced tells the worker to give up its tasks.
	TellFenced
	// TellFailed tells the worker to stop.
	TellFailed
	// Illegal reports an event that cannot happen in this state: a fault of this program.
	Illegal
)

// Mode is the processing guarantee as far as the cycle is concerned.
type Mode uint8

// The modes.
const (
	// Transactional ends every cycle with output by EndTxn.
	Transactional Mode = iota
	// Idempotent flushes and then commits offsets, without transactions: at least once.
	Idempotent
)

// Step returns the state after an event and what has to be done. It has no
// clock, no I/O and no memory beyond the state.
func (s State) Step(m Mode, e Event) (State, []Effect) {
	switch e {
	case Fenced:
		return stop(s, TellFenced)
	case Failed:
		return stop(s, TellFailed)
	}
	switch s.Sealed {
	case NoneSealed:
		return s.stepOpen(m, e)
	case Flushing:
		return s.stepFlushing(m, e)
	case SendingOffsets:
		return s.stepOffsets(e)
	case Ending:
		return s.stepEnding(e)
	case CommittingPlain:
		return s.stepPlain(e)
	case Resolving:
		return s.stepResolving(e)
	case Aborting:
		return s.stepAborting(e)
	case Proving:
		return s.stepProving(e)
	default:
		return s, nil
	}
}

func stop(s State, tell Effect) (State, []Effect) {
	if s.Sealed == Stopped {
		return s, nil
	}
	return State{Sealed: Stopped}, []Effect{tell}
}

func abortAll() (State, []Effect) { return State{Sealed: Aborting}, []Effect{AbortAll} }
func prove() (State, []Effect)    { return State{Sealed: Proving}, []Effect{Prove} }

func (s State) stepOpen(_ Mode, e Event) (State, []Effect) {
	switch {
	case e == Output && s.Next == NotBegun:
		return State{Next: Open}, []Effect{Begin}
	case e == Seal && s.Next == Open:
		return State{Sealed: Flushing}, []Effect{Flush}
	case e == SealPlain && s.Next == NotBegun:
		return State{Sealed: CommittingPlain}, []Effect{CommitPlain}
	case e == Abandon || e == NextFailed && s.Next == Open:
		return abortAll()
	case e == Suspect:
		return prove()
	}
	return s, []Effect{Illegal}
}

func (s State) stepFlushing(m Mode, e Event) (State, []Effect) {
	switch {
	case e == Output && s.Next == NotBegun:
		if m == Idempotent {
			// One producer keeps the order by itself.
			return State{Flushing, Open}, []Effect{Begin}
		}
		return State{Flushing, Held}, []Effect{Begin}
	case e == Abandon || e == NextFailed:
		return State{Flushing, Doomed}, nil
	case e == Acked && s.Next == Doomed, e == ProduceFailed:
		return abortAll()
	case e == Acked:
		first := SendOffsets
		to := State{SendingOffsets, s.Next}
		if m == Idempotent {
			first, to.Sealed = CommitPlain, CommittingPlain
		}
		if s.Next == Held {
			to.Next = Open
			return to, []Effect{first, Release}
		}
		return to, []Effect{first}
	case e == Suspect:
		return prove()
	}
	return s, []Effect{Illegal}
}

func (s State) stepOffsets(e Event) (State, []Effect) {
	switch {
	case e == Output && s.Next == NotBegun:
		return State{SendingOffsets, Open}, []Effect{Begin}
	case e == Abandon || e == NextFailed:
		return State{SendingOffsets, Doomed}, nil
	case e == OffsetsTaken && s.Next == Doomed, e == Refused:
		return abortAll()
	case e == OffsetsTaken:
		return State{Ending, s.Next}, []Effect{EndCommit}
	case e == Suspect:
		return prove()
	}
	return s, []Effect{Illegal}
}

func (s State) stepEnding(e Event) (State, []Effect) {
	switch {
	case e == Output && s.Next == NotBegun:
		return State{Ending, Open}, []Effect{Begin}
	case e == Abandon || e == NextFailed:
		return State{Ending, Doomed}, nil
	case e == Ended && s.Next == Doomed:
		return State{Sealed: Aborting}, []Effect{TellCommitted, AbortAll}
	case e == Ended:
		return State{Next: s.Next}, []Effect{TellCommitted}
	case e == Refused:
		return abortAll()
	case e == Unknown:
		return State{Sealed: Resolving}, []Effect{Resolve}
	case e == Suspect:
		// EndTxn(commit) refused by epoch: the coordinator has ended N already, one way or the other.
		return State{Sealed: Resolving}, []Effect{Resolve}
	}
	return s, []Effect{Illegal}
}

func (s State) stepPlain(e Event) (State, []Effect) {
	switch {
	case e == Output && s.Next == NotBegun:
		return State{CommittingPlain, Open}, []Effect{Begin}
	case e == Abandon || e == NextFailed:
		return State{CommittingPlain, Doomed}, nil
	case e == Ended && s.Next == Doomed:
		return State{Sealed: Aborting}, []Effect{TellCommitted, AbortAll}
	case e == Ended:
		return State{Next: s.Next}, []Effect{TellCommitted}
	case e == Refused, e == Unknown:
		// Nothing was written under these offsets, so reading again is harmless either way.
		return abortAll()
	}
	return s, []Effect{Illegal}
}

func (s State) stepResolving(e Event) (State, []Effect) {
	switch e {
	case Abandon, NextFailed:
		return s, nil
	case FoundCommitted:
		return State{Sealed: Aborting}, []Effect{TellCommitted, AbortAll}
	case FoundAborted:
		return abortAll()
	case Suspect:
		return prove()
	}
	return s, []Effect{Illegal}
}

func (s State) stepAborting(e Event) (State, []Effect) {
	switch e {
	case Abandon, NextFailed:
		return s, nil
	case Aborted:
		return State{}, []Effect{TellRewind}
	case Suspect:
		return prove()
	}
	return s, []Effect{Illegal}
}

func (s State) stepProving(e Event) (State, []Effect) {
	switch e {
	case Abandon, NextFailed:
		return s, nil
	case Proved:
		return State{}, []Effect{TellRewind}
	}
	return s, []Effect{Illegal}
}

// CanSeal reports whether a commit may begin: R3 allows one at a time.
func (s State) CanSeal() bool { return s.Sealed == NoneSealed }

// CanProcess reports whether input may be processed: not while what has been
// processed is about to be dropped.
func (s State) CanProcess() bool {
	switch s.Sealed {
	case NoneSealed, Flushing, SendingOffsets, Ending, CommittingPlain:
		return s.Next != Doomed
	default:
		return false
	}
}

// Idle reports whether nothing is begun and nothing is under way; a stopped cycle counts as idle.
func (s State) Idle() bool { return s == State{} || s.Sealed == Stopped }

var phaseNames = [...]string{"idle", "flushing", "offsets", "ending", "plain", "resolving", "aborting", "proving", "stopped"}
var nextNames = [...]string{"", "held", "open", "doomed"}
var eventNames = [...]string{"output", "seal", "seal plain", "abandon", "acked", "produce failed", "next failed", "offsets taken", "ended",
	"refused", "unknown", "found committed", "found aborted", "aborted", "suspect", "proved", "fenced", "failed"}
var effectNames = [...]string{"begin", "release", "flush", "send offsets", "end commit", "commit plain", "resolve", "abort all", "prove",
	"tell committed", "tell rewind", "tell fenced", "tell failed", "ILLEGAL"}

// String returns the state as in testdata/cycle.txt, such as "ending+open".
func (s State) String() string {
	if s.Next == NotBegun {
		return phaseNames[s.Sealed]
	}
	if s.Sealed == NoneSealed {
		return nextNames[s.Next]
	}
	return phaseNames[s.Sealed] + "+" + nextNames[s.Next]
}

// String returns the event's name.
func (e Event) String() string { return eventNames[e] }

// String returns the effect's name.
func (e Effect) String() string { return effectNames[e] }

func effectList(list []Effect) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.String()
	}
	return strings.Join(names, ", ")
}
