package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// application is one whose status can be set.
type application struct{ status atomic.Pointer[Status] }

func (a *application) set(s Status) { a.status.Store(&s) }

func (a *application) handler() http.Handler {
	reg := prometheus.NewRegistry()
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "eosproc_test_total", Help: "A test."})
	reg.MustRegister(c)
	c.Inc()
	return Handler(Application{
		Metrics: reg, Status: func() Status { return *a.status.Load() },
		Version: func() string { return "eosproc 1.2.3" }, Topology: func() string { return "Topologies:\n   Sub-topology: 0\n\n" },
	}, quiet)
}

func newApplication(s Status) *application {
	a := &application{}
	a.set(s)
	return a
}

func request(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestHealth(t *testing.T) {
	waiting := Status{Live: true, Reason: "waiting for partitions"}
	running := Status{Live: true, Ready: true, Reason: "running"}
	broken := Status{Reason: "stopped by an error"}
	for _, test := range []struct {
		status Status
		path   string
		code   int
		body   string
	}{
		{waiting, "/livez", 200, "ok\n"},
		{waiting, "/healthz", 200, "ok\n"},
		{waiting, "/ping", 200, "ok\n"},
		{waiting, "/readyz", 503, "waiting for partitions\n"},
		{waiting, "/ready", 503, "waiting for partitions\n"},
		{waiting, "/startupz", 503, "waiting for partitions\n"},
		{running, "/livez", 200, "ok\n"},
		{running, "/readyz", 200, "ok\n"},
		{running, "/ready", 200, "ok\n"},
		{running, "/startupz", 200, "ok\n"},
		{broken, "/livez", 503, "stopped by an error\n"},
		{broken, "/ping", 503, "stopped by an error\n"},
		{broken, "/readyz", 503, "stopped by an error\n"},
	} {
		t.Run(fmt.Sprintf("%s %s", test.status.Reason, test.path), func(t *testing.T) {
			w := request(newApplication(test.status).handler(), "GET", test.path)
			assert.Equal(t, test.code, w.Code)
			assert.Equal(t, test.body, w.Body.String())
			assert.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
			assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		})
	}
}

func TestStartupStaysDone(t *testing.T) {
	a := newApplication(Status{Live: true, Ready: true})
	h := a.handler()
	require.Equal(t, 200, request(h, "GET", "/startupz").Code)
	a.set(Status{Live: true, Reason: "a later rebalance"})
	assert.Equal(t, 200, request(h, "GET", "/startupz").Code)
	assert.Equal(t, 503, request(h, "GET", "/readyz").Code)
}

func TestTexts(t *testing.T) {
	h := newApplication(Status{}).handler()
	assert.Equal(t, "eosproc 1.2.3\n", request(h, "GET", "/version").Body.String())
	assert.Equal(t, "Topologies:\n   Sub-topology: 0\n", request(h, "GET", "/topology").Body.String())
	assert.Contains(t, request(h, "GET", "/metrics").Body.String(), "eosproc_test_total 1")
}

func TestNothingElse(t *testing.T) {
	h := newApplication(Status{}).handler()
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
		w := request(h, method, "/livez")
		assert.Equal(t, http.StatusMethodNotAllowed, w.Code, method)
		assert.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
		assert.Equal(t, http.StatusMethodNotAllowed, request(h, method, "/metrics").Code, method)
	}
	for _, path := range []string{"/", "/debug/pprof/", "/debug/vars", "/config", "/livez/x", "/admin/pause"} {
		assert.Equal(t, http.StatusNotFound, request(h, "GET", path).Code, path)
	}
}

// serve runs a server until the test ends.
func serve(t *testing.T, a *application) string {
	t.Helper()
	s, err := Listen("127.0.0.1:0", a.handler(), quiet)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
		_, err := net.Dial("tcp", s.Address())
		assert.Error(t, err, "nobody listens any more")
		http.DefaultClient.CloseIdleConnections()
	})
	return s.Address()
}

func TestServesManyAtOnce(t *testing.T) {
	a := newApplication(Status{Live: true, Ready: true})
	address := serve(t, a)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			a.set(Status{Live: true, Ready: i%2 == 0, Reason: "turning"})
			for _, path := range []string{"/livez", "/readyz", "/version", "/topology"} {
				resp, err := http.Get("http://" + address + path)
				if !assert.NoError(t, err) {
					return
				}
				_, err = io.Copy(io.Discard, resp.Body)
				assert.NoError(t, err)
				assert.NoError(t, resp.Body.Close())
			}
		})
	}
	wg.Wait()
}

func TestLargeHeadersAreRefused(t *testing.T) {
	address := serve(t, newApplication(Status{Live: true}))
	req, err := http.NewRequest("GET", "http://"+address+"/livez", nil)
	require.NoError(t, err)
	req.Header.Set("X-Large", strings.Repeat("x", 2*maxHeader))
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, resp.StatusCode)
	require.NoError(t, resp.Body.Close())
}

func TestSlowHeadersAreCutOff(t *testing.T) {
	s, err := Listen("127.0.0.1:0", http.NotFoundHandler(), quiet)
	require.NoError(t, err)
	s.http.ReadHeaderTimeout = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	conn, err := net.Dial("tcp", s.Address())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: x\r\n")
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
	_, err = bufio.NewReader(conn).ReadString('\x00')
	assert.ErrorIs(t, err, io.EOF, "the server does not wait for the rest")
	cancel()
	assert.NoError(t, <-ended)
}

func TestPortIsTaken(t *testing.T) {
	address := serve(t, newApplication(Status{Live: true}))
	_, err := Listen(address, http.NotFoundHandler(), quiet)
	require.ErrorIs(t, err, ErrAddressInUse)
	assert.Equal(t, "listen on eosproc.http.address "+address+": address is in use by another process; choose another port, or stop that process", err.Error())
}

func TestAddressIsWrong(t *testing.T) {
	_, err := Listen("256.0.0.1:80", http.NotFoundHandler(), quiet)
	assert.ErrorContains(t, err, "listen on eosproc.http.address 256.0.0.1:80")
}
