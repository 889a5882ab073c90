package eosproc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/preflight"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/worker"
	"github.com/eosproc/eosproc/topology"
)

// App is an application: a topology and how it runs. Its methods are safe for concurrent use.
type App struct {
	topology *topology.Topology
	settings settings.Settings
	log      *slog.Logger
	onState  func(from, to State)
	monitor  *monitor
	registry *prometheus.Registry

	abort   context.Context
	stopNow context.CancelFunc

	mu      sync.Mutex
	ran     bool
	workers []*worker.Worker
	paused  bool
}

// ErrRanBefore is returned by the second call of [App.Run].
var ErrRanBefore = errors.New("an App runs once: make a new one")

// ErrStateful is returned by [App.Run] for a topology with stores. Their
// changelogs and their restoring are not there yet: such a topology runs in
// package eostest only, since on Kafka it would lose its state with its process.
var ErrStateful = errors.New("topologies with stores do not run on Kafka yet, only in eostest")

// New checks the configuration. It does not touch the network or the disk.
func New(t *topology.Topology, c Config) (*App, error) {
	s, err := c.settings()
	if err != nil {
		return nil, err
	}
	return newApp(t, s, c.Log, c.OnState), nil
}

func newApp(t *topology.Topology, s settings.Settings, log *slog.Logger, onState func(from, to State)) *App {
	if log == nil {
		log = slog.Default()
	}
	a := &App{topology: t, settings: s, log: log.With("app", s.ApplicationID), onState: onState, registry: prometheus.NewRegistry()}
	a.abort, a.stopNow = context.WithCancel(context.Background())
	a.monitor = newMonitor(a)
	return a
}

// Run processes until ctx ends. It then finishes the records at hand, commits
// them, leaves the group and returns nil; [App.Abort] cuts this short. It returns
// after all that it started has ended. Any other end is an error: [fencing.ErrFenced]
// if another process took over this one's identity, a [topology.RecordError] if a
// record failed and its handler is "fail".
func (a *App) Run(ctx context.Context) (err error) {
	a.mu.Lock()
	ran := a.ran
	a.ran = true
	a.mu.Unlock()
	if ran {
		return ErrRanBefore
	}
	defer func() { a.monitor.ended(err) }()
	if global := a.topology.NewGlobals().Topics(); len(global) > 0 {
		return fmt.Errorf("global table of topic %q: %w", global[0], ErrStateful)
	}
	for _, sub := range a.topology.SubTopologies() {
		if stores := sub.Stores(); len(stores) > 0 {
			return fmt.Errorf("store %q: %w", stores[0].Name(), ErrStateful)
		}
	}
	if err := a.measure(); err != nil {
		return err
	}
	stopHTTP, err := a.serveHTTP()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopHTTP()) }()

	dir, err := fencing.OpenDir(a.settings.State.Dir, fencing.Identity{ApplicationID: a.settings.ApplicationID})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	instance, err := dir.InstanceID(a.settings.InstanceID)
	if err != nil {
		return err
	}
	client, err := a.settings.Client.Options(a.log)
	if err != nil {
		return err
	}
	dial, err := a.settings.Client.Dialer(a.log)
	if err != nil {
		return err
	}
	found, err := preflight.Run(ctx, client, a.topology, &a.settings, a.log)
	if ctx.Err() != nil {
		return nil // told to stop before anything began
	}
	if err != nil {
		return err
	}
	if err := dir.BindCluster(found.ClusterID); err != nil {
		return err
	}
	a.log.Info("starting", "instance", instance, "guarantee", a.settings.Guarantee, "threads", a.settings.Threads,
		"transaction_version", found.TransactionVersion, "state_dir", filepath.Clean(dir.Path()))
	return a.work(ctx, worker.Config{
		InstanceID: instance, Settings: a.settings, Topology: a.topology, Client: client, Dial: dial,
		MaxRecordBytes: found.MaxRecordBytes, Memory: &members{dir}, Observer: a.monitor, Log: a.log,
	})
}

// work runs the workers until all have ended. The first that fails ends the others in order.
func (a *App) work(ctx context.Context, cfg worker.Config) error {
	graceful, stop := context.WithCancel(ctx)
	defer stop()
	a.mu.Lock()
	for i := range a.settings.Threads {
		cfg.Index = i + 1
		w := worker.New(cfg)
		if a.paused {
			w.Pause()
		}
		a.workers = append(a.workers, w)
	}
	a.mu.Unlock()
	results := make(chan error, len(a.workers))
	for i, w := range a.workers {
		go func() {
			err := w.Run(graceful, a.abort)
			if err != nil {
				err = fmt.Errorf("worker %d: %w", i+1, err)
				a.log.Error("worker ended", "error", err)
			}
			results <- err
		}()
	}
	var err error
	for range a.workers {
		if werr := <-results; werr != nil {
			err = errors.Join(err, werr)
			stop()
		}
	}
	return err
}

// Abort makes [App.Run] return at once, without committing what is open; the
// records at hand will be processed again.
func (a *App) Abort() { a.stopNow() }

// Pause stops processing and punctuation. The application stays in its group
// and commits what it has processed.
func (a *App) Pause() { a.each(true, (*worker.Worker).Pause) }

// Resume ends a pause.
func (a *App) Resume() { a.each(false, (*worker.Worker).Resume) }

func (a *App) each(paused bool, do func(*worker.Worker)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.paused = paused
	for _, w := range a.workers {
		do(w)
	}
}

// Topology returns what the application runs.
func (a *App) Topology() *topology.Topology { return a.topology }

// Metrics returns what the application measures, for a server of one's own; with
// eosproc.http.address it is served at /metrics.
func (a *App) Metrics() prometheus.Gatherer { return a.registry }

// State returns the current state.
func (a *App) State() State { return a.monitor.state() }
