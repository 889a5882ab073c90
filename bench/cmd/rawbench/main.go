// Command rawbench runs package bench's measurements by hand: throughput,
// latency and start-up of the raw kgo loops and of any command.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/eosproc/eosproc/bench"
	"github.com/spf13/cobra"
)

func main() {
	if ran, err := bench.ChildMain(); ran {
		exit(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(command().ExecuteContext(ctx))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "rawbench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "rawbench",
		Short:         "Measure Kafka-to-Kafka copies",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var f flags
	f.register(root)
	root.AddCommand(
		&cobra.Command{
			Use: "throughput", Short: "Copy a filled topic as fast as possible", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				c, err := f.throughput()
				if err != nil {
					return err
				}
				res, err := bench.Throughput(cmd.Context(), c)
				return errors.Join(err, f.print(res, len(res.Summary)))
			},
		},
		&cobra.Command{
			Use: "latency", Short: "Copy a fixed rate and measure when records become visible", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				c, err := f.latency()
				if err != nil {
					return err
				}
				res, err := bench.Latency(cmd.Context(), c)
				return errors.Join(err, f.print(res, len(res.Summary)))
			},
		},
		&cobra.Command{
			Use: "startup", Short: "Time from process start to the first visible output", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				c, err := f.latency()
				if err != nil {
					return err
				}
				res, err := bench.Startup(cmd.Context(), c)
				return errors.Join(err, f.print(res, len(res.Summary)))
			},
		},
	)
	return root
}
