package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
	"github.com/eosproc/eosproc/txn"
)

// Worker processes the tasks of one group member. Make one with [New], call
// [Worker.Run] once.
type Worker struct {
	cfg     Config
	log     *slog.Logger
	observe Observer
	inputs  *inputs
	taskCfg *task.Config
	paused  atomic.Bool
	nudge   chan struct{}

	// The fields below belong to the loop, and live from one joining of the group to the next.
	worked   bool // something has been committed
	session  *txn.Session
	member   *member
	poller   *poller
	purger   *purger
	tasks    *taskTable
	emitter  emitter
	commit   commitClock
	suspects suspects
	clock    stopwatch
	state    State
	proof    fencing.Token // the token that the last sealed commit carries
	stuck    fencing.Token // the token that was refused; nothing is done until it has changed

	memberID string          // of the member to which the tasks were assigned; empty before the first assignment
	abort    context.Context // ends what the loop waits for
	patience context.Context // ends what must be waited for, however long brokers are away
}

// New makes a worker. It does not touch the network.
func New(cfg Config) *Worker {
	if cfg.Observer == nil {
		cfg.Observer = Unobserved{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	w := &Worker{
		cfg: cfg, observe: cfg.Observer, state: Created, nudge: make(chan struct{}, 1),
		log:    cfg.Log.With("worker", cfg.Index),
		inputs: newInputs(cfg.Topology, cfg.Settings.ApplicationID),
	}
	w.cfg.Log = w.log
	w.taskCfg = cfg.tasks(task.Observer{Dropped: w.observe.Dropped, Failed: w.failed, Retried: w.observe.Retried})
	return w
}

func (w *Worker) failed(id topology.TaskID, a task.Action, err *topology.RecordError) {
	w.log.Warn("record failed", "task", id.String(), "action", a.String(), "error", err)
	w.observe.Failed(id, a, err)
}

// Pause makes the worker stop processing; it stays a member of the group and
// commits what it has processed. It is safe for concurrent use, as is [Worker.Resume].
func (w *Worker) Pause() { w.paused.Store(true); w.wake() }

// Resume ends a pause.
func (w *Worker) Resume() { w.paused.Store(false); w.wake() }

func (w *Worker) wake() {
	select {
	case w.nudge <- struct{}{}:
	default:
	}
}

// Run joins the group and processes until graceful ends; it then finishes what
// it has, commits and leaves. When abort ends, it stops without committing. It
// returns nil after a clean end, else the first cause. A worker that was fenced
// because the group went on without it joins again by itself.
func (w *Worker) Run(graceful, abort context.Context) error {
	defer w.setState(Dead)
	for attempt := 0; ; attempt++ {
		w.worked = false
		err := w.membership(graceful, abort)
		if abort.Err() != nil && errors.Is(err, context.Canceled) {
			return ErrAborted
		}
		if w.worked {
			attempt = 0 // only fences in a row are a reason to wait longer
		}
		fence, fenced := errors.AsType[*fencing.FencedError](err)
		if fenced {
			w.observe.Fenced(w.cfg.Index, fence.By)
		}
		if !fenced || fence.By.EndsProcess() {
			return err
		}
		if graceful.Err() != nil {
			// It was about to leave the group anyway, and what it could not commit is
			// processed by whoever has the partitions now.
			w.log.Info("fenced at the end", "error", err)
			return nil
		}
		w.log.Warn("fenced; joining the group anew", "error", err)
		select {
		case <-time.After(min(time.Second<<min(attempt, 5), 30*time.Second)):
		case <-graceful.Done():
			return nil
		}
	}
}

// membership is one life of the worker as a member of the group.
func (w *Worker) membership(graceful, abort context.Context) (err error) {
	w.setState(Starting)
	ids, err := w.cfg.transactionalIDs()
	if err != nil {
		return err
	}
	s := &w.cfg.Settings
	w.session = txn.New(txn.Config{
		Mode: w.cfg.mode(), IDs: ids, Client: w.cfg.producerOptions, Timeout: s.Transaction.Timeout,
		DeliveryTimeout:  deliveryTimeout(s.Producer),
		Membership:       func() fencing.Token { return w.member.token() },
		ConsumerProtocol: s.Group.Protocol == settings.GroupConsumer,
		Ahead:            s.Guarantee == settings.AtMostOnce,
		Release:          release,
		Log:              w.log,
	})
	defer func() {
		// Even when it is told to stop at once, the worker tries to abort what is
		// open: readers would wait for it until its timeout.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(abort), s.ShutdownTimeout)
		defer cancel()
		defer context.AfterFunc(abort, func() { time.AfterFunc(leavePatience, cancel) })()
		if cerr := w.session.Close(ctx); cerr != nil && err == nil {
			err = fmt.Errorf("close producers: %w", cerr)
		}
	}()
	if err := w.session.Init(graceful); err != nil {
		if graceful.Err() != nil {
			return nil
		}
		return err
	}
	w.abort = abort
	patience, cancel := context.WithCancel(abort)
	defer cancel()
	defer context.AfterFunc(graceful, func() { time.AfterFunc(s.ShutdownTimeout, cancel) })()
	w.patience = patience
	defer context.AfterFunc(abort, w.session.Interrupt)()
	w.dismissPredecessor(graceful)
	if w.member, err = newMember(&w.cfg, w.inputs); err != nil {
		return err
	}
	defer w.member.leave(abort)
	w.purger = newPurger(w.member.admin, s.Topics.PurgeInterval)
	defer w.purger.close()
	w.poller = newPoller(w.member.client, s.Consumer.MaxPollRecords)
	defer w.poller.close()
	defer w.poller.stop()
	w.tasks = newTaskTable()
	w.emitter = newEmitter(w)
	w.commit, w.suspects = newCommitClock(s), suspects{}
	w.proof, w.stuck, w.memberID = fencing.Token{}, fencing.Token{}, ""
	w.clock.start(time.Now())
	defer w.closeTasks()
	return w.loop(graceful, abort)
}

func (w *Worker) dismissPredecessor(ctx context.Context) {
	if w.cfg.Memory == nil || w.cfg.Settings.Group.InstanceID != "" {
		return
	}
	id := w.cfg.Memory.LastMember(w.cfg.Index)
	if id == "" {
		return
	}
	if err := dismiss(ctx, w.session.Client(), w.cfg.Settings.ApplicationID, id, w.cfg.Settings.Group.Protocol); err != nil {
		w.log.Info("could not take the predecessor out of the group; its session has to time out", "member", id, "error", err)
	}
}

func (w *Worker) setState(s State) {
	if w.state != s {
		w.state = s
		w.observe.State(w.cfg.Index, s)
	}
}

func (w *Worker) closeTasks() {
	for _, t := range w.tasks.all() {
		if err := t.Close(); err != nil {
			w.log.Error("close task", "task", t.ID().String(), "error", err)
		}
	}
}

func (c *Config) producerOptions() []kgo.Opt {
	p := c.Settings.Producer
	return append(c.Client[:len(c.Client):len(c.Client)],
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerLinger(p.Linger),
		kgo.ProducerBatchMaxBytesFn(c.batchBytes),
		kgo.ProducerBatchCompression(compression(p)),
		kgo.RecordPartitioner(newPartitioner()),
		kgo.MaxBufferedRecords(bufferedRecords),
		kgo.MaxBufferedBytes(bufferedBytes),
	)
}
