package preflight

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestUnreachable(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	o := runContext(ctx, t, []string{closed.Addr().String(), "no-such-host.invalid:9092"}, copying(t), nil)
	require.ErrorIs(t, o.err, ErrUnreachable)
	assert.Contains(t, o.text(), closed.Addr().String()+": connection refused: nothing listens there")
	assert.Contains(t, o.text(), "no-such-host.invalid:9092: ")
	assert.Contains(t, o.text(), "tried for ")
}

func TestOneLivingAddressIsEnough(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	c := seeded(t)
	o := run(t, append([]string{closed.Addr().String()}, c.ListenAddrs()...), copying(t), nil)
	assert.NoError(t, o.err)
}

func TestWaitsForABrokerThatStarts(t *testing.T) {
	held, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := held.Addr().(*net.TCPAddr).Port
	require.NoError(t, held.Close())
	done := make(chan outcome)
	go func() { done <- run(t, []string{held.Addr().String()}, copying(t), nil) }()
	seeded(t, kfake.Ports(port))
	assert.NoError(t, (<-done).err)
}

func TestAdvertisedAddressIsWrong(t *testing.T) {
	c := seeded(t)
	c.ControlKey(kmsg.Metadata.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		resp.ClusterID = kmsg.StringPtr("cluster-a")
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Host, b.Port = 7, "127.0.0.1", 1
		resp.Brokers = append(resp.Brokers, b)
		return resp, nil, true
	})
	o := run(t, c.ListenAddrs(), copying(t), nil)
	require.ErrorIs(t, o.err, ErrUnreachable)
	assert.Contains(t, o.text(), "advertised.listeners")
	assert.Contains(t, o.text(), "broker 7 (127.0.0.1:1): connection refused")
}

func TestCredentials(t *testing.T) {
	c := fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "right"))
	wrong := props{
		"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "alice", "sasl.password": "canary-7f3",
		"eosproc.allow.plaintext.sasl": "true",
	}
	refuse := func(key kmsg.Key, code int16) {
		c.ControlKey(key.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
			switch resp := req.ResponseKind().(type) {
			case *kmsg.SASLAuthenticateResponse:
				resp.ErrorCode, resp.ErrorMessage = code, kmsg.StringPtr("Authentication failed: Invalid username or password")
				return resp, nil, true
			case *kmsg.SASLHandshakeResponse:
				resp.ErrorCode = code
				return resp, nil, true
			}
			return nil, nil, false
		})
	}
	for name, test := range map[string]struct {
		prepare func()
		want    string
	}{
		"password":  {func() { refuse(kmsg.SASLAuthenticate, kerr.SaslAuthenticationFailed.Code) }, `the broker refuses the credentials (SASL PLAIN, user "alice"): check user and password`},
		"mechanism": {func() { refuse(kmsg.SASLHandshake, kerr.UnsupportedSaslMechanism.Code) }, "the broker does not offer SASL mechanism PLAIN: check sasl.mechanism"},
		"no SASL":   {func() { refuse(kmsg.SASLHandshake, kerr.IllegalSaslState.Code) }, "the listener takes no SASL"},
	} {
		t.Run(name, func(t *testing.T) {
			test.prepare()
			begin := time.Now()
			o := run(t, c.ListenAddrs(), copying(t), wrong)
			require.ErrorIs(t, o.err, ErrUnreachable)
			assert.Contains(t, o.text(), test.want)
			assert.NotContains(t, o.text()+o.log, "canary-7f3")
			assert.Less(t, time.Since(begin), patience/3, "waiting does not make a refusal better")
		})
	}
}

// TestConnectionsEnd is what a client meets that has the wrong security.protocol:
// brokers do not explain themselves to those.
func TestConnectionsEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 16))
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-ended })
	for _, protocol := range []string{"PLAINTEXT", "SSL"} {
		t.Run(protocol, func(t *testing.T) {
			begin := time.Now()
			o := run(t, []string{l.Addr().String()}, copying(t), props{"security.protocol": protocol})
			require.ErrorIs(t, o.err, ErrUnreachable)
			assert.Contains(t, o.text(), "its listener most likely wants another security.protocol than "+protocol)
			assert.Less(t, time.Since(begin), patience/2)
		})
	}
}

func TestNoAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	o := runContext(ctx, t, []string{l.Addr().String()}, copying(t), nil)
	require.ErrorIs(t, o.err, ErrUnreachable)
	require.ErrorIs(t, o.err, context.DeadlineExceeded)
	assert.Contains(t, o.text(), "no answer: a firewall, a frozen broker, or a listener that wants another security.protocol than PLAINTEXT")
}

func TestEndOfContext(t *testing.T) {
	c := seeded(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped by a test")
	c.ControlKey(kmsg.Heartbeat.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		cancel(why)
		return nil, nil, false
	})
	o := runContext(ctx, t, c.ListenAddrs(), copying(t), nil)
	assert.ErrorIs(t, o.err, why)

	refused, stop := context.WithCancel(t.Context())
	stop()
	assert.ErrorIs(t, runContext(refused, t, c.ListenAddrs(), copying(t), nil).err, context.Canceled)
}

func TestNoCoordinator(t *testing.T) {
	c := seeded(t)
	c.ControlKey(kmsg.FindCoordinator.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		find := req.(*kmsg.FindCoordinatorRequest)
		resp := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
		for _, key := range find.CoordinatorKeys {
			sc := kmsg.NewFindCoordinatorResponseCoordinator()
			sc.Key, sc.ErrorCode = key, kerr.CoordinatorNotAvailable.Code
			resp.Coordinators = append(resp.Coordinators, sc)
		}
		return resp, nil, true
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	o := runContext(ctx, t, c.ListenAddrs(), copying(t), nil)
	require.Error(t, o.err)
	assert.Contains(t, o.text(), `group "app": `)
	assert.Contains(t, o.text(), "__consumer_offsets")
	assert.Contains(t, o.text(), "__transaction_state")
}
