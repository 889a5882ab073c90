package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// LatencyConfig says what [Latency] runs.
type LatencyConfig struct {
	Brokers     []string        `json:"brokers"`
	Arms        []Arm           `json:"arms"`         // ratios are to the first
	Intervals   []time.Duration `json:"intervals_ns"` // commit intervals that every arm is run at, at least one
	Rate        int64           `json:"rate"`         // records per second, at least 1
	RecordBytes int             `json:"record_bytes"` // at least 32: sequence number and intended time
	Partitions  int32           `json:"partitions"`
	Keys        int             `json:"keys"`
	Seed        uint64          `json:"seed"`
	Warmup      time.Duration   `json:"warmup_ns"`   // load before the measured time, dropped
	Duration    time.Duration   `json:"duration_ns"` // measured time
	Repeat      int             `json:"repeat"`      // rounds, at least 1
	Timeout     time.Duration   `json:"timeout_ns"`  // for the first output, and for the last one after the load's end; zero: 30 seconds

	Logf func(format string, args ...any) `json:"-"` // progress for a person; nil: silent
}

// LatencyRun is one arm at one interval in one round. Latency counts from a
// record's intended send time to the return of the read_committed poll that
// held it.
type LatencyRun struct {
	Arm      string        `json:"arm"`
	Interval time.Duration `json:"interval_ns"`
	Round    int           `json:"round"`
	Latency  Percentiles   `json:"latency"`
	Startup  time.Duration `json:"startup_ns"` // process start to first visible output
	Usage    Usage         `json:"usage"`
	Tally    Tally         `json:"tally"`
	Verdict  Verdict       `json:"verdict"`

	samples []time.Duration
}

// LatencySummary pools the samples of one arm at one interval over all
// rounds, invalid ones included: leaving those out would flatter.
type LatencySummary struct {
	Arm      string        `json:"arm"`
	Interval time.Duration `json:"interval_ns"`
	Runs     int           `json:"runs"`
	Latency  Percentiles   `json:"latency"`
	CPU      time.Duration `json:"cpu_ns"` // median of the runs
	Valid    bool          `json:"valid"`  // every run
	Best     bool          `json:"best"`   // lowest p50, then p99, among the arm's valid intervals
	P50Ratio float64       `json:"p50_ratio,omitempty"`
	P99Ratio float64       `json:"p99_ratio,omitempty"` // both of the best only: to the first arm's best
}

// LatencyResult holds every run and a summary by arm and interval.
type LatencyResult struct {
	Config  LatencyConfig    `json:"config"`
	Runs    []LatencyRun     `json:"runs"`
	Summary []LatencySummary `json:"summary"`
}

func (c *LatencyConfig) validate() error {
	w := Workload{Records: 1, RecordBytes: c.RecordBytes, Partitions: c.Partitions, Keys: c.Keys}
	if err := w.Validate(); err != nil {
		return err
	}
	switch {
	case c.RecordBytes < minLatencyBytes:
		return fmt.Errorf("%w: record bytes is %d, must be at least %d to hold the intended time",
			ErrInvalidConfig, c.RecordBytes, minLatencyBytes)
	case c.Rate < 1 || c.Repeat < 1 || len(c.Intervals) == 0:
		return fmt.Errorf("%w: rate and repeat must be at least 1, with at least one interval", ErrInvalidConfig)
	case c.Duration <= 0 || c.Warmup < 0 || c.Timeout < 0 || slices.Min(c.Intervals) < 0:
		return fmt.Errorf("%w: duration must be positive; warmup, timeout and intervals not negative", ErrInvalidConfig)
	}
	if c.Timeout == 0 {
		c.Timeout = 30 * time.Second
	}
	return checkArms(c.Arms)
}

// variant is an arm at an interval.
type variant struct {
	arm      Arm
	interval time.Duration
}

func (c LatencyConfig) variants() (out []variant) {
	for _, i := range c.Intervals {
		for _, a := range c.Arms {
			out = append(out, variant{a, i})
		}
	}
	return out
}

// Latency runs every arm at every interval, interleaved, Repeat times over,
// each under its own open-loop load. A run that breaks a rule is kept and
// marked; an arm that fails, or shows no output in time, ends the measurement
// with an error that wraps [ErrArmExited] or [ErrTimeout], beside the runs so
// far.
func Latency(ctx context.Context, c LatencyConfig) (LatencyResult, error) {
	if err := c.validate(); err != nil {
		return LatencyResult{}, err
	}
	res := LatencyResult{Config: c}
	r, err := newRunner(c.Brokers, c.Logf)
	if err != nil {
		return res, err
	}
	defer r.adm.Close()
	for round := range c.Repeat {
		for _, v := range rotated(c.variants(), round) {
			run, err := r.latency(ctx, c, v)
			if err != nil {
				return res, err
			}
			run.Round = round
			r.logf("%s", run)
			res.Runs = append(res.Runs, run)
		}
	}
	res.Summary = summarizeLatency(c, res.Runs)
	return res, nil
}

func summarizeLatency(c LatencyConfig, runs []LatencyRun) []LatencySummary {
	var out []LatencySummary
	best := make(map[string]int) // arm → index of its best in out
	for _, a := range c.Arms {
		for _, i := range c.Intervals {
			s := LatencySummary{Arm: a.Name, Interval: i, Valid: true}
			var samples, cpus []time.Duration
			for _, run := range runs {
				if run.Arm != a.Name || run.Interval != i {
					continue
				}
				s.Runs++
				s.Valid = s.Valid && run.Verdict.Valid
				samples = append(samples, run.samples...)
				cpus = append(cpus, run.Usage.CPU)
			}
			s.Latency, s.CPU = percentilesOf(samples), median(cpus)
			out = append(out, s)
			if b, ok := best[a.Name]; s.Valid && (!ok || s.Latency.better(out[b].Latency)) {
				best[a.Name] = len(out) - 1
			}
		}
	}
	base, haveBase := best[c.Arms[0].Name]
	for _, i := range best {
		out[i].Best = true
		if haveBase {
			out[i].P50Ratio = float64(out[i].Latency.P50) / float64(out[base].Latency.P50)
			out[i].P99Ratio = float64(out[i].Latency.P99) / float64(out[base].Latency.P99)
		}
	}
	return out
}
