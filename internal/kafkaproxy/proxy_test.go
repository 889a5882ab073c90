package kafkaproxy_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/eosproc/eosproc/internal/kafkaproxy"
	"github.com/eosproc/eosproc/internal/kafkatest"
)

const apiVersions int16 = 18

// patience is far above what a passing test needs.
const patience = 10 * time.Second

// setup returns a proxy before a fake broker, and the broker's real address.
func setup(t *testing.T) (*kafkaproxy.Proxy, string) {
	t.Helper()
	t.Cleanup(func() { goleak.VerifyNone(t, goleak.IgnoreCurrent()) })
	_, addr := kafkatest.Fake(t, kfake.NumBrokers(1))
	p := kafkaproxy.New()
	t.Cleanup(p.Close)
	return p, addr
}

// conn is a client that sends one framed request at a time.
type conn struct {
	t *testing.T
	net.Conn
	next int32
}

func dial(t *testing.T, p *kafkaproxy.Proxy, addr string) *conn {
	t.Helper()
	c, err := p.Dial(t.Context(), "tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return &conn{t: t, Conn: c}
}

// send writes an ApiVersions request and returns its correlation id.
func (c *conn) send(clientID string) int32 {
	c.t.Helper()
	c.next++
	req := kmsg.NewPtrApiVersionsRequest()
	_, err := c.Write(kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID)).AppendRequest(nil, req, c.next))
	require.NoError(c.t, err)
	return c.next
}

// receive reads one answer's correlation id.
func (c *conn) receive(within time.Duration) (int32, error) {
	c.t.Helper()
	require.NoError(c.t, c.SetReadDeadline(time.Now().Add(within)))
	var head [8]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return 0, err
	}
	_, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head[:4]))-4)
	return int32(binary.BigEndian.Uint32(head[4:])), err
}

func (c *conn) exchange(clientID string) {
	c.t.Helper()
	id := c.send(clientID)
	got, err := c.receive(patience)
	require.NoError(c.t, err)
	require.Equal(c.t, id, got)
}

// requireCut checks that the connection ended, and not by the deadline.
func (c *conn) requireCut() {
	c.t.Helper()
	_, err := c.receive(patience)
	require.Error(c.t, err)
	var timeout net.Error
	require.False(c.t, errors.As(err, &timeout) && timeout.Timeout(), "the connection is still open")
}

// requireSilent checks that no answer comes and the connection is open.
func (c *conn) requireSilent() {
	c.t.Helper()
	_, err := c.receive(150 * time.Millisecond)
	var timeout net.Error
	require.ErrorAs(c.t, err, &timeout)
	require.True(c.t, timeout.Timeout(), "want a timeout, have %v", err)
}

func add(t *testing.T, p *kafkaproxy.Proxy, r kafkaproxy.Rule) *kafkaproxy.Hook {
	t.Helper()
	h, err := p.Add(r)
	require.NoError(t, err)
	return h
}

func wait(t *testing.T, ch <-chan kafkaproxy.Request) kafkaproxy.Request {
	t.Helper()
	select {
	case r := <-ch:
		return r
	case <-time.After(patience):
		require.Fail(t, "the rule did not report")
		return kafkaproxy.Request{}
	}
}

func TestPassesAndObserves(t *testing.T) {
	p, addr := setup(t)
	h := add(t, p, kafkaproxy.Rule{Key: apiVersions, Times: -1})
	c := dial(t, p, addr)
	c.exchange("app-1")
	c.exchange("app-2")
	first := wait(t, h.Fired())
	assert.Equal(t, kafkaproxy.Request{Key: apiVersions, CorrelationID: 1, ClientID: "app-1", Broker: addr}, first)
	assert.Equal(t, "app-2", wait(t, h.Fired()).ClientID)
}

func TestSameTargetSameAddress(t *testing.T) {
	p, addr := setup(t)
	a, err := p.Listen(addr)
	require.NoError(t, err)
	b, err := p.Advertise(1, addr)
	require.NoError(t, err)
	assert.Equal(t, a, b)
	assert.NotEqual(t, addr, a)
}

func TestDropRequest(t *testing.T) {
	p, addr := setup(t)
	h := add(t, p, kafkaproxy.Rule{Key: apiVersions, Action: kafkaproxy.DropRequest})
	reached := add(t, p, kafkaproxy.Rule{Key: apiVersions, Action: kafkaproxy.CutResponse, Nth: 2})
	c := dial(t, p, addr)
	c.send("a")
	c.requireCut()
	assert.Equal(t, "a", wait(t, h.Fired()).ClientID)
	wait(t, h.Finished())
	assert.Empty(t, reached.Fired(), "the dropped request was counted by a later rule, not answered")
	again := dial(t, p, addr)
	again.send("a")
	again.requireCut()
	wait(t, reached.Fired())
	dial(t, p, addr).exchange("a")
}

func TestDropRequestIsSilentForItsDelay(t *testing.T) {
	p, addr := setup(t)
	h := add(t, p, kafkaproxy.Rule{Key: apiVersions, Action: kafkaproxy.DropRequest, Delay: time.Hour})
	c := dial(t, p, addr)
	c.send("a")
	wait(t, h.Fired())
	c.requireSilent()
	p.Close()
	c.requireCut()
	wait(t, h.Finished())
}

