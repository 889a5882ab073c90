package bench

import (
	"context"
	"time"
)

// StartupRun is one start of one arm.
type StartupRun struct {
	Arm     string        `json:"arm"`
	Round   int           `json:"round"`
	Startup time.Duration `json:"startup_ns"` // process start to first visible output
}

// StartupSummary is one arm's starts.
type StartupSummary struct {
	Arm    string        `json:"arm"`
	Runs   int           `json:"runs"`
	Median time.Duration `json:"median_ns"`
	Min    time.Duration `json:"min_ns"`
	Max    time.Duration `json:"max_ns"`
}

// StartupResult holds every start and, in the order of the arms, a summary.
type StartupResult struct {
	Config  LatencyConfig    `json:"config"`
	Runs    []StartupRun     `json:"runs"`
	Summary []StartupSummary `json:"summary"`
}

// Startup measures the time from process start until a read_committed reader
// that is already waiting sees the output of a record that is already in the
// input: no state, a new group, the first of c.Intervals. Rate, warm-up and
// duration have no part in it but must be valid. Errors are those of
// [Latency].
func Startup(ctx context.Context, c LatencyConfig) (StartupResult, error) {
	if err := c.validate(); err != nil {
		return StartupResult{}, err
	}
	res := StartupResult{Config: c}
	r, err := newRunner(c.Brokers, c.Logf)
	if err != nil {
		return res, err
	}
	defer r.adm.Close()
	for round := range c.Repeat {
		for _, a := range rotated(c.Arms, round) {
			l, err := r.launch(ctx, c, variant{a, c.Intervals[0]})
			if err != nil {
				return res, err
			}
			run := StartupRun{Arm: a.Name, Round: round, Startup: l.startup}
			if err := r.close(ctx, l); err != nil {
				return res, err
			}
			r.logf("%s", run)
			res.Runs = append(res.Runs, run)
		}
	}
	for _, a := range c.Arms {
		var starts []time.Duration
		for _, run := range res.Runs {
			if run.Arm == a.Name {
				starts = append(starts, run.Startup)
			}
		}
		p := percentilesOf(starts)
		res.Summary = append(res.Summary, StartupSummary{
			Arm: a.Name, Runs: p.Samples, Median: median(starts), Min: p.Min, Max: p.Max,
		})
	}
	return res, nil
}
