//go:build linux

package faulttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/failpoint"
	"github.com/eosproc/eosproc/internal/kafkatest"
	"github.com/eosproc/eosproc/topology"
)

// jobEnv makes the test binary a worker process; it holds a job as JSON.
const jobEnv = "EOSPROC_FAULT_JOB"

// The topologies under test.
const (
	topologyCopy = "copy"
	// topologyDeadLetters filters one record of ten, fails on another, and marks the rest.
	topologyDeadLetters = "dlq"
	// topologySparse lets one chunk of twenty through, so that most commits are of offsets alone.
	topologySparse = "sparse"
)

// job is what a worker process runs.
type job struct {
	Topology   string
	In, Out    string
	Properties map[string]string
}

// Exit codes of a worker process.
const (
	exitClean  = 0
	exitFailed = 1
	exitFenced = 4
)

// mapped stands before the values that the second topology lets through.
var mapped = []byte("m:")

func TestMain(m *testing.M) {
	if text := os.Getenv(jobEnv); text != "" {
		os.Exit(work(text))
	}
	flag.Parse()
	if !given("test.parallel") {
		// Most of the time is spent waiting for timeouts.
		if err := flag.Set("test.parallel", "6"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitFailed)
		}
	}
	os.Exit(kafkatest.Main(m))
}

func given(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func work(text string) int {
	if err := failpoint.Load(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	// The parent holds the other end: whatever becomes of it, no worker stays behind.
	go func() {
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(exitFailed)
	}()
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	log := slog.New(&eventHandler{slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})})
	slog.SetDefault(log)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	err := j.run(ctx, log)
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, fencing.ErrFenced):
		log.Error("exit", "error", err)
		return exitFenced
	default:
		log.Error("exit", "error", err)
		return exitFailed
	}
}

func (j *job) run(ctx context.Context, log *slog.Logger) error {
	b := topology.NewBuilder()
	stream := topology.From(b, topology.NewTopic(j.In, codec.Bytes, codec.Bytes))
	if j.Topology != topologyCopy {
		stream = topology.Process(stream, func(c *topology.Context[[]byte, []byte]) func(topology.Record[[]byte, []byte]) error {
			return func(r topology.Record[[]byte, []byte]) error {
				u, err := parseValue(r.Value)
				if err != nil {
					return err
				}
				switch u.routed(j.Topology) {
				case filtered:
					return nil
				case toDeadLetters:
					// What a failed record has already produced must not be seen.
					if err := c.Forward(r.WithValue([]byte("half done"))); err != nil {
						return err
					}
					return errors.New("poisoned")
				default:
					return c.Forward(r.WithValue(bytes.Join([][]byte{mapped, r.Value}, nil)))
				}
			}
		})
	}
	stream.To(topology.NewTopic(j.Out, codec.Bytes, codec.Bytes))
	t, err := b.Build()
	if err != nil {
		return err
	}
	app, err := eosproc.New(t, eosproc.Config{Properties: j.Properties, Log: log})
	if err != nil {
		return err
	}
	return app.Run(ctx)
}

// uninteresting are lines that come with every commit or record.
var uninteresting = map[string]bool{
	"record failed": true, "flushing": true, "beginning transaction": true, "ending transaction": true,
	"end transaction response successfully received": true,
}

// eventHandler drops what is below Info but for the commits.
type eventHandler struct{ slog.Handler }

func (h *eventHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelInfo && r.Message != "committed" || uninteresting[r.Message] {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h *eventHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return &eventHandler{h.Handler.WithAttrs(a)}
}

func (h *eventHandler) WithGroup(name string) slog.Handler {
	return &eventHandler{h.Handler.WithGroup(name)}
}
