package worker

import (
	"errors"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/txn"
)

// blame finds the input record whose output no broker takes, so that the
// production handler decides about it when it comes again. Without that, the
// same transaction would be tried and refused for ever.
func (w *Worker) blame(cause error) error {
	failed, ok := errors.AsType[*txn.ProduceError](cause)
	if !ok || !fencing.Classify(fencing.Produce, cause, w.session.TransactionVersion()).RecordFault {
		return nil
	}
	in, offset := causeOf(failed.Record)
	if in == nil {
		return cause // of a punctuation: there is no record to blame
	}
	in.Refuse(offset, cause)
	return nil
}
