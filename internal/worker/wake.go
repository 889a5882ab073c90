package worker

import "time"

// wakeAt returns when the loop has something to do by itself.
func (w *Worker) wakeAt() (at time.Time, ok bool) {
	earlier := func(x time.Time) {
		if !ok || x.Before(at) {
			at, ok = x, true
		}
	}
	records, _, _ := w.session.Open()
	if w.session.State().CanSeal() && (records > 0 || w.tasks.moved()) {
		earlier(w.commit.last.Add(w.commit.interval))
	}
	if w.isStuck() {
		earlier(time.Now().Add(stuckPause))
	}
	if w.paused.Load() || !w.mayProcess() {
		return at, ok // an event changes that, not the time
	}
	for _, t := range w.tasks.all() {
		if x, due := t.WakeAt(); due {
			earlier(x)
		}
	}
	return at, ok
}

// stuckPause is how often a refused member looks whether the client has noticed.
const stuckPause = 50 * time.Millisecond

// stopwatch attributes the worker's time to activities.
type stopwatch struct{ last time.Time }

func (s *stopwatch) start(now time.Time) { s.last = now }

// lap attributes the time since the last lap.
func (s *stopwatch) lap(w *Worker, a Activity) {
	now := time.Now()
	w.observe.Spent(w.cfg.Index, a, now.Sub(s.last))
	s.last = now
}
