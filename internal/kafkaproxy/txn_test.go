package kafkaproxy_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/kafkaproxy"
	"github.com/eosproc/eosproc/internal/kafkatest"
)

// A client whose EndTxn was executed but not answered: kgo asks again on a new
// connection and the transaction ends up committed once.
func TestEndTxnWithoutAnswerIsCommitted(t *testing.T) {
	p, addr := setup(t)
	kafkatest.CreateTopic(t, addr, "out", 1, nil)
	h := add(t, p, kafkaproxy.Rule{Key: kafkaproxy.EndTxn, ClientID: "worker", Action: kafkaproxy.CutResponse})

	cl := kafkatest.Client(t, addr, kgo.Dialer(p.Dial), kgo.ClientID("worker-1"), kgo.TransactionalID("tx"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, cl.BeginTransaction())
	require.NoError(t, cl.ProduceSync(ctx, kafkatest.Record("out", "k", "v")).FirstErr())
	assert.Empty(t, kafkatest.ReadAll(t, addr, "out", kgo.ReadCommitted()))
	require.Len(t, kafkatest.OpenTransactions(t, addr, "tx"), 1)

	ended := make(chan error, 1)
	go func() { ended <- cl.EndTransaction(ctx, kgo.TryCommit) }()
	assert.Equal(t, addr, wait(t, h.Fired()).Broker)
	// Whatever the client makes of it, the broker has committed.
	<-ended
	assert.Len(t, kafkatest.ReadAll(t, addr, "out", kgo.ReadCommitted()), 1)
	assert.Empty(t, kafkatest.OpenTransactions(t, addr, "tx"))
}
