package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// backlogEvery is how often sent minus visible is noted.
const backlogEvery = 50 * time.Millisecond

// loaded is a cell with its arm running and proven to work: one record has
// gone through it to a read_committed reader.
type loaded struct {
	*cell
	child   *child
	startup time.Duration
}

// launch starts an arm on fresh topics, with one record waiting in its input,
// and returns once that record is visible in the output. The caller calls
// close, whatever happens later.
func (r *runner) launch(ctx context.Context, c LatencyConfig, v variant) (_ *loaded, err error) {
	cell, err := r.cell(ctx, v.arm, "", c.Partitions, v.interval)
	if err != nil {
		return nil, err
	}
	l := &loaded{cell: cell}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close(ctx, l))
		}
	}()
	g, err := newGenerator(r.brokers, cell.input, c)
	if err != nil {
		return nil, err
	}
	defer g.client.Close()
	epoch := time.Now()
	g.send(ctx, 0, epoch)
	if err := g.flush(ctx); err != nil {
		return nil, err
	}
	reader, err := r.reader(ctx, cell, epoch, 0, 1)
	if err != nil {
		return nil, err
	}
	defer reader.client.Close()
	reading := startTask(ctx, reader.run)
	if l.child, err = startArm(ctx, v.arm, cell.target); err != nil {
		return nil, errors.Join(err, reading.stop())
	}
	err = l.child.await(ctx, reader.all, c.Timeout, "show its first output")
	l.startup = time.Since(l.child.started)
	return l, errors.Join(err, reading.stop())
}

// reader reads the output from where it ends now: behind launch's record, if
// that has been through.
func (r *runner) reader(ctx context.Context, c *cell, epoch time.Time, after, total int64) (*visibleReader, error) {
	from, err := ends(ctx, r.adm, c.output, false)
	if err != nil {
		return nil, err
	}
	return newVisibleReader(r.brokers, c.output, from, epoch, after, total)
}

// close discards the cell, killing an arm that was not stopped.
func (r *runner) close(ctx context.Context, l *loaded) error {
	if l.child != nil {
		l.child.kill()
	}
	return r.discard(ctx, l.cell)
}

// await waits for an event of an arm that must stay alive meanwhile.
func (c *child) await(ctx context.Context, event <-chan struct{}, timeout time.Duration, what string) error {
	expired := time.NewTimer(timeout)
	defer expired.Stop()
	select {
	case <-event:
		return nil
	case <-c.exited:
		return fmt.Errorf("wait for %s to %s: %w", c.name, what, c.gone())
	case <-expired.C:
		return fmt.Errorf("wait for %s to %s: %w: %v passed%s", c.name, what, ErrTimeout, timeout, c.tail())
	case <-ctx.Done():
		return fmt.Errorf("wait for %s to %s: %w", c.name, what, ctx.Err())
	}
}

func (r *runner) latency(ctx context.Context, c LatencyConfig, v variant) (run LatencyRun, err error) {
	run = LatencyRun{Arm: v.arm.Name, Interval: v.interval}
	l, err := r.launch(ctx, c, v)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, r.close(ctx, l)) }()
	run.Startup = l.startup

	g, err := newGenerator(r.brokers, l.input, c)
	if err != nil {
		return run, err
	}
	defer g.client.Close()
	warm := int64(c.Warmup.Seconds() * float64(c.Rate))
	s := schedule{rate: c.Rate, total: warm + max(1, int64(c.Duration.Seconds()*float64(c.Rate)))}
	// A little ahead: the clients connect meanwhile, and the first record is
	// not late for being first.
	s.start = time.Now().Add(200 * time.Millisecond)
	reader, err := r.reader(ctx, l.cell, s.start, warm, s.total)
	if err != nil {
		return run, err
	}
	defer reader.client.Close()

	var backlog []int64
	reading := startTask(ctx, reader.run)
	noting := startTask(ctx, func(ctx context.Context) error {
		backlog = noteBacklog(ctx, g, reader, warm)
		return nil
	})
	err = g.run(ctx, s)
	err = errors.Join(err, noting.stop())
	var late error
	if err == nil {
		late = l.child.await(ctx, reader.all, c.Timeout, "show its last output")
	}
	err = errors.Join(err, reading.stop())
	// Output that never came is a result, to be marked: the tally says how
	// much. An arm that died is none.
	if late != nil && !errors.Is(late, ErrTimeout) {
		err = errors.Join(err, late)
	}
	if err != nil {
		return run, err
	}
	if run.Usage, err = l.child.stop(); err != nil {
		return run, err
	}
	run.Tally = reader.tally.t
	run.samples = reader.samples
	run.Latency = percentilesOf(run.samples)
	run.Verdict = evidence{
		sent: s.total, late: g.late, backlog: backlog, rate: c.Rate, tally: run.Tally,
	}.verdict()
	return run, nil
}

// noteBacklog samples until ctx ends, from the end of the warm-up on.
func noteBacklog(ctx context.Context, g *generator, v *visibleReader, warm int64) (out []int64) {
	tick := time.NewTicker(backlogEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return out
		case <-tick.C:
		}
		if sent := g.sent.Load(); sent > warm {
			out = append(out, sent-v.seen.Load())
		}
	}
}
