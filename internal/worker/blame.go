package worker

import (
	"errors"
	"fmt"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/txn"
)

// suspects narrow down which input record's output no broker takes. A broker
// refuses a whole batch for one record of it, and does not say for which one; the client
// reports the first. So the input is read again in ever smaller transactions
// until one of a single record is refused.
type suspects struct {
	limit int // of input records in one transaction; 0 while there is no suspicion
	left  int // input records to go until all that were refused have passed
	// sealed are the input records of the sealed transaction.
	sealed int
}

// blame finds the input record whose output no broker takes, so that the
// production handler decides about it when it comes again. Without that, the
// same transaction would be tried and refused for ever.
func (w *Worker) blame(cause error) error {
	refused := w.suspects.sealed + w.commit.processed
	w.suspects.sealed = 0
	failed, ok := errors.AsType[*txn.ProduceError](cause)
	if !ok || !fencing.Classify(fencing.Produce, cause, w.session.TransactionVersion()).RecordFault {
		return nil
	}
	if refused > 1 {
		w.suspects = suspects{limit: refused / 2, left: refused}
		return nil
	}
	in, offset := causeOf(failed.Record)
	if in == nil {
		return cause // of a punctuation: there is no record to blame
	}
	if in.Refused(offset) {
		return fmt.Errorf("write the dead letter of %s-%d@%d: %w", in.Topic(), in.Partition(), offset, cause)
	}
	w.suspects = suspects{}
	in.Refuse(offset, cause)
	return nil
}

// seal notes how many input records the sealed transaction has.
func (s *suspects) seal(records int) { s.sealed = records }

// committed ends the suspicion when all that was refused has passed.
func (s *suspects) committed() {
	s.left -= s.sealed
	s.sealed = 0
	if s.left <= 0 {
		s.limit = 0
	}
}

// chunk returns how many records a task may process now.
func (w *Worker) chunk() int {
	if w.suspects.limit == 0 {
		return chunk
	}
	return min(chunk, w.suspects.limit-w.commit.processed)
}

// cornered reports whether the transaction under suspicion is to be tried as it
// is. The next one waits for its outcome, or the refused one would not be known.
func (w *Worker) cornered() bool {
	return w.suspects.limit > 0 && (w.commit.processed >= w.suspects.limit || !w.session.State().CanSeal())
}
