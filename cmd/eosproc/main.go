package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/eosproc/eosproc/bench"
	"github.com/eosproc/eosproc/internal/failpoint"
)

// gcPercent trades memory for CPU. A copy keeps tens of megabytes alive, so that
// Go's default of 100 collects several times a second under load. GOGC wins.
const gcPercent = 200

func main() {
	if err := failpoint.Load(); err != nil {
		os.Exit(report(os.Stderr, usage(err)))
	}
	// The raw loops of a benchmark are this binary, started again.
	if ran, err := bench.ChildMain(); ran {
		os.Exit(report(os.Stderr, err))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second signal ends a command that does not heed the first; run handles both itself.
	context.AfterFunc(ctx, stop)
	code := report(os.Stderr, newRoot().ExecuteContext(ctx))
	stop()
	os.Exit(code)
}
