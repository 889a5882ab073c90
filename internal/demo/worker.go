package demo

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/internal/failpoint"
	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// workerCommand is what the demo starts as its children.
func workerCommand() *cobra.Command {
	var properties []string
	var commandConfig string
	c := &cobra.Command{
		Use:    "worker PIPELINE",
		Short:  "Run one worker of the demo",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			c.SilenceUsage = true
			if err := failpoint.Load(); err != nil {
				return err
			}
			overrides := map[string]string{}
			if commandConfig != "" {
				loaded, err := kafkaconf.Load(commandConfig)
				if err != nil {
					return err
				}
				overrides = loaded
			}
			for _, p := range properties {
				key, value, ok := strings.Cut(p, "=")
				if !ok {
					return fmt.Errorf("property %q: want key=value", p)
				}
				overrides[key] = value
			}
			return work(c.Context(), args[0], overrides, c.InOrStdin(), c.ErrOrStderr())
		},
	}
	c.Flags().StringArrayVarP(&properties, "property", "X", nil, "configuration `key=value`")
	c.Flags().StringVar(&commandConfig, "command-config", "", "`file` of client properties")
	return c
}

// work runs a pipeline until it is told to end, or until stdin ends, which means
// that the demo is gone.
func work(ctx context.Context, path string, overrides map[string]string, stdin io.Reader, stderr io.Writer) error {
	log := slog.New(slog.NewJSONHandler(stderr, nil))
	topo, config, err := loadPipeline(path, overrides)
	if err != nil {
		return err
	}
	config.Log = log
	app, err := eosproc.New(topo, config)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		// The copy lasts as long as the process, which ends with it or before it.
		_, _ = io.Copy(io.Discard, stdin)
		app.Abort()
	}()
	if err := app.Run(ctx); err != nil {
		return fmt.Errorf("run worker: %w", err)
	}
	return nil
}
