package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/bench"
)

// benchFlags are the flags of one measurement; which are declared depends on the measurement.
type benchFlags struct {
	output
	brokers    []string
	arms       []string
	intervals  []time.Duration
	workload   bench.Workload
	input      string
	repeat     int
	warmupRuns int
	rate       int64
	warmup     time.Duration
	duration   time.Duration
	timeout    time.Duration
	raw        bench.RawConfig
}

func (f *benchFlags) register(cmd *cobra.Command, name string) {
	f.output.register(cmd, "text", "json")
	p := cmd.Flags()
	p.StringSliceVarP(&f.brokers, "bootstrap-server", "b", []string{"localhost:9092"}, "brokers to ask first, as host:port,…")
	p.StringArrayVar(&f.arms, "arm", []string{"raw-eos", "raw-alo"}, "raw-eos, raw-alo or cmd:COMMAND, perhaps NAME=…; repeatable, ratios are to the first")
	p.IntVar(&f.workload.RecordBytes, "record-bytes", 100, "length of a record's value")
	p.Int32Var(&f.workload.Partitions, "partitions", 4, "partitions of input and output")
	p.IntVar(&f.workload.Keys, "keys", 10_000, "distinct keys")
	p.Uint64Var(&f.workload.Seed, "seed", 1, "seed of the workload")
	p.IntVar(&f.repeat, "repeat", 3, "rounds")
	p.DurationVar(&f.timeout, "timeout", 0, "longest wait for an arm (0: the measurement's own)")
	p.DurationSliceVar(&f.intervals, "interval", []time.Duration{100 * time.Millisecond}, "commit interval, and for latency any number of them")
	f.rate, f.warmup, f.duration = 5000, 5*time.Second, 20*time.Second
	switch name {
	case "throughput":
		p.Int64Var(&f.workload.Records, "records", 5_000_000, "records to copy")
		p.StringVar(&f.input, "input", "", "topic that is already filled with this workload")
		p.IntVar(&f.warmupRuns, "warmup-rounds", 1, "rounds before the others that are not counted")
	case "latency":
		p.Int64Var(&f.rate, "rate", f.rate, "records per second")
		p.DurationVar(&f.warmup, "warmup", f.warmup, "load before the measured time")
		p.DurationVar(&f.duration, "duration", f.duration, "measured time")
	}
	p.DurationVar(&f.raw.Linger, "raw-linger", 0, "raw loops: linger of the producer (0: the loop's own, negative: none)")
	p.IntVar(&f.raw.MaxPollRecords, "raw-max-poll-records", 0, "raw loops: records per poll (0: the loop's own)")
	p.IntVar(&f.raw.MaxBufferedRecords, "raw-max-buffered-records", 0, "raw loops: records buffered in the producer (0: the loop's own)")
	p.Int32Var(&f.raw.FetchMaxBytes, "raw-fetch-max-bytes", 0, "raw loops: bytes per fetch (0: the loop's own)")
	p.Int32Var(&f.raw.FetchMaxPartitionBytes, "raw-fetch-max-partition-bytes", 0, "raw loops: bytes per partition and fetch (0: the loop's own)")
	p.BoolVar(&f.raw.NoRecordPool, "raw-no-record-pool", false, "raw loops: allocate fetched records instead of recycling them")
}

// parseArms applies the flags of raw loops to the raw arms.
func (f *benchFlags) parseArms() ([]bench.Arm, error) {
	var arms []bench.Arm
	for _, spec := range f.arms {
		a, err := bench.ParseArm(spec)
		if err != nil {
			return nil, err
		}
		if a.Raw != nil {
			kind := a.Raw.Kind
			*a.Raw = f.raw
			a.Raw.Kind = kind
		}
		arms = append(arms, a)
	}
	return arms, nil
}

func (f *benchFlags) throughput() (bench.ThroughputConfig, error) {
	arms, err := f.parseArms()
	if err != nil {
		return bench.ThroughputConfig{}, err
	}
	if len(f.intervals) != 1 {
		return bench.ThroughputConfig{}, usagef("throughput takes one --interval, not %d", len(f.intervals))
	}
	return bench.ThroughputConfig{
		Brokers: f.brokers, Arms: arms, Workload: f.workload, Input: f.input, Interval: f.intervals[0],
		Repeat: f.repeat, Warmup: f.warmupRuns, Timeout: f.timeout,
	}, nil
}

func (f *benchFlags) latency() (bench.LatencyConfig, error) {
	arms, err := f.parseArms()
	if err != nil {
		return bench.LatencyConfig{}, err
	}
	w := f.workload
	return bench.LatencyConfig{
		Brokers: f.brokers, Arms: arms, Intervals: f.intervals, Rate: f.rate, RecordBytes: w.RecordBytes,
		Partitions: w.Partitions, Keys: w.Keys, Seed: w.Seed, Warmup: f.warmup, Duration: f.duration,
		Repeat: f.repeat, Timeout: f.timeout,
	}, nil
}
