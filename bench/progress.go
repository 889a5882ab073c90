package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// pollEvery is how often the broker is asked about an arm's progress. It is
// the resolution of throughput's times: under half a percent of a run of
// five seconds, for one small request a time.
const pollEvery = 20 * time.Millisecond

// milestones are the moments of a throughput run, since process start.
type milestones struct {
	first        time.Duration // output first seen below the last stable offset
	firstRecords int64         // output offsets that were stable then (records, and a marker or few)
	done         time.Duration // every input offset committed and no output still unstable
}

// progress watches an arm through the broker's bookkeeping alone. A reader of
// the output would time it more finely, but would cost the broker and the
// machine a second copy of the whole stream while the arm is being measured.
// Committed offsets are enough: under exactly once they become visible with
// the output's transaction, at least once commits them after the output is
// acknowledged. The records themselves are counted after the arm has stopped.
type progress struct {
	adm   *kadm.Client
	t     target
	want  map[int32]int64 // input's end offset by partition
	child *child
}

func (p progress) watch(ctx context.Context) (milestones, error) {
	var m milestones
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return m, fmt.Errorf("watch %s: %w: %w", p.child.name, ErrTimeout, ctx.Err())
		case <-p.child.exited:
			return m, fmt.Errorf("watch %s: %w", p.child.name, p.child.gone())
		case <-tick.C:
		}
		at, done, err := p.step(ctx, &m)
		if err != nil {
			return m, err
		}
		if done {
			m.done = at
			return m, nil
		}
	}
}

// step asks for one thing at a time: stable output until there is some, then
// committed offsets, then, once all are committed, stable output again.
func (p progress) step(ctx context.Context, m *milestones) (at time.Duration, done bool, err error) {
	if m.first == 0 {
		stable, err := ends(ctx, p.adm, p.t.output, true)
		if err != nil {
			return 0, false, err
		}
		if n := sum(stable); n > 0 {
			m.first, m.firstRecords = time.Since(p.child.started), n
		}
		return 0, false, nil
	}
	committed, err := p.committed(ctx)
	if err != nil || !committed {
		return 0, false, err
	}
	stable, err := ends(ctx, p.adm, p.t.output, true)
	if err != nil {
		return 0, false, err
	}
	at = time.Since(p.child.started)
	high, err := ends(ctx, p.adm, p.t.output, false)
	if err != nil {
		return 0, false, err
	}
	return at, sum(stable) == sum(high), nil
}

func (p progress) committed(ctx context.Context) (bool, error) {
	offsets, err := p.adm.FetchOffsets(ctx, p.t.group)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return false, nil // the arm has not joined yet
	}
	if err != nil {
		return false, fmt.Errorf("fetch offsets of group %s: %w", p.t.group, err)
	}
	for partition, end := range p.want {
		if o, ok := offsets.Lookup(p.t.input, partition); end > 0 && (!ok || o.At < end) {
			return false, nil
		}
	}
	return true, nil
}