func TestDelayRequestHoldsUpWhatFollows(t *testing.T) {
	p, addr := setup(t)
	const delay = 300 * time.Millisecond
	h := add(t, p, kafkaproxy.Rule{Key: apiVersions, Action: kafkaproxy.DelayRequest, Delay: delay})
	c := dial(t, p, addr)
	begin := time.Now()
	one, two := c.send("a"), c.send("a")
	for _, want := range []int32{one, two} {
		got, err := c.receive(patience)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	assert.GreaterOrEqual(t, time.Since(begin), delay)
	wait(t, h.Finished())
}

func TestCutResponseComesAfterTheBrokersAnswer(t *testing.T) {
	p, addr := setup(t)
	p.Freeze(kafkaproxy.ToBroker) // knows no broker yet: no effect
	h := add(t, p, kafkaproxy.Rule{Key: apiVersions, ClientID: "victim", Action: kafkaproxy.CutResponse})
	other, c := dial(t, p, addr), dial(t, p, addr)
	other.exchange("bystander")
	c.send("the-victim-1")
	c.requireCut()
	assert.Equal(t, "the-victim-1", wait(t, h.Fired()).ClientID)
	wait(t, h.Finished())
	other.exchange("bystander")
}

func TestDelayResponse(t *testing.T) {
	p, addr := setup(t)
	const delay = 300 * time.Millisecond
	h := add(t, p, kafkaproxy.Rule{Key: kafkaproxy.AnyKey, Action: kafkaproxy.DelayResponse, Delay: delay})
	c := dial(t, p, addr)
	begin := time.Now()
	c.exchange("a")
	assert.GreaterOrEqual(t, time.Since(begin), delay)
	wait(t, h.Fired())
	wait(t, h.Finished())
}

func TestLateRequestArrivesAfterItsSenderIsGone(t *testing.T) {
	p, addr := setup(t)
	late := add(t, p, kafkaproxy.Rule{Key: apiVersions, Action: kafkaproxy.LateRequest, Delay: 300 * time.Millisecond})
	c := dial(t, p, addr)
	c.send("a")
	c.requireCut()
	wait(t, late.Fired())
	dial(t, p, addr).exchange("a") // the sender has reconnected
	assert.Empty(t, late.Finished(), "the late request is still on its way")
	assert.Equal(t, int32(1), wait(t, late.Finished()).CorrelationID)
}

func TestNthAndTimes(t *testing.T) {
	p, addr := setup(t)
	h := add(t, p, kafkaproxy.Rule{Key: apiVersions, Nth: 2, Times: 2, Action: kafkaproxy.DropRequest})
	dial(t, p, addr).exchange("1")
	for range 2 {
		c := dial(t, p, addr)
		c.send("dropped")
		c.requireCut()
		wait(t, h.Fired())
	}
	dial(t, p, addr).exchange("4")
}

func TestRemove(t *testing.T) {
	p, addr := setup(t)
	h := add(t, p, kafkaproxy.Rule{Key: apiVersions, Times: -1, Action: kafkaproxy.DropRequest})
	h.Remove()
	dial(t, p, addr).exchange("a")
	assert.Empty(t, h.Fired())
}

func TestRuleOfOneBroker(t *testing.T) {
	p, addr := setup(t)
	_, other := kafkatest.Fake(t, kfake.NumBrokers(1))
	add(t, p, kafkaproxy.Rule{Key: apiVersions, Broker: other, Action: kafkaproxy.DropRequest})
	dial(t, p, addr).exchange("a")
	c := dial(t, p, other)
	c.send("a")
	c.requireCut()
}

func TestFreezeEachDirection(t *testing.T) {
	for name, d := range map[string]kafkaproxy.Direction{
		"to broker": kafkaproxy.ToBroker, "to client": kafkaproxy.ToClient, "both": kafkaproxy.Both,
	} {
		t.Run(name, func(t *testing.T) {
			p, addr := setup(t)
			c := dial(t, p, addr)
			c.exchange("a")
			p.Freeze(d, addr)
			id := c.send("a")
			c.requireSilent()
			fresh := dial(t, p, addr)
			freshID := fresh.send("b")
			fresh.requireSilent()
			p.Thaw(d, addr)
			got, err := c.receive(patience)
			require.NoError(t, err)
			assert.Equal(t, id, got)
			got, err = fresh.receive(patience)
			require.NoError(t, err)
			assert.Equal(t, freshID, got)
		})
	}
}

func TestCut(t *testing.T) {
	p, addr := setup(t)
	c := dial(t, p, addr)
	c.exchange("a")
	p.Cut(addr)
	c.requireCut()
	dial(t, p, addr).exchange("a")
}

func TestBrokerThatRefuses(t *testing.T) {
	p, _ := setup(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	gone := ln.Addr().String()
	require.NoError(t, ln.Close())
	dial(t, p, gone).requireCut()
}

func TestForeignProtocolEndsTheConnection(t *testing.T) {
	p, addr := setup(t)
	c := dial(t, p, addr)
	_, err := c.Write([]byte("\x16\x03\x01\x02\x00 a TLS hello"))
	require.NoError(t, err)
	c.requireCut()
}

func TestClosed(t *testing.T) {
	p, addr := setup(t)
	c := dial(t, p, addr)
	p.Close()
	c.requireCut()
	_, err := p.Dial(t.Context(), "tcp", addr)
	require.ErrorIs(t, err, kafkaproxy.ErrClosed)
	p.Close()
}

func TestBadRule(t *testing.T) {
	p, _ := setup(t)
	for _, r := range []kafkaproxy.Rule{{Delay: -1}, {Nth: -1}, {Action: 99}} {
		_, err := p.Add(r)
		require.Error(t, err)
	}
}
