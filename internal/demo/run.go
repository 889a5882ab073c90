package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/eosproc/eosproc/internal/verify"
)

// run stages the whole demo: it starts everything, lets the faults happen, ends
// everything, and reads the topics back. When ctx ends, the orders end early. It
// returns after all that it started has ended.
func run(ctx context.Context, o *options, show audience) (_ *report, err error) {
	begin := time.Now()
	dir, err := openDirectory(o.dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.close()) }()
	c, err := openCluster(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close(context.WithoutCancel(ctx))) }()

	s := newStage(o, c, dir, show, begin)
	defer s.end()
	if err := s.start(); err != nil {
		return nil, err
	}
	if err := s.play(ctx); err != nil {
		return nil, err
	}
	r := &report{
		Guarantee: o.guarantee, Faults: s.faults, FirstPaymentSeconds: seconds(s.firstPayment),
		Setup: setup{
			Brokers: c.brokers, Embedded: c.embedded != nil, Workers: workers, Partitions: partitions,
			Rate: o.rate, Seed: o.seed, Duration: o.duration.Seconds(), Directory: dir.path,
		},
	}
	if r.Counts, err = audit(context.WithoutCancel(ctx), c); err != nil {
		return nil, err
	}
	r.Seconds = seconds(time.Since(begin))
	r.judge(canFreeze)
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	if err := dir.write(reportFile, append(text, '\n')); err != nil {
		return nil, err
	}
	return r, show.ended(r)
}

// audit reads both topics to their ends. It does not take the group's offsets as a
// bound: every order must have its payment, whatever the workers believe.
func audit(ctx context.Context, c *cluster) (counts, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*drainPatience)
	defer cancel()
	v, err := verify.Run(ctx, verify.Config{
		Client: c.options, Inputs: []string{c.orders}, Outputs: []string{c.payments},
		Identify: identify, Mode: verify.ModeID,
	})
	if err != nil {
		return counts{}, fmt.Errorf("verify: %w", err)
	}
	return countsOf(v), nil
}

func (s *stage) title() string {
	where := "brokers at " + s.cluster.brokers
	if s.cluster.embedded != nil {
		where = "broker in this process on " + s.cluster.brokers
	}
	return fmt.Sprintf("eosproc demo · %s · %d workers · %s · commit every %s", where, workers, s.options.guarantee, commitInterval)
}
