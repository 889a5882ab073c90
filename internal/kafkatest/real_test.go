package kafkatest_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/kafkaproxy"
	"github.com/eosproc/eosproc/internal/kafkatest"
	"github.com/eosproc/eosproc/internal/localkafka"
)

// One broker behind an advertised proxy, through all that can happen to it.
func TestRealBrokerSurvivesItsFaults(t *testing.T) {
	p := kafkaproxy.New()
	t.Cleanup(p.Close)
	c := kafkatest.Real(t, kafkatest.WithTransactionVersion(0), kafkatest.WithAdvertised(p.Advertise),
		kafkatest.WithProperty("message.max.bytes", "2000000"))
	b := c.Brokers()[0]
	require.Equal(t, c.Bootstrap(), b.Advertised())
	require.NotEqual(t, b.Addr(), b.Advertised())
	assert.Equal(t, int16(0), finalized(t, c.Bootstrap(), "transaction.version"))

	kafkatest.CreateTopic(t, c.Bootstrap(), "t", 1, nil)
	kafkatest.Produce(t, c.Bootstrap(), kafkatest.Record("t", "k", "1"))

	// All clients pass the proxy: it can cut an answer of the real broker.
	h, err := p.Add(kafkaproxy.Rule{Key: kafkaproxy.EndTxn, Action: kafkaproxy.CutResponse})
	require.NoError(t, err)
	kafkatest.ProduceTxn(t, c.Bootstrap(), "tx", kgo.TryCommit, kafkatest.Record("t", "k", "2"))
	require.Len(t, h.Fired(), 1)
	assert.Equal(t, b.Addr(), (<-h.Fired()).Broker)

	require.NoError(t, b.Kill())
	assert.Zero(t, b.PID())
	require.ErrorIs(t, b.Freeze(), localkafka.ErrNotRunning)
	require.NoError(t, b.Start(t.Context()))
	require.ErrorIs(t, b.Start(t.Context()), localkafka.ErrRunning)
	require.Eventually(t, func() bool {
		return len(kafkatest.ReadAll(t, c.Bootstrap(), "t", kgo.ReadCommitted())) == 2
	}, 20*time.Second, 100*time.Millisecond)

	require.NoError(t, b.Freeze())
	cl := kafkatest.Client(t, c.Bootstrap())
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, cl.Ping(ctx), context.DeadlineExceeded)
	require.NoError(t, b.Thaw())
	kafkatest.Produce(t, c.Bootstrap(), kafkatest.Record("t", "k", "3"))

	require.NoError(t, b.Stop())
	require.NoError(t, b.Start(t.Context()))
	assert.Equal(t, []string{"1", "2", "3"}, values(kafkatest.ReadAll(t, c.Bootstrap(), "t", kgo.ReadCommitted())))

	log := b.Log()
	require.FileExists(t, log)
	require.NoError(t, c.Stop())
	assert.NoDirExists(t, filepath.Dir(log))
}

// Three brokers go on when the leader is killed, and it catches up.
func TestRealThreeBrokers(t *testing.T) {
	c := kafkatest.Real(t, kafkatest.WithBrokers(3))
	assert.Equal(t, int16(2), finalized(t, c.Bootstrap(), "transaction.version"))
	kafkatest.CreateTopic(t, c.Bootstrap(), "t", 1, nil)
	kafkatest.Produce(t, c.Bootstrap(), kafkatest.Record("t", "k", "1"))

	leader := kafkatest.Leader(t, c.Bootstrap(), "t", 0)
	require.NoError(t, c.Broker(leader).Kill())
	require.ErrorIs(t, c.AwaitInSync(t.Context()), localkafka.ErrNotRunning)
	kafkatest.ProduceTxn(t, c.Bootstrap(), "tx", kgo.TryCommit, kafkatest.Record("t", "k", "2"))
	assert.NotEqual(t, leader, kafkatest.Leader(t, c.Bootstrap(), "t", 0))

	require.NoError(t, c.Broker(leader).Start(t.Context()))
	require.NoError(t, c.AwaitInSync(t.Context()))
	require.Eventually(t, func() bool {
		return len(kafkatest.ReadAll(t, c.Bootstrap(), "t", kgo.ReadCommitted())) == 2
	}, 20*time.Second, 100*time.Millisecond)
	assert.Nil(t, c.Broker(0))
	assert.Nil(t, c.Broker(4))
}
