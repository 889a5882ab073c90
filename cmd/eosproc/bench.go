package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc/bench"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure Kafka-to-Kafka copies against the raw client's loops",
		Long: `Measure how fast and how soon a copy becomes visible to read_committed readers. What is measured is
an arm: a raw loop of the Kafka client (raw-eos with transactions, raw-alo at least once), or any
command that copies a topic to another. Arms run in turn, each as a process of its own, and a
number counts only if the output holds every record exactly once.

In cmd:COMMAND and in the .yaml, .json and .properties files that it names, these are replaced:
{{brokers}} {{input}} {{output}} {{group}} {{interval}} {{interval_ms}} {{dir}}.`,
	}
	var throughput, latency, startup benchFlags
	cmd.AddCommand(
		throughput.command("throughput", "Copy a filled topic as fast as possible", func(ctx context.Context, f *benchFlags, progress func(string, ...any)) (bench.Report, int, error) {
			c, err := f.throughput()
			if err != nil {
				return nil, 0, usage(err)
			}
			c.Logf = progress
			r, err := bench.Throughput(ctx, c)
			return r, len(r.Summary), err
		}),
		latency.command("latency", "Copy a fixed rate and measure when records become visible", func(ctx context.Context, f *benchFlags, progress func(string, ...any)) (bench.Report, int, error) {
			c, err := f.latency()
			if err != nil {
				return nil, 0, usage(err)
			}
			c.Logf = progress
			r, err := bench.Latency(ctx, c)
			return r, len(r.Summary), err
		}),
		startup.command("startup", "Measure the time from process start to the first visible output", func(ctx context.Context, f *benchFlags, progress func(string, ...any)) (bench.Report, int, error) {
			c, err := f.latency()
			if err != nil {
				return nil, 0, usage(err)
			}
			c.Logf = progress
			r, err := bench.Startup(ctx, c)
			return r, len(r.Summary), err
		}),
	)
	return cmd
}

// command makes one measurement's command. A result that was cut short by an error has no
// summaries and is not printed.
func (f *benchFlags) command(name, short string, measure func(context.Context, *benchFlags, func(string, ...any)) (bench.Report, int, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		Example: fmt.Sprintf("  eosproc bench %s -b localhost:9092 --arm raw-eos \\\n    --arm 'eosproc=cmd:eosproc run copy.yaml -b {{brokers}} -X application.id={{group}} -X state.dir={{dir}}'", name),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			progress := func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) }
			r, summaries, err := measure(cmd.Context(), f, progress)
			if errors.Is(err, bench.ErrInvalidConfig) {
				return usage(err)
			}
			if summaries > 0 {
				err = errors.Join(err, f.print(cmd, r))
			}
			return err
		},
	}
	f.register(cmd, name)
	return cmd
}

func (f *benchFlags) print(cmd *cobra.Command, r bench.Report) error {
	if f.json() {
		return bench.WriteJSON(cmd.OutOrStdout(), r)
	}
	return r.Table(cmd.OutOrStdout())
}
