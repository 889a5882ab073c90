package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/eosproc/eosproc"
)

// restartPause is how long a killed worker stays dead: about as long as a
// supervisor takes to notice.
const restartPause = 500 * time.Millisecond

func (s *stage) tell(what string, worker int, format string, args ...any) {
	s.show.happened(event{Time: time.Now(), Event: what, Worker: worker, Text: fmt.Sprintf(format, args...)})
}

// noted deals with what a child did.
func (s *stage) noted(n note) error {
	switch n.kind {
	case noteLog:
		s.logged(n)
	case noteStopped:
		s.faults.Freezes++
		s.frozenAt, s.thawAt = n.at, n.at.Add(s.cluster.timing.freeze)
		s.tell("freeze", n.worker, "worker-%d frozen (SIGSTOP) in the middle of a commit, for %s; its session lasts %s",
			n.worker, s.cluster.timing.freeze, s.cluster.timing.session)
	case noteExit:
		return s.exited(n)
	}
	return nil
}

func (s *stage) logged(n note) {
	switch l := n.line; {
	case l.refused() && s.zombie && n.worker == s.plan.frozen:
		// Whatever the code: the transaction was aborted while it slept, and
		// this is the answer to its commit. Some brokers call it fenced, others an
		// invalid state.
		s.zombie, s.faults.ZombieFenced = false, true
		s.faults.FencedCommits++
		s.tell("fenced", n.worker, "worker-%d: the zombie's commit was refused (%s); it drops it and joins the group anew", n.worker, l.code())
	case l.fenced():
		s.faults.FencedCommits++
		s.tell("fenced", n.worker, "worker-%d: commit refused (%s): the group has moved on; it aborts and reads again", n.worker, l.code())
	case l.Message == "assigned" && !s.killedAt.IsZero() && n.worker == s.plan.killed:
		s.tell("rejoin", n.worker, "worker-%d has partitions again, %.1f s after it was killed", n.worker, time.Since(s.killedAt).Seconds())
		s.killedAt = time.Time{}
	}
}

func (s *stage) exited(n note) error {
	s.past = append(s.past, s.children[n.worker-1])
	s.children[n.worker-1] = nil
	switch {
	case s.ending && n.exit == "exit status 0":
		return nil
	case !s.ending && n.killed && n.worker == s.plan.killed && s.faults.Kills == 0:
		s.faults.Kills++
		s.killedAt = n.at
		s.killed(n.worker)
	default:
		s.faults.Crashes++
		s.tell("crash", n.worker, "worker-%d ended unasked (%s); see %s", n.worker, n.exit, s.dir.file(logName(n.worker)))
		if s.faults.Crashes > 2*workers {
			return fmt.Errorf("workers keep ending; see the logs in %s", s.dir.path)
		}
	}
	if !s.ending {
		s.restarts[n.worker] = n.at.Add(restartPause)
	}
	return nil
}

// killed finds out what the killed worker left open, before it is started again.
func (s *stage) killed(worker int) {
	if s.options.guarantee != eosproc.ExactlyOnce {
		s.tell("kill", worker, "worker-%d killed (SIGKILL): payments written, their offsets not committed", worker)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), restartPause)
	defer cancel()
	open, err := s.watch.openOf(ctx, s.cluster.admin, s.cluster.transactionalIDs(worker))
	if err != nil { // for the eye only: the verdict does not need it
		s.tell("kill", worker, "worker-%d killed (SIGKILL) with an open transaction", worker)
		return
	}
	s.faults.OpenAtKill = open
	s.tell("kill", worker, "worker-%d killed (SIGKILL) with %s records in open transactions", worker, grouped(open))
}

// ticked does what is due and shows the counts.
func (s *stage) ticked() error {
	now := time.Now()
	for worker, at := range s.restarts {
		if now.Before(at) {
			continue
		}
		delete(s.restarts, worker)
		if err := s.launch(worker, ""); err != nil {
			return err
		}
		what := ""
		if s.options.guarantee == eosproc.ExactlyOnce {
			what = ", which aborts what it had left open"
		}
		s.tell("restart", worker, "worker-%d started again under its old identity%s", worker, what)
	}
	if !s.thawAt.IsZero() && now.After(s.thawAt) {
		if err := s.thaw(); err != nil {
			return err
		}
	}
	live, err := s.watch.live()
	if err != nil {
		return err
	}
	if s.firstPayment == 0 && live.committed > 0 {
		s.firstPayment = time.Since(s.begin)
	}
	s.show.progressed(progress{
		since: time.Since(s.begin), in: s.feed.produced.Load(), expected: s.feed.wanted.Load(),
		out: live.committed, duplicates: live.duplicates, aborted: live.aborted, open: live.open,
	})
	return nil
}

func (s *stage) thaw() error {
	frozen := time.Since(s.frozenAt)
	s.thawAt = time.Time{}
	c := s.children[s.plan.frozen-1]
	if c == nil {
		return nil // it has ended meanwhile, which has been told
	}
	s.zombie = true
	s.tell("thaw", s.plan.frozen, "worker-%d woken up (SIGCONT) after %.1f s, as a zombie in the middle of its commit", s.plan.frozen, frozen.Seconds())
	return c.thaw()
}
