package txn

import (
	"time"

	"github.com/eosproc/eosproc/fencing"
)

// judge turns the error of a step into the event that the cycle goes on with.
// refused is the event if the verdict is that an abort mends it; age is how long
// the transaction had been open, 0 if that does not matter.
func (s *Session) judge(err error, refused Event, age time.Duration) Answer {
	d := decide(err, s.version).WithTransactionAge(age, s.cfg.Timeout)
	if d.Verdict == fencing.Retry {
		d = d.GiveUp(requestOf(err))
	}
	a := Answer{event: refused, err: s.refusal(err, age)}
	switch d.Verdict {
	case fencing.Unknown:
		a.event = Unknown
	case fencing.Fatal:
		a.event = Failed
	case fencing.Fenced:
		switch {
		case d.By.EndsProcess():
			a.event = Fenced
		case d.ProveMembership:
			a.event = Suspect
		}
	}
	s.log.Warn("commit step failed", "error", err, "verdict", d.String(), "event", a.event.String())
	return a
}

// refusal wraps an error as a fence if it is one, so that the worker can tell
// and count fences by their cause.
func (s *Session) refusal(err error, age time.Duration) error {
	d := decide(err, s.version).WithTransactionAge(age, s.cfg.Timeout)
	if d.Verdict != fencing.Fenced {
		return err
	}
	return fencing.NewFencedError(d, requestOf(err), err)
}

func (n *Sealed) age() time.Duration { return time.Since(n.Begun) }
