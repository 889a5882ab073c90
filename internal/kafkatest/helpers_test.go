package kafkatest_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/kafkatest"
)

func values(records []*kgo.Record) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = string(r.Value)
	}
	return out
}

func TestReadAllEmptyTopic(t *testing.T) {
	onBoth(t, func(t *testing.T, bootstrap string) {
		topic := kafkatest.Name("empty")
		kafkatest.CreateTopic(t, bootstrap, topic, 3, nil)
		assert.Empty(t, kafkatest.ReadAll(t, bootstrap, topic, kgo.ReadCommitted()))
		assert.Equal(t, map[int32]int64{0: 0, 1: 0, 2: 0}, kafkatest.EndOffsets(t, bootstrap, topic))
	})
}

func TestReadAllOrderOverPartitions(t *testing.T) {
	onBoth(t, func(t *testing.T, bootstrap string) {
		topic := kafkatest.Name("order")
		kafkatest.CreateTopic(t, bootstrap, topic, 2, nil)
		var records []*kgo.Record
		for i := range 2000 {
			r := kafkatest.Record(topic, "", strconv.Itoa(i))
			r.Partition = int32(i % 2)
			records = append(records, r)
		}
		kafkatest.ProduceManual(t, bootstrap, records...)
		got := kafkatest.ReadAll(t, bootstrap, topic, kgo.ReadUncommitted())
		require.Len(t, got, 2000)
		for i, r := range got {
			want := 2 * i
			if i >= 1000 {
				want = 2*(i-1000) + 1
			}
			require.Equal(t, strconv.Itoa(want), string(r.Value))
		}
	})
}

// The tail of the log is an aborted transaction: the end is reached although
// no record is there to be returned.
func TestReadAllWithAbortedTail(t *testing.T) {
	onBoth(t, func(t *testing.T, bootstrap string) {
		topic, id := kafkatest.Name("aborted"), kafkatest.Name("tx")
		kafkatest.CreateTopic(t, bootstrap, topic, 1, nil)
		kafkatest.ProduceTxn(t, bootstrap, id, kgo.TryCommit, kafkatest.Record(topic, "k", "seen"))
		kafkatest.ProduceTxn(t, bootstrap, id, kgo.TryAbort, kafkatest.Record(topic, "k", "aborted"))
		require.Eventually(t, func() bool {
			return len(kafkatest.OpenTransactions(t, bootstrap, id)) == 0 && kafkatest.StableOffsets(t, bootstrap, topic)[0] == 4
		}, 10*time.Second, 50*time.Millisecond)
		assert.Equal(t, []string{"seen"}, values(kafkatest.ReadAll(t, bootstrap, topic, kgo.ReadCommitted())))
		assert.Equal(t, []string{"seen", "aborted"}, values(kafkatest.ReadAll(t, bootstrap, topic, kgo.ReadUncommitted())))
	})
}

func TestReadAllStopsBeforeAnOpenTransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, bootstrap string) {
		topic, id := kafkatest.Name("open"), kafkatest.Name("tx")
		kafkatest.CreateTopic(t, bootstrap, topic, 1, nil)
		kafkatest.Produce(t, bootstrap, kafkatest.Record(topic, "k", "before"))
		cl := kafkatest.Client(t, bootstrap, kgo.TransactionalID(id))
		require.NoError(t, cl.BeginTransaction())
		require.NoError(t, cl.ProduceSync(t.Context(), kafkatest.Record(topic, "k", "open")).FirstErr())
		kafkatest.Produce(t, bootstrap, kafkatest.Record(topic, "k", "after"))

		open := kafkatest.OpenTransactions(t, bootstrap, id)
		require.Len(t, open, 1)
		assert.Equal(t, "Ongoing", open[0].State)
		assert.Empty(t, kafkatest.OpenTransactions(t, bootstrap, "another-"))
		assert.Equal(t, int64(1), kafkatest.StableOffsets(t, bootstrap, topic)[0])
		assert.Equal(t, []string{"before"}, values(kafkatest.ReadAll(t, bootstrap, topic, kgo.ReadCommitted())))
		assert.Equal(t, []string{"before", "open", "after"}, values(kafkatest.ReadAll(t, bootstrap, topic, kgo.ReadUncommitted())))

		require.NoError(t, cl.EndTransaction(t.Context(), kgo.TryCommit))
		require.Eventually(t, func() bool {
			return len(kafkatest.ReadAll(t, bootstrap, topic, kgo.ReadCommitted())) == 3
		}, 10*time.Second, 50*time.Millisecond)
	})
}

func TestReadToCutsABatch(t *testing.T) {
	onBoth(t, func(t *testing.T, bootstrap string) {
		topic := kafkatest.Name("cut")
		kafkatest.CreateTopic(t, bootstrap, topic, 1, nil)
		kafkatest.Produce(t, bootstrap, kafkatest.Record(topic, "k", "a"), kafkatest.Record(topic, "k", "b"), kafkatest.Record(topic, "k", "c"))
		got := kafkatest.ReadTo(t, bootstrap, topic, kgo.ReadCommitted(), map[int32]int64{0: 2})
		assert.Equal(t, []string{"a", "b"}, values(got))
	})
}

func TestCommittedOffsets(t *testing.T) {
	onBoth(t, func(t *testing.T, bootstrap string) {
		topic, group := kafkatest.Name("in"), kafkatest.Name("group")
		kafkatest.CreateTopic(t, bootstrap, topic, 2, map[string]string{"cleanup.policy": "compact"})
		assert.Empty(t, kafkatest.CommittedOffsets(t, bootstrap, group))
		var offsets kadm.Offsets
		offsets.Add(kadm.Offset{Topic: topic, Partition: 1, At: 7})
		adm := kadm.NewClient(kafkatest.Client(t, bootstrap))
		require.NoError(t, adm.CommitAllOffsets(t.Context(), group, offsets))
		assert.Equal(t, map[string]map[int32]int64{topic: {1: 7}}, kafkatest.CommittedOffsets(t, bootstrap, group))
	})
}

func TestLeaderAndCoordinators(t *testing.T) {
	bootstrap := kafkatest.Shared(t).Bootstrap()
	topic := kafkatest.Name("led")
	kafkatest.CreateTopic(t, bootstrap, topic, 1, nil)
	assert.Equal(t, int32(1), kafkatest.Leader(t, bootstrap, topic, 0))
	assert.Equal(t, int32(1), kafkatest.GroupCoordinator(t, bootstrap, kafkatest.Name("group")))
	assert.Equal(t, int32(1), kafkatest.TxnCoordinator(t, bootstrap, kafkatest.Name("tx")))
}

// finalized returns the level of a feature that is in force.
func finalized(t *testing.T, bootstrap, feature string) int16 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	versions, err := kadm.NewClient(kafkatest.Client(t, bootstrap)).ApiVersions(ctx)
	require.NoError(t, err)
	for _, v := range versions {
		require.NoError(t, v.Err)
		for _, f := range v.Raw().FinalizedFeatures {
			if f.Name == feature {
				return f.MaxVersionLevel
			}
		}
	}
	return 0
}
