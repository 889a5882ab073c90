package worker

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// purger deletes the records of repartition topics that are processed: nobody
// reads them again, and the topics have no retention of their own. It works
// below what is committed, so that nothing is deleted that an abort would read
// again, and beside the loop, since no commit waits for it.
type purger struct {
	interval time.Duration
	last     time.Time
	admin    *kadm.Client
	running  sync.WaitGroup
	busy     chan struct{} // holds a token while a deletion is under way
}

func newPurger(admin *kadm.Client, interval time.Duration) *purger {
	return &purger{interval: interval, last: time.Now(), admin: admin, busy: make(chan struct{}, 1)}
}

// purge deletes what is committed of the internal inputs, if it is time.
func (p *purger) purge(w *Worker) {
	if p.interval <= 0 || time.Since(p.last) < p.interval {
		return
	}
	p.last = time.Now()
	below := kadm.Offsets{}
	for _, t := range w.tasks.all() {
		for _, in := range t.Inputs() {
			if w.inputs.internal(in.Topic()) && in.Committed() > 0 {
				below.AddOffset(in.Topic(), in.Partition(), in.Committed(), -1)
			}
		}
	}
	if len(below) == 0 {
		return
	}
	select {
	case p.busy <- struct{}{}:
	default:
		return // the last deletion is still under way
	}
	abort := w.abort
	p.running.Go(func() {
		defer func() { <-p.busy }()
		ctx, cancel := context.WithTimeout(abort, purgePatience)
		defer cancel()
		if _, err := p.admin.DeleteRecords(ctx, below); err != nil {
			w.log.Warn("could not delete processed records of repartition topics; trying again later", "error", err)
		}
	})
}

// close waits for the deletion under way.
func (p *purger) close() { p.running.Wait() }

const purgePatience = 10 * time.Second
