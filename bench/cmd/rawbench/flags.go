package main

import (
	"fmt"
	"os"
	"time"

	"github.com/eosproc/eosproc/bench"
	"github.com/spf13/cobra"
)

// flags are shared by all subcommands; each reads those that concern it.
type flags struct {
	brokers     []string
	arms        []string
	intervals   []time.Duration
	records     int64
	recordBytes int
	partitions  int32
	keys        int
	seed        uint64
	input       string
	repeat      int
	warmupRuns  int
	rate        int64
	warmup      time.Duration
	duration    time.Duration
	timeout     time.Duration
	output      string
	raw         bench.RawConfig
}

func (f *flags) register(root *cobra.Command) {
	p := root.PersistentFlags()
	p.StringSliceVarP(&f.brokers, "brokers", "b", []string{"localhost:9092"}, "bootstrap servers")
	p.StringArrayVar(&f.arms, "arm", []string{"raw-eos", "raw-alo"}, "raw-eos, raw-alo or cmd:COMMAND, optionally NAME=…; repeatable, ratios are to the first")
	p.DurationSliceVar(&f.intervals, "interval", []time.Duration{100 * time.Millisecond}, "commit interval; latency takes several")
	p.Int64Var(&f.records, "records", 5_000_000, "throughput: records to copy")
	p.IntVar(&f.recordBytes, "record-bytes", 100, "length of a record's value")
	p.Int32Var(&f.partitions, "partitions", 4, "partitions of input and output")
	p.IntVar(&f.keys, "keys", 10_000, "distinct keys")
	p.Uint64Var(&f.seed, "seed", 1, "seed of the workload")
	p.StringVar(&f.input, "input", "", "throughput: topic already filled with this workload")
	p.IntVar(&f.repeat, "repeat", 3, "rounds")
	p.IntVar(&f.warmupRuns, "warmup-rounds", 1, "throughput: rounds before them that are not counted")
	p.Int64Var(&f.rate, "rate", 5000, "latency: records per second")
	p.DurationVar(&f.warmup, "warmup", 5*time.Second, "latency: load before the measured time")
	p.DurationVar(&f.duration, "duration", 20*time.Second, "latency: measured time")
	p.DurationVar(&f.timeout, "timeout", 0, "longest wait for an arm (0: the measurement's default)")
	p.StringVarP(&f.output, "output", "o", "table", "table or json")
	p.DurationVar(&f.raw.Linger, "raw-linger", 0, "raw loops: producer linger (0: the loop's default, negative: none)")
	p.IntVar(&f.raw.MaxPollRecords, "raw-max-poll-records", 0, "raw loops: records per poll (0: default)")
	p.IntVar(&f.raw.MaxBufferedRecords, "raw-max-buffered-records", 0, "raw loops: records buffered in the producer (0: default)")
	p.Int32Var(&f.raw.FetchMaxBytes, "raw-fetch-max-bytes", 0, "raw loops: bytes per fetch (0: default)")
	p.BoolVar(&f.raw.NoRecordPool, "raw-no-record-pool", false, "raw loops: allocate fetched records instead of recycling them")
	p.Int32Var(&f.raw.FetchMaxPartitionBytes, "raw-fetch-max-partition-bytes", 0, "raw loops: bytes per partition and fetch (0: default)")
}

// parseArms applies the raw loops' flags to the raw arms.
func (f *flags) parseArms() ([]bench.Arm, error) {
	if f.output != "table" && f.output != "json" {
		return nil, fmt.Errorf("unknown output %q: table or json", f.output)
	}
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

func (f *flags) throughput() (bench.ThroughputConfig, error) {
	arms, err := f.parseArms()
	if err != nil {
		return bench.ThroughputConfig{}, err
	}
	if len(f.intervals) != 1 {
		return bench.ThroughputConfig{}, fmt.Errorf("throughput takes one --interval, got %d", len(f.intervals))
	}
	return bench.ThroughputConfig{
		Brokers: f.brokers, Arms: arms, Input: f.input, Interval: f.intervals[0],
		Workload: bench.Workload{
			Records: f.records, RecordBytes: f.recordBytes, Partitions: f.partitions, Keys: f.keys, Seed: f.seed,
		},
		Repeat: f.repeat, Warmup: f.warmupRuns, Timeout: f.timeout, Logf: logf,
	}, nil
}

func (f *flags) latency() (bench.LatencyConfig, error) {
	arms, err := f.parseArms()
	if err != nil {
		return bench.LatencyConfig{}, err
	}
	return bench.LatencyConfig{
		Brokers: f.brokers, Arms: arms, Intervals: f.intervals, Rate: f.rate, RecordBytes: f.recordBytes,
		Partitions: f.partitions, Keys: f.keys, Seed: f.seed, Warmup: f.warmup, Duration: f.duration,
		Repeat: f.repeat, Timeout: f.timeout, Logf: logf,
	}, nil
}

// print writes a finished result to stdout; one that was cut short by an
// error has no summary and is not printed.
func (f *flags) print(r bench.Report, summaries int) error {
	if summaries == 0 {
		return nil
	}
	if f.output == "json" {
		return bench.WriteJSON(os.Stdout, r)
	}
	return r.Table(os.Stdout)
}

// logf writes progress to stderr, so that stdout holds the result alone.
func logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
