package worker

import (
	"context"
	"encoding/binary"
	"net"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/settings"
)

// Dial opens a connection to a broker, as [kgo.Dialer] wants it.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

const (
	// fetchGap is the least time between two fetches of little. It bounds what
	// pacing adds to a record's way, and is about what a commit takes on a fast cluster.
	fetchGap = 5 * time.Millisecond
	// plenty is how much a fetch must bring, in bytes, for the next one not to
	// wait: there is a backlog, or a rate at which few fetches suffice.
	plenty = 64 << 10
)

// pace returns how far apart the fetches of a worker that is caught up are kept.
// A broker answers a fetch as soon as there is one record, so at a moderate rate
// the client would fetch a thousand times a second, a few records each, while
// what they are wanted for, the next transaction, begins only when the last one
// has ended. Those requests would take from the broker the time that the
// transaction needs: pacing them shortens the latency.
//
// fetch.min.bytes would suit one rate and delay all lower ones. Here a fetch that
// was parked in the broker is answered at once: only the next one waits, and only
// if the last brought little.
//
// Without transactions a record is produced as soon as it is read, so waiting for
// more would buy nothing.
func pace(s *settings.Settings) time.Duration {
	switch {
	case s.Guarantee != settings.ExactlyOnceV2:
		return 0
	case s.Commit.Mode == settings.CommitAdaptive:
		return fetchGap
	default:
		return min(s.Commit.Interval/4, fetchGap)
	}
}

// paced makes the connections of a client keep the gap. The client itself has no
// place for it: it fetches again as soon as a fetch has been taken.
func paced(dial Dial, gap time.Duration) kgo.Opt {
	return kgo.Dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &pacedConn{Conn: conn, gap: gap}, nil
	})
}

// pacedConn delays fetch requests. The client writes a request with one call, and
// has a connection for fetches alone, so nothing else waits behind them. The two
// directions run on different goroutines.
type pacedConn struct {
	net.Conn
	gap  time.Duration
	last time.Time    // of the last fetch request
	read atomic.Int64 // bytes since
}

// Read implements [net.Conn].
func (c *pacedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read.Add(int64(n))
	return n, err
}

// Write implements [net.Conn].
func (c *pacedConn) Write(b []byte) (int, error) {
	if isFetch(b) {
		if wait := c.gap - time.Since(c.last); wait > 0 && c.read.Load() < plenty {
			time.Sleep(wait)
		}
		c.last = time.Now()
		c.read.Store(0)
	}
	return c.Conn.Write(b)
}

// isFetch goes by the api key, which follows the four bytes of the length.
func isFetch(request []byte) bool {
	const key = 1
	return len(request) >= 6 && binary.BigEndian.Uint16(request[4:]) == key
}
