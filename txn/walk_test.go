package txn

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// world models the driver and the brokers around [State.Step]: which answers are
// possible at which moment, and what has become of each transaction. Its checks
// are the rules R1 to R4.
type world struct {
	t     *rapid.T
	mode  Mode
	state State

	step     Effect // the step under way; none if it is Illegal
	sealed   int    // number of the sealed transaction, 0 if none
	open     int    // number of the transaction that takes output, 0 if none
	begun    int
	held     bool
	flushed  bool // all records of the sealed one are acknowledged
	answered bool // its offsets are taken
	ended    int  // the last transaction whose end was answered with success
	fate     map[int]string
	stopped  bool
	plain    bool
	lost     bool // a rewind is owed: what has been begun must be dropped first
}

const nothing = Illegal

// answers are the events that the driver can produce for the step under way.
func (w *world) answers() []Event {
	switch w.step {
	case Flush:
		return []Event{Acked, ProduceFailed, Suspect, Fenced, Failed}
	case SendOffsets:
		return []Event{OffsetsTaken, Refused, Suspect, Fenced, Failed}
	case EndCommit:
		return []Event{Ended, Refused, Unknown, Suspect, Fenced, Failed}
	case CommitPlain:
		return []Event{Ended, Refused, Fenced, Failed}
	case Resolve:
		return []Event{FoundCommitted, FoundAborted, Suspect, Fenced, Failed}
	case AbortAll:
		return []Event{Aborted, Suspect, Fenced, Failed}
	case Prove:
		return []Event{Proved, Fenced, Failed}
	}
	return nil
}

// wishes are the events that the worker and the producers can bring about at any time.
func (w *world) wishes() []Event {
	out := []Event{Abandon}
	if w.open == 0 && w.state.CanProcess() {
		out = append(out, Output)
	}
	if w.open != 0 {
		if !w.held {
			out = append(out, NextFailed)
		}
		if w.state.CanSeal() {
			out = append(out, Seal)
		}
	} else if w.state.CanSeal() {
		out = append(out, SealPlain)
	}
	return out
}

func (w *world) do(e Event) {
	if w.step != nothing && slices.Contains(w.answers(), e) && e != Abandon {
		w.step = nothing
	}
	switch e {
	case Seal:
		w.sealed, w.open, w.flushed, w.answered, w.plain = w.open, 0, false, false, false
	case SealPlain:
		w.plain = true
	case Acked:
		w.flushed = true
	case OffsetsTaken:
		w.answered = true
	}
	next, effects := w.state.Step(w.mode, e)
	require.NotContains(w.t, effects, Illegal, "%s in %s", e, w.state)
	w.state = next
	for _, f := range effects {
		w.perform(f, e)
	}
	w.check()
}

func (w *world) perform(f Effect, e Event) {
	t := w.t
	start := func() {
		require.Equal(t, nothing, w.step, "%s begins while %s is under way", f, w.step)
		w.step = f
	}
	switch f {
	case Begin:
		require.Zero(t, w.open, "two transactions take output")
		if w.begun >= 2 && w.mode == Transactional {
			require.NotEmpty(t, w.fate[w.begun-1], "R1: the producer's last transaction has no outcome yet")
		}
		w.begun++
		w.open, w.held = w.begun, w.state.Next == Held
		if !w.held && w.mode == Transactional && w.sealed != 0 {
			require.True(t, w.flushed, "R2: output is sent while N is not acknowledged")
		}
	case Release:
		require.True(t, w.flushed, "R2: released before the acknowledgements")
		w.held = false
	case Flush, SendOffsets, CommitPlain:
		start()
	case EndCommit:
		require.True(t, w.answered, "EndTxn without offsets (B8)")
		require.Greater(t, w.sealed, w.ended, "R3")
		start()
	case Resolve:
		start()
	case AbortAll, Prove:
		start()
		for _, n := range []int{w.sealed, w.open} {
			if n != 0 && w.fate[n] == "" {
				w.fate[n] = "dropped"
			}
		}
		w.sealed, w.open, w.held, w.lost = 0, 0, false, true
	case TellCommitted:
		require.Contains(t, []Event{Ended, FoundCommitted}, e)
		if w.sealed != 0 {
			require.Greater(t, w.sealed, w.ended, "R3: ended out of order")
			w.ended, w.fate[w.sealed] = w.sealed, "committed"
		}
		w.sealed, w.plain = 0, false
	case TellRewind:
		require.True(t, w.lost)
		require.Zero(t, w.sealed)
		require.Zero(t, w.open, "R4: something of N+1 has survived")
		w.lost = false
	case TellFenced, TellFailed:
		w.stopped = true
	}
}

func (w *world) check() {
	if w.stopped {
		require.Equal(w.t, Stopped, w.state.Sealed)
		return
	}
	if w.lost {
		require.False(w.t, w.state.CanProcess(), "processing although all is to be dropped")
		require.False(w.t, w.state.CanSeal())
	}
	if w.state.CanSeal() {
		require.Equal(w.t, nothing, w.step, "R3: sealing while %s is under way", w.step)
	} else {
		require.NotEqual(w.t, nothing, w.step, "nothing is under way in %s: it would never end", w.state)
	}
	if w.state.Next == Held || w.state.Next == Open {
		require.Equal(w.t, w.held, w.state.Next == Held)
	}
	if w.state.Idle() {
		require.Zero(w.t, w.open)
	}
}

func TestWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, mode: rapid.SampledFrom([]Mode{Transactional, Idempotent}).Draw(t, "mode"), step: nothing, fate: map[int]string{}}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			possible := append(w.wishes(), w.answers()...)
			w.do(rapid.SampledFrom(possible).Draw(t, "event"))
			if w.stopped {
				break
			}
		}
		if w.stopped {
			for e := Output; e <= Failed; e++ {
				next, effects := w.state.Step(w.mode, e)
				require.Equal(t, w.state, next)
				require.Empty(t, effects, "R9: a stopped cycle does nothing")
			}
		}
	})
}

// Whatever has happened, good answers lead back to idle: no state is a trap.
func TestEveryStateEnds(t *testing.T) {
	good := map[Effect]Event{Flush: Acked, SendOffsets: OffsetsTaken, EndCommit: Ended, CommitPlain: Ended,
		Resolve: FoundAborted, AbortAll: Aborted, Prove: Proved}
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, mode: rapid.SampledFrom([]Mode{Transactional, Idempotent}).Draw(t, "mode"), step: nothing, fate: map[int]string{}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			possible := slices.DeleteFunc(append(w.wishes(), w.answers()...), func(e Event) bool { return e == Fenced || e == Failed })
			w.do(rapid.SampledFrom(possible).Draw(t, "event"))
		}
		for range 10 {
			switch {
			case w.step != nothing:
				w.do(good[w.step])
			case w.open != 0:
				w.do(Seal)
			}
		}
		require.True(t, w.state.Idle(), "stayed in %s", w.state)
	})
}
