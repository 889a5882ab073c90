package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ThroughputConfig says what [Throughput] runs.
type ThroughputConfig struct {
	Brokers  []string      `json:"brokers"`
	Arms     []Arm         `json:"arms"` // ratios are to the first
	Workload Workload      `json:"workload"`
	Input    string        `json:"input,omitempty"` // topic that Fill has filled with Workload; empty: fill one, delete it at the end
	Interval time.Duration `json:"interval_ns"`     // commit interval of every arm
	Repeat   int           `json:"repeat"`          // rounds, at least 1
	Warmup   int           `json:"warmup"`          // rounds before them that are not counted: a cold broker is slower
	Timeout  time.Duration `json:"timeout_ns"`      // per arm and round; zero: 5 minutes

	Logf func(format string, args ...any) `json:"-"` // progress for a person; nil: silent
}

// ThroughputRun is one arm's run in one round.
type ThroughputRun struct {
	Arm         string        `json:"arm"`
	Round       int           `json:"round"`              // from 0
	Rate        float64       `json:"records_per_second"` // from the first committed output to the last
	StartRate   float64       `json:"records_per_second_from_start"`
	FirstOutput time.Duration `json:"first_output_ns"` // since process start
	Done        time.Duration `json:"done_ns"`         // since process start
	CPUPerM     float64       `json:"cpu_seconds_per_million"`
	Usage       Usage         `json:"usage"`
	Tally       Tally         `json:"tally"`
}

// ThroughputSummary is the median of one arm's rounds. Ratios are medians of
// the per-round ratios to the first arm, so that drift between rounds cancels.
type ThroughputSummary struct {
	Arm         string        `json:"arm"`
	Runs        int           `json:"runs"`
	Rate        float64       `json:"records_per_second"`
	StartRate   float64       `json:"records_per_second_from_start"`
	CPUPerM     float64       `json:"cpu_seconds_per_million"`
	PeakRSS     int64         `json:"peak_rss_bytes"` // highest of the runs, not their median
	FirstOutput time.Duration `json:"first_output_ns"`
	RateRatio   float64       `json:"rate_ratio"`
	CPURatio    float64       `json:"cpu_ratio"`
	Exact       bool          `json:"exact"` // in every run
}

// ThroughputResult holds every run and, in the order of the arms, a summary.
type ThroughputResult struct {
	Config  ThroughputConfig    `json:"config"`
	Runs    []ThroughputRun     `json:"runs"`
	Summary []ThroughputSummary `json:"summary"`
}

func (c *ThroughputConfig) validate() error {
	if err := c.Workload.Validate(); err != nil {
		return err
	}
	if c.Repeat < 1 || c.Warmup < 0 || c.Interval < 0 || c.Timeout < 0 {
		return fmt.Errorf("%w: repeat must be at least 1; warmup, interval and timeout not negative", ErrInvalidConfig)
	}
	if c.Timeout == 0 {
		c.Timeout = 5 * time.Minute
	}
	return checkArms(c.Arms)
}

// Throughput copies the whole workload with each arm in turn, Repeat times
// over. A run whose output is not exact is kept and marked; an arm that fails
// or does not finish ends the measurement with an error that wraps
// [ErrArmExited] or [ErrTimeout], beside the runs so far.
func Throughput(ctx context.Context, c ThroughputConfig) (res ThroughputResult, err error) {
	if err := c.validate(); err != nil {
		return res, err
	}
	res.Config = c
	r, err := newRunner(c.Brokers, c.Logf)
	if err != nil {
		return res, err
	}
	defer r.adm.Close()
	if c.Input == "" {
		c.Input = r.prefix + "-in"
		start := time.Now()
		if err := Fill(ctx, c.Brokers, c.Input, c.Workload); err != nil {
			return res, err
		}
		r.logf("filled %d records at %.0f records/s", c.Workload.Records,
			float64(c.Workload.Records)/time.Since(start).Seconds())
		defer func() {
			err = errors.Join(err, r.discard(ctx, &cell{topics: []string{c.Input}}))
		}()
	}
	for round := -c.Warmup; round < c.Repeat; round++ {
		for _, a := range rotated(c.Arms, round+c.Warmup) {
			run, err := r.throughput(ctx, c, a)
			if err != nil {
				return res, err
			}
			run.Round = round
			r.logf("%s", run)
			if round >= 0 {
				res.Runs = append(res.Runs, run)
			}
		}
	}
	res.Summary = summarize(c.Arms, res.Runs)
	return res, nil
}

func (r *runner) throughput(ctx context.Context, c ThroughputConfig, a Arm) (run ThroughputRun, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cell, err := r.cell(ctx, a, c.Input, c.Workload.Partitions, c.Interval)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, r.discard(ctx, cell)) }()
	want, err := ends(ctx, r.adm, c.Input, false)
	if err != nil {
		return run, err
	}
	if n := sum(want); n != c.Workload.Records {
		return run, fmt.Errorf("%w: input %s holds %d records, the workload says %d",
			ErrInvalidConfig, c.Input, n, c.Workload.Records)
	}
	child, err := startArm(ctx, a, cell.target)
	if err != nil {
		return run, err
	}
	m, err := progress{adm: r.adm, t: cell.target, want: want, child: child}.watch(ctx)
	if err != nil {
		child.kill()
		return run, err
	}
	usage, err := child.stop()
	if err != nil {
		return run, err
	}
	tally, err := Count(ctx, r.brokers, cell.output, c.Workload.Records)
	if err != nil {
		return run, err
	}
	return newThroughputRun(a.Name, c.Workload.Records, m, usage, tally), nil
}

func newThroughputRun(arm string, records int64, m milestones, u Usage, t Tally) ThroughputRun {
	run := ThroughputRun{
		Arm: arm, Usage: u, Tally: t, FirstOutput: m.first, Done: m.done,
		StartRate: float64(records) / m.done.Seconds(),
		CPUPerM:   u.CPU.Seconds() / float64(records) * 1e6,
	}
	// A run so short that its first sighting was its last has no span of
	// its own; its rate is the one from process start.
	run.Rate = run.StartRate
	if span := m.done - m.first; span > pollEvery && records > m.firstRecords {
		run.Rate = float64(records-m.firstRecords) / span.Seconds()
	}
	return run
}

func summarize(arms []Arm, runs []ThroughputRun) []ThroughputSummary {
	base := make(map[int]ThroughputRun)
	for _, run := range runs {
		if run.Arm == arms[0].Name {
			base[run.Round] = run
		}
	}
	var out []ThroughputSummary
	for _, a := range arms {
		s := ThroughputSummary{Arm: a.Name, Exact: true}
		var rates, startRates, cpus, rateRatios, cpuRatios []float64
		var firsts []time.Duration
		for _, run := range runs {
			if run.Arm != a.Name {
				continue
			}
			s.Runs++
			s.PeakRSS = max(s.PeakRSS, run.Usage.PeakRSS)
			s.Exact = s.Exact && run.Tally.Exact()
			rates = append(rates, run.Rate)
			startRates = append(startRates, run.StartRate)
			cpus = append(cpus, run.CPUPerM)
			firsts = append(firsts, run.FirstOutput)
			rateRatios = append(rateRatios, run.Rate/base[run.Round].Rate)
			cpuRatios = append(cpuRatios, run.CPUPerM/base[run.Round].CPUPerM)
		}
		s.Rate, s.StartRate, s.CPUPerM = median(rates), median(startRates), median(cpus)
		s.FirstOutput = median(firsts)
		s.RateRatio, s.CPURatio = median(rateRatios), median(cpuRatios)
		out = append(out, s)
	}
	return out
}
