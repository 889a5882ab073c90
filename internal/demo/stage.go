package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/eosproc/eosproc"
)

// stage is a demo under way. Its fields belong to the goroutine of play.
type stage struct {
	options *options
	cluster *cluster
	dir     *directory
	show    audience
	plan    plan
	begin   time.Time

	feed     *feed
	watch    *watch
	children [workers]*child // the current lives; nil while there is none
	logs     [workers]*os.File
	past     []*child
	notes    chan note
	done     chan struct{}

	faults       faults
	firstPayment time.Duration
	restarts     map[int]time.Time // workers to be started again, and when
	thawAt       time.Time         // when the frozen worker is to go on; zero if none is frozen
	frozenAt     time.Time
	killedAt     time.Time
	zombie       bool // the frozen worker goes on, and has not been heard of yet
	ending       bool // the workers have been told to end
}

func newStage(o *options, c *cluster, dir *directory, show audience, begin time.Time) *stage {
	return &stage{
		options: o, cluster: c, dir: dir, show: show, plan: newPlan(o), begin: begin,
		notes: make(chan note, 64), done: make(chan struct{}), restarts: map[int]time.Time{},
	}
}

func (s *stage) start() (err error) {
	s.tell("start", 0, "%s", s.title())
	if s.watch, err = startWatch(s.cluster.options, s.cluster.payments, partitions); err != nil {
		return err
	}
	for n := 1; n <= workers; n++ {
		if s.logs[n-1], err = os.Create(s.dir.file(logName(n))); err != nil {
			return fmt.Errorf("make log: %w", err)
		}
		if err := s.launch(n, s.plan.failpoint(n, s.options.guarantee)); err != nil {
			return err
		}
	}
	s.feed, err = startFeed(s.cluster.options, s.cluster.orders, s.options.seed, s.options.rate)
	return err
}

// launch starts a life of a worker. Its identity is its directory, so that a
// second life takes over what the first one left open.
func (s *stage) launch(n int, failpoint string) error {
	t := s.cluster.timing
	args := append(s.options.child[1:len(s.options.child):len(s.options.child)], s.dir.file(pipelineFile))
	properties := []string{
		"state.dir=" + s.dir.file(workerName(n)),
		"eosproc.instance.id=" + workerName(n),
		fmt.Sprintf("session.timeout.ms=%d", t.session.Milliseconds()),
		fmt.Sprintf("heartbeat.interval.ms=%d", t.heartbeat.Milliseconds()),
	}
	if s.options.guarantee == eosproc.ExactlyOnce {
		properties = append(properties, fmt.Sprintf("transaction.timeout.ms=%d", t.transaction.Milliseconds()))
	}
	for _, p := range properties {
		args = append(args, "-X", p)
	}
	if s.options.commandConfig != "" {
		args = append(args, "--command-config", s.options.commandConfig)
	}
	// Not CommandContext: a worker that is stopped or in a commit is ended by the stage.
	cmd := exec.Command(s.options.child[0], args...)
	cmd.Env = append(os.Environ(),
		"KAFKA_BROKERS="+s.cluster.brokers, "APPLICATION_ID="+s.cluster.app, "GUARANTEE="+string(s.options.guarantee),
		"ORDERS="+s.cluster.orders, "PAYMENTS="+s.cluster.payments, "EOSPROC_FAILPOINT="+failpoint)
	c, err := startChild(n, cmd, s.logs[n-1], s.notes, s.done)
	if err != nil {
		return err
	}
	s.children[n-1] = c
	return nil
}

// play lets orders flow for the duration and the faults happen, then waits until
// everything is committed and ends the workers.
func (s *stage) play(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	over := time.After(s.options.duration)
	patience := time.After(s.options.duration + drainPatience)
	ended := ctx.Done()
	for more := true; more; {
		select {
		case n := <-s.notes:
			if err := s.noted(n); err != nil {
				return err
			}
		case <-tick.C:
			if err := s.ticked(); err != nil {
				return err
			}
			// A fault that is late on a slow machine is waited for.
			more = over != nil || s.expectsFaults()
		case err := <-s.feed.done:
			return err
		case <-over:
			over = nil
		case <-patience:
			more = false
		case <-ended:
			more = false
		}
	}
	if err := s.feed.stop(); err != nil {
		return err
	}
	if err := s.drain(tick.C); err != nil {
		return err
	}
	return s.dismiss(tick.C)
}

// expectsFaults reports whether a fault of the plan is still to come.
func (s *stage) expectsFaults() bool {
	if s.faults.Kills == 0 || len(s.restarts) > 0 {
		return true
	}
	if !canFreeze {
		return false
	}
	refused := s.faults.ZombieFenced || s.options.guarantee != eosproc.ExactlyOnce
	return s.faults.Freezes == 0 || !s.thawAt.IsZero() || !refused
}

// drain waits until the group has committed all orders.
func (s *stage) drain(tick <-chan time.Time) error {
	s.tell("drain", 0, "no more orders; waiting for the last payments")
	deadline := time.Now().Add(drainPatience)
	for time.Now().Before(deadline) {
		select {
		case n := <-s.notes:
			if err := s.noted(n); err != nil {
				return err
			}
		case <-tick:
			if err := s.ticked(); err != nil {
				return err
			}
			lag, err := s.cluster.lag(context.Background())
			if err != nil {
				return err
			}
			if lag == 0 && s.thawAt.IsZero() && len(s.restarts) == 0 {
				return nil
			}
		}
	}
	return nil // the verdict will say what is missing
}

// dismiss ends the workers in order.
func (s *stage) dismiss(tick <-chan time.Time) error {
	s.ending = true
	for _, c := range s.children {
		if c != nil {
			c.terminate()
		}
	}
	deadline := time.Now().Add(drainPatience)
	for s.children != [workers]*child{} {
		select {
		case n := <-s.notes:
			if err := s.noted(n); err != nil {
				return err
			}
		case <-tick:
			if err := s.ticked(); err != nil {
				return err
			}
			if time.Now().After(deadline) {
				return errors.New("a worker did not end when asked; see the logs in " + s.dir.path)
			}
		}
	}
	return nil
}

// end stops whatever still runs.
func (s *stage) end() {
	close(s.done)
	for _, c := range append(s.past, s.children[:]...) {
		if c != nil {
			c.end()
		}
	}
	if s.feed != nil {
		s.feed.cancel()
		<-s.feed.ended
	}
	if s.watch != nil {
		s.watch.stop()
	}
	for _, log := range s.logs {
		if log != nil {
			_ = log.Close() // nothing depends on it
		}
	}
}
