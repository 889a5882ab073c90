package eosproc

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/eosproc/eosproc/internal/httpapi"
	"github.com/eosproc/eosproc/internal/metrics"
)

// measure makes the metrics and lets the workers report to them.
func (a *App) measure() error {
	process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	for _, c := range []prometheus.Collector{collectors.NewGoCollector(), process} {
		if err := a.registry.Register(c); err != nil {
			return fmt.Errorf("register metrics: %w", err)
		}
	}
	m, err := metrics.New(a.registry, &a.settings, metrics.Build{Version: version(), GoVersion: runtime.Version()})
	if err != nil {
		return err
	}
	a.monitor.Observer = m
	return nil
}

// version returns the version of this module in the running program, "devel" if it is not known.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "github.com/eosproc/eosproc" && m.Version != "" && m.Version != "(devel)" {
			return m.Version
		}
	}
	return "devel"
}

// serveHTTP answers on eosproc.http.address until stop is called.
func (a *App) serveHTTP() (stop func() error, err error) {
	if a.settings.HTTPAddress == "" {
		return func() error { return nil }, nil
	}
	srv, err := httpapi.Listen(a.settings.HTTPAddress, httpapi.Handler(httpapi.Application{
		Metrics: a.registry, Status: a.monitor.status, Version: version, Topology: a.topology.Describe,
	}, a.log), a.log)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	return func() error { cancel(); return <-ended }, nil
}

var reasons = map[State]string{
	Created:         "starting: checking the cluster",
	Rebalancing:     "waiting for the group to assign partitions",
	Running:         "running",
	PendingShutdown: "shutting down",
	NotRunning:      "stopped",
	Error:           "stopped by an error",
}

func (m *monitor) status() httpapi.Status {
	s := m.state()
	return httpapi.Status{Live: s.Live(), Ready: s.Ready(), Reason: reasons[s]}
}
