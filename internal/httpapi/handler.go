package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Status is how an application does.
type Status struct {
	// Live is false when only a new process can help.
	Live bool
	// Ready is true while records are processed.
	Ready bool
	// Reason says in a few words what the application is doing, or waits for.
	Reason string
}

// Application is what is asked. All functions must be set, safe for concurrent
// use, and quick.
type Application struct {
	Metrics prometheus.Gatherer
	Status  func() Status
	// Version returns one line of text.
	Version func() string
	// Topology returns the description, as of Topology#describe().
	Topology func() string
}

// Handler answers:
//
//	/metrics                     Prometheus and OpenMetrics
//	/livez, /healthz, /ping      200 while the process is worth keeping, else 503
//	/readyz, /ready              200 while records are processed, else 503 and what it waits for
//	/startupz                    200 once records have been processed, else as /readyz
//	/version, /topology          text
//
// Only GET and HEAD are allowed. log takes the faults of metrics; it must not be nil.
func Handler(a Application, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	live := func(w http.ResponseWriter, _ *http.Request) {
		s := a.Status()
		health(w, s.Live, s.Reason)
	}
	ready := func(w http.ResponseWriter, _ *http.Request) {
		s := a.Status()
		health(w, s.Ready, s.Reason)
	}
	// A scheduler asks this until the first success only, so that noting it when asked is enough.
	var started atomic.Bool
	startup := func(w http.ResponseWriter, _ *http.Request) {
		s := a.Status()
		if s.Ready {
			started.Store(true)
		}
		health(w, started.Load(), s.Reason)
	}
	for pattern, h := range map[string]http.HandlerFunc{
		"/livez": live, "/healthz": live, "/ping": live,
		"/readyz": ready, "/ready": ready, "/startupz": startup,
		"/version":  func(w http.ResponseWriter, _ *http.Request) { text(w, http.StatusOK, a.Version()) },
		"/topology": func(w http.ResponseWriter, _ *http.Request) { text(w, http.StatusOK, a.Topology()) },
	} {
		mux.HandleFunc("GET "+pattern, h)
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.Metrics, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: 4,
		Timeout:             10 * time.Second,
		EnableOpenMetrics:   true,
	}))
	return guard(mux)
}

// guard sets what every answer has. Nothing here is for a browser to interpret or keep.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

func health(w http.ResponseWriter, ok bool, reason string) {
	if ok {
		text(w, http.StatusOK, "ok")
		return
	}
	text(w, http.StatusServiceUnavailable, reason)
}

func text(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	// A client that has gone is the only fault there can be.
	_, _ = fmt.Fprintln(w, strings.TrimRight(body, "\n"))
}
