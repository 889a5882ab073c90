package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/registryconf"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/topology"
)

// runFlags are the flags of run.
type runFlags struct {
	propertyFlags
	guarantee, http string
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run PIPELINE.yaml",
		Short: "Run a pipeline",
		Long: `Run a pipeline ("-" for stdin) until SIGINT or SIGTERM. The first signal finishes and commits the
records at hand and leaves the group; the second aborts the open transaction and
ends at once. What is aborted is processed again by the next run.

A configuration key is taken from the first of: its own flag, -X key=value, the
environment (EOSPROC_PROCESSING_GUARANTEE for processing.guarantee, …), the file of
--command-config, and config in the pipeline.

A pipeline with the formats avro, protobuf or json_schema needs schema.registry.url.
The registry has to answer at the start; while it does not answer later, records wait.`,
		Example: `  eosproc run payments.yaml -b localhost:9092
  eosproc run payments.yaml --command-config client.properties -X num.stream.threads=4
  eosproc run payments.yaml --guarantee at_least_once --http :4195`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: yamlFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.register(cmd)
	p := cmd.Flags()
	p.StringVar(&f.guarantee, "guarantee", "", "processing.guarantee: exactly_once_v2, at_least_once or at_most_once")
	p.StringVar(&f.http, "http", "", "eosproc.http.address: where /metrics, /livez and /readyz listen, as host:port or :port")
	complete(cmd, "guarantee", "exactly_once_v2", "at_least_once", "at_most_once")
	return cmd
}

func (f *runFlags) properties() (properties, error) {
	p, err := f.load()
	if f.guarantee != "" {
		p.set("processing.guarantee", f.guarantee, "--guarantee")
	}
	if f.http != "" {
		p.set("eosproc.http.address", f.http, "--http")
	}
	return p, err
}

func (f *runFlags) run(cmd *cobra.Command, path string) error {
	p, err := f.properties()
	if err != nil {
		return err
	}
	file, err := loadOne(cmd.InOrStdin(), path)
	if err != nil {
		return err
	}
	topo, buildErr := file.Build()
	s, problems, settingsErr := file.Settings(p.values)
	if buildErr != nil || settingsErr != nil {
		return usage(together(buildErr, p.relocate(problems)))
	}
	for _, warning := range p.relocate(problems) {
		slog.Warn(warning.Message, "in", warning.File)
	}
	if len(file.RegistryFormats()) > 0 {
		if topo, err = buildWithRegistry(cmd.Context(), file, s.Registry); err != nil {
			return err
		}
	}
	app, err := eosproc.New(topo, eosproc.Config{Properties: file.Config(p.values), Log: slog.Default()})
	if err != nil {
		return usage(err)
	}
	return untilSignals(cmd.Context(), app)
}

// buildWithRegistry builds a topology whose records refer to a schema registry. A
// registry that does not answer is no fault of the file.
func buildWithRegistry(ctx context.Context, file *pipeline.File, r settings.Registry) (*topology.Topology, error) {
	connect, done, err := registryconf.Connect(ctx, r)
	if err != nil {
		return nil, failed(err)
	}
	defer done()
	topo, err := file.WithRegistry(connect).Build()
	return topo, usage(err)
}

// together puts the errors of the topology and the problems of the configuration into one list.
func together(build error, config pipeline.Problems) error {
	var all pipeline.Problems
	if build != nil && !errors.As(build, &all) {
		return errors.Join(build, config.Err())
	}
	all = append(all, config...)
	all.Sort()
	return all
}

// untilSignals runs the application; the first signal ends it in order, the second at once.
func untilSignals(ctx context.Context, app *eosproc.App) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended, watcher := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watcher)
		for n := 1; ; n++ {
			select {
			case s := <-signals:
				if n > 1 {
					slog.Warn("aborting", "signal", s.String())
					app.Abort()
					return
				}
				slog.Info("stopping; another signal aborts", "signal", s.String())
				stop()
			case <-ended:
				return
			}
		}
	}()
	err := app.Run(ctx)
	close(ended)
	<-watcher
	return err
}
