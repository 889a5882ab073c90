package demo

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc"
)

// Command returns `eosproc demo`. Its error matches [ErrVerdict] when the demo has
// run to its end and shown something else than the guarantee promises, [ErrOptions]
// when it is asked for what cannot be shown; any other error means that it could not run.
func Command() *cobra.Command {
	o := options{}
	var guarantee, output string
	var events bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "See exactly once survive a kill and a freeze, with nothing but this program",
		Long: `Starts a Kafka broker inside this process, writes orders into it, and runs the
pipeline orders → payments in three child processes. One of them is killed with
SIGKILL in an open transaction and started again; another one is frozen beyond
its session and woken up as a zombie, whose commit the broker must refuse.

At the end all topics are read back and counted. The exit status is 0 if
the guarantee held: under exactly_once_v2 no order lost, none paid twice; under
at_least_once none lost, and the duplicates are shown.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.guarantee = eosproc.Guarantee(guarantee)
			if err := o.validate(); err != nil {
				return err
			}
			var show audience
			switch {
			case output == "json":
				show = &machine{w: c.OutOrStdout(), events: events}
			case output != "text":
				return fmt.Errorf("%w: --output %q: want text or json", ErrOptions, output)
			case isTerminal(c.OutOrStdout()):
				show = &block{w: c.OutOrStdout()}
			default:
				show = &lines{w: c.OutOrStdout()}
			}
			c.SilenceUsage = true
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			o.child = append([]string{self}, strings.Fields(c.CommandPath())[1:]...)
			o.child = append(o.child, workerCommand().Name())
			// The first signal ends the orders early and goes on to the verdict; the
			// second one ends the program.
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			go func() { <-ctx.Done(); stop() }()
			r, err := run(ctx, &o, show)
			if err != nil {
				return err
			}
			if !r.good() {
				return fmt.Errorf("%w: %s", ErrVerdict, strings.Join(r.Problems, "; "))
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&guarantee, "guarantee", string(eosproc.ExactlyOnce), "processing `guarantee`: exactly_once_v2 or at_least_once")
	f.DurationVar(&o.duration, "duration", 20*time.Second, "how long orders are written")
	f.IntVar(&o.rate, "rate", 2000, "orders per second")
	f.Uint64Var(&o.seed, "seed", 1, "decides the orders and which workers suffer")
	f.StringVar(&o.dir, "dir", "eosproc-demo", "the `directory` to write to, the only one")
	f.StringVarP(&o.bootstrap, "bootstrap-server", "b", "", "use the cluster at these `host:port`s, with topics of its own that are deleted at the end")
	f.StringVar(&o.commandConfig, "command-config", "", "`file` of client properties (security) for that cluster")
	f.StringVarP(&output, "output", "o", "text", "text or json")
	f.BoolVar(&events, "events", false, "with -o json: also a line for each event")
	c.AddCommand(workerCommand())
	return c
}
