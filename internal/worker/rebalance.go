package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
)

// regroup deals with a change of the assignment and lets the callback return.
func (w *Worker) regroup(e groupEvent) error {
	start := time.Now()
	w.clock.lap(w, Idle)
	defer w.clock.lap(w, Rebalancing)
	// Nothing fetched under the old assignment may come later than this.
	if err := w.ingest(w.poller.stop()); err != nil {
		return err
	}
	var err error
	switch e.kind {
	case assigned:
		err = w.assigned(e.partitions)
	case positioned:
		err = w.positioned(e.positions)
	case revoked:
		err = w.revoked(e.partitions)
	case lost:
		err = w.lost(e.partitions)
	}
	if err != nil {
		return err
	}
	close(e.done)
	if len(e.partitions) > 0 {
		w.observe.Rebalanced(w.cfg.Index, w.tasks.ids(), time.Since(start))
	}
	return nil
}

// assigned makes the tasks of new partitions. Their positions come later.
func (w *Worker) assigned(partitions map[string][]int32) error {
	w.setState(PartitionsAssigned)
	if err := w.becomeMember(); err != nil {
		return err
	}
	w.remember()
	for topic, list := range partitions {
		in, ok := w.inputs.lookup(topic)
		if !ok {
			return fmt.Errorf("assigned topic %q, which no source reads", topic)
		}
		for _, p := range list {
			t, err := w.taskFor(topology.TaskID{SubTopology: in.sub, Partition: p})
			if err != nil {
				return err
			}
			if err := w.tasks.attach(t, topic, in.logical, p); err != nil {
				return err
			}
		}
	}
	if len(partitions) > 0 {
		w.log.Info("assigned", "partitions", topicPartitions(partitions), "generation", w.member.token().Generation)
	} else {
		w.setState(Running)
	}
	return nil
}

// becomeMember takes on the member id under which the assignment was made. If it
// is a new one, the partitions that have stayed are read again from what is committed.
func (w *Worker) becomeMember() error {
	token := w.member.token()
	if w.isEstranged(token) && len(w.tasks.all()) > 0 {
		if err := w.abandon(w.patience, errEstranged); err != nil {
			return err
		}
		if err := w.rewind(errEstranged); err != nil {
			return err
		}
	}
	w.memberID = token.MemberID
	return nil
}

func (w *Worker) taskFor(id topology.TaskID) (*task.Task, error) {
	if t := w.tasks.byID[id]; t != nil {
		return t, nil
	}
	t, err := task.New(w.inputs.subs[id.SubTopology], id.Partition, w.taskCfg)
	if err != nil {
		return nil, err
	}
	w.tasks.add(t)
	return t, nil
}

// positioned sets where the new partitions are read from.
func (w *Worker) positioned(positions []position) error {
	for _, p := range positions {
		if in := w.tasks.input(p.Topic, p.Partition); in != nil {
			in.SetPosition(p.Next, p.Stamp.StreamTime, p.end)
			w.log.Debug("position", "topic", p.Topic, "partition", p.Partition, "offset", p.Next, "end", p.end)
		}
	}
	w.setState(Running)
	return nil
}

// revoked commits everything, then closes the tasks of the partitions (R11).
func (w *Worker) revoked(partitions map[string][]int32) error {
	if len(partitions) == 0 {
		return nil
	}
	w.setState(PartitionsRevoked)
	if err := w.letGo(); err != nil {
		return err
	}
	w.log.Info("revoked", "partitions", topicPartitions(partitions))
	w.drop(partitions)
	return nil
}

// letGo commits what is processed, as long as the group waits for that. After it
// the partitions are someone else's.
func (w *Worker) letGo() error {
	if w.isStuck() {
		return w.abandon(w.patience, errEstranged)
	}
	ctx, cancel := context.WithTimeout(w.abort, w.cfg.Settings.Group.RebalanceTimeout)
	defer cancel()
	err := w.settle(ctx)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil && w.abort.Err() == nil {
		return w.abandon(w.patience, errLost)
	}
	return err
}

// lost drops the tasks of partitions that belong to someone else by now. What is
// open holds their output, so it is aborted whole.
func (w *Worker) lost(partitions map[string][]int32) error {
	if len(partitions) == 0 {
		return nil
	}
	w.setState(PartitionsRevoked)
	w.log.Warn("lost", "partitions", topicPartitions(partitions))
	w.drop(partitions)
	return w.abandon(w.patience, errLost)
}

// drop closes tasks. A task whose inputs are taken away only in part is an error
// of the assignment: it would go on with half of what it needs.
func (w *Worker) drop(partitions map[string][]int32) {
	gone := map[*task.Task]int{}
	for topic, list := range partitions {
		for _, p := range list {
			if in := w.tasks.input(topic, p); in != nil {
				gone[in.Task()]++
				if in.Paused {
					// The client would remember it until the partition comes back.
					in.Paused = false
					w.member.client.ResumeFetchPartitions(map[string][]int32{topic: {p}})
				}
			}
			w.observe.Unassigned(topic, p)
		}
	}
	for t := range gone {
		if err := t.Close(); err != nil {
			w.log.Error("close task", "task", t.ID().String(), "error", err)
		}
		w.tasks.remove(t)
	}
}

func (w *Worker) remember() {
	if w.cfg.Memory == nil || w.cfg.Settings.Group.InstanceID != "" {
		return
	}
	if err := w.cfg.Memory.Remember(w.cfg.Index, w.member.token().MemberID); err != nil {
		w.log.Warn("could not remember the group member; a restart after a crash will be slower", "error", err)
	}
}

// sessionError tells an error of the group membership that ends the process from
// one after which the client joins again.
func (w *Worker) sessionError(err error) error {
	d := fencing.Classify(fencing.JoinGroup, err, w.session.TransactionVersion())
	switch {
	case errors.Is(err, ErrNoOffset):
		return err
	case errors.Is(err, kerr.FencedInstanceID):
		return fencing.NewFencedError(fencing.Decision{Verdict: fencing.Fenced, By: fencing.ByInstance, Code: d.Code}, fencing.JoinGroup, err)
	case d.Verdict == fencing.Fatal:
		return fmt.Errorf("group membership: %w", err)
	default:
		w.log.Warn("group session ended; joining again", "error", err)
		return nil
	}
}
