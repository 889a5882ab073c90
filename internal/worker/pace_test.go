package worker

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/settings"
)

var (
	fetchRequest   = []byte{0, 0, 0, 4, 0, 1, 0, 16}
	produceRequest = []byte{0, 0, 0, 4, 0, 0, 0, 11}
)

// pacedPair returns a paced connection and its other end.
func pacedPair(t *testing.T) (*pacedConn, net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { _ = near.Close(); _ = far.Close() }) // a pipe has nothing to lose
	return &pacedConn{Conn: near, gap: fetchGap}, far
}

// ask writes a request, lets the broker answer after a time with so many bytes,
// and returns how long the request was held back.
func ask(t *testing.T, c *pacedConn, far net.Conn, request []byte, parked time.Duration, answer int) time.Duration {
	t.Helper()
	began := time.Now()
	var arrived time.Time
	done := make(chan error, 1)
	go func() {
		_, err := far.Read(make([]byte, len(request)))
		arrived = time.Now()
		<-time.After(parked)
		if err == nil {
			_, err = far.Write(make([]byte, answer))
		}
		done <- err
	}()
	_, err := c.Write(request)
	require.NoError(t, err)
	for left, b := answer, make([]byte, answer); left > 0; {
		n, err := c.Read(b)
		require.NoError(t, err)
		left -= n
	}
	require.NoError(t, <-done)
	return arrived.Sub(began)
}

func TestOnlyAFetchAfterLittleWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		request []byte
		parked  time.Duration // of the fetch before
		answer  int           // bytes of the fetch before
		want    time.Duration
	}{
		"little at once":           {fetchRequest, 0, 100, fetchGap},
		"little after a while":     {fetchRequest, 2 * time.Millisecond, 100, fetchGap - 2*time.Millisecond},
		"little after a long time": {fetchRequest, time.Second, 100, 0},
		"plenty":                   {fetchRequest, 0, plenty, 0},
		"not a fetch":              {produceRequest, 0, 100, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, far := pacedPair(t)
				assert.Zero(t, ask(t, c, far, fetchRequest, tt.parked, tt.answer), "nothing delays the first fetch")
				assert.Equal(t, tt.want, ask(t, c, far, tt.request, 0, 1))
			})
		})
	}
}

func TestPaceByGuarantee(t *testing.T) {
	exactly := settings.Settings{Guarantee: settings.ExactlyOnceV2}
	exactly.Commit.Mode = settings.CommitAdaptive
	assert.Equal(t, fetchGap, pace(&exactly))
	exactly.Commit.Mode, exactly.Commit.Interval = settings.CommitFixed, 8*time.Millisecond
	assert.Equal(t, 2*time.Millisecond, pace(&exactly), "a short interval is not to be spent waiting")
	assert.Zero(t, pace(&settings.Settings{Guarantee: settings.AtLeastOnce}), "what is produced at once is fetched at once")
}
