package worker

import (
	"context"
	"time"

	"github.com/eosproc/eosproc/txn"
)

// commitAhead commits the offsets of what is fetched before any of it is
// processed: the order that makes at most once.
func (w *Worker) commitAhead() error {
	var offsets []txn.Offset
	waiting := false
	for _, o := range w.tasks.offsets() {
		in := w.tasks.input(o.Topic, o.Partition)
		waiting = waiting || in.Fetched() > in.Ahead
		o.Next = in.Fetched()
		offsets = append(offsets, o)
	}
	if !waiting {
		return nil
	}
	ctx, cancel := context.WithTimeout(w.abort, w.cfg.Settings.Group.RebalanceTimeout)
	defer cancel()
	w.commit.last = time.Now()
	if err := w.session.Seal(txn.Sealed{Offsets: offsets, Token: w.member.token(), Payload: nothingCut}); err != nil {
		return err
	}
	for !w.session.State().Idle() {
		if err := w.answer(ctx); err != nil {
			return err
		}
	}
	for _, o := range offsets {
		if in := w.tasks.input(o.Topic, o.Partition); in != nil {
			in.Ahead = in.Fetched()
		}
	}
	return nil
}
