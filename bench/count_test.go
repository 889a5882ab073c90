package bench

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestCountSeesOnlyCommittedAndNamesEachFault(t *testing.T) {
	brokers := cluster(t)
	adm, err := newAdmin(brokers)
	require.NoError(t, err)
	defer adm.Close()
	require.NoError(t, createTopics(t.Context(), adm, 2, "out"))

	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.TransactionalID("t"), kgo.DefaultProduceTopic("out"),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	transaction := func(commit kgo.TransactionEndTry, values ...string) {
		require.NoError(t, cl.BeginTransaction())
		for i, v := range values {
			r := &kgo.Record{Value: []byte(v), Partition: int32(i % 2)}
			require.NoError(t, cl.ProduceSync(t.Context(), r).FirstErr())
		}
		require.NoError(t, cl.EndTransaction(t.Context(), commit))
	}
	seq := func(n int) string { return fmt.Sprintf("%016x", n) }
	transaction(kgo.TryCommit, seq(0), seq(1))
	transaction(kgo.TryAbort, seq(2), seq(3))
	transaction(kgo.TryCommit, seq(1), "no number", seq(4), seq(99))
	transaction(kgo.TryAbort, seq(3))

	tally, err := Count(t.Context(), brokers, "out", 5)
	require.NoError(t, err)
	assert.Equal(t, Tally{Records: 6, Missing: 2, Duplicates: 1, Foreign: 2}, tally)
	assert.False(t, tally.Exact())
}

func TestCountOfAnEmptyTopic(t *testing.T) {
	brokers := cluster(t)
	adm, err := newAdmin(brokers)
	require.NoError(t, err)
	defer adm.Close()
	require.NoError(t, createTopics(t.Context(), adm, 2, "out"))
	tally, err := Count(t.Context(), brokers, "out", 3)
	require.NoError(t, err)
	assert.Equal(t, Tally{Missing: 3}, tally)
}
