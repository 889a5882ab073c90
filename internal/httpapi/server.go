package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

// The limits of the server. Requests have no content, and the largest answer is
// a page of metrics.
const (
	headerTime = 5 * time.Second
	readTime   = 10 * time.Second
	writeTime  = 30 * time.Second
	idleTime   = 60 * time.Second
	farewell   = 5 * time.Second
	maxHeader  = 16 << 10
	maxBody    = 1 << 10
)

// ErrAddressInUse means that another process listens on the address.
var ErrAddressInUse = errors.New("address is in use")

// Server is a listening server, which [Server.Run] makes answer.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// Listen opens host:port, or :port for all interfaces; port 0 takes a free one.
// It errs with [ErrAddressInUse] if the port is taken. The caller must call
// [Server.Run], which also closes.
func Listen(address string, h http.Handler, log *slog.Logger) (*Server, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("listen on eosproc.http.address %s: %w by another process; choose another port, or stop that process", address, ErrAddressInUse)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on eosproc.http.address %s: %w", address, err)
	}
	return &Server{listener: l, http: &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}, nil
}

// Address returns where the server listens, as host:port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Run answers until ctx ends, lets requests finish for a few seconds, and closes.
// It returns nil after that, and the cause if the server ends by itself.
func (s *Server) Run(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve HTTP on %s: %w", s.Address(), errors.Join(err, s.http.Close()))
	case <-ctx.Done():
	}
	// Not derived from ctx, which has ended.
	bounded, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	err := s.http.Shutdown(bounded)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if err != nil {
		return fmt.Errorf("stop HTTP on %s: %w", s.Address(), err)
	}
	return nil
}
