package preflight

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

func TestInternalTopicsAreMade(t *testing.T) {
	c := seeded(t)
	o := run(t, c.ListenAddrs(), repartitioning(t), props{"topic.retention.bytes": "12345"})
	require.NoError(t, o.err)
	assert.Equal(t, map[string]int{"orders": 3, "app-by-user-repartition": 3, "app-by-shop-repartition": 3}, o.found.Partitions)

	adm := admin(t, c.ListenAddrs())
	configs, err := adm.DescribeTopicConfigs(t.Context(), "app-by-user-repartition")
	require.NoError(t, err)
	got := map[string]string{}
	for _, cfg := range configs[0].Configs {
		got[cfg.Key] = cfg.MaybeValue()
	}
	for key, want := range map[string]string{"cleanup.policy": "delete", "retention.ms": "-1", "segment.bytes": "52428800", "message.timestamp.type": "CreateTime", "retention.bytes": "12345"} {
		assert.Equal(t, want, got[key], key)
	}

	again := run(t, c.ListenAddrs(), repartitioning(t), nil)
	require.NoError(t, again.err, "they are found as they were made")
	assert.NotContains(t, again.log, "made internal topic")
}

func TestPartitionsOfInternalTopics(t *testing.T) {
	c := seeded(t)
	o := run(t, c.ListenAddrs(), repartitioning(t, topology.Partitions(7)), nil)
	require.NoError(t, o.err)
	assert.Equal(t, 7, o.found.Partitions["app-by-user-repartition"])
	assert.Equal(t, 7, o.found.Partitions["app-by-shop-repartition"], "the next one follows the one before")
}

func TestInternalTopicWithAnotherShapeIsRefused(t *testing.T) {
	c := seeded(t)
	adm := admin(t, c.ListenAddrs())
	_, err := adm.CreateTopic(t.Context(), 5, 1, map[string]*string{"cleanup.policy": kadm.StringPtr("compact"), "retention.ms": kadm.StringPtr("-1")}, "app-by-user-repartition")
	require.NoError(t, err)
	o := run(t, c.ListenAddrs(), repartitioning(t), nil)
	require.ErrorIs(t, o.err, ErrInternalTopic)
	assert.Contains(t, o.text(), `internal topic "app-by-user-repartition": it has 5 partitions and needs 3`)
	assert.Contains(t, o.text(), "--delete --topic app-by-user-repartition")
	assert.Contains(t, o.text(), `"app-by-user-repartition": cleanup.policy is compact and must be delete; run: kafka-configs.sh`)
	assert.Contains(t, o.text(), "--add-config cleanup.policy=delete")
	topics, err := adm.ListTopics(t.Context())
	require.NoError(t, err)
	assert.False(t, topics.Has("app-by-shop-repartition"), "nothing is made while anything is wrong")
}

func TestManyInstancesMakeTheTopicsAtOnce(t *testing.T) {
	c := seeded(t)
	outcomes := make([]outcome, 5)
	var wg sync.WaitGroup
	for i := range outcomes {
		wg.Go(func() { outcomes[i] = run(t, c.ListenAddrs(), repartitioning(t), nil) })
	}
	wg.Wait()
	for _, o := range outcomes {
		require.NoError(t, o.err)
		assert.Equal(t, 3, o.found.Partitions["app-by-shop-repartition"])
	}
}

func TestAnotherVersionMakesTheTopicMeanwhile(t *testing.T) {
	c := seeded(t)
	adm := admin(t, c.ListenAddrs())
	var once sync.Once
	c.ControlKey(kmsg.Heartbeat.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		// This question is put after the one about topics, and held until another process has made one.
		once.Do(func() {
			c.SleepControl(func() {
				_, err := adm.CreateTopic(t.Context(), 9, 1, nil, "app-by-user-repartition")
				assert.NoError(t, err)
			})
		})
		return nil, nil, false
	})
	o := run(t, c.ListenAddrs(), repartitioning(t), nil)
	require.ErrorIs(t, o.err, ErrInternalTopic)
	assert.Contains(t, o.text(), `"app-by-user-repartition": it has 9 partitions and needs 3`)
}

func TestTooManyReplicas(t *testing.T) {
	c := seeded(t)
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: kerr.InvalidReplicationFactor})
	o := run(t, c.ListenAddrs(), repartitioning(t), props{"replication.factor": "3"})
	require.ErrorIs(t, o.err, ErrInternalTopic)
	assert.Contains(t, o.text(), "the cluster cannot give it 3 replicas: set replication.factor")
}

func TestNothingTellsThePartitions(t *testing.T) {
	c := fake(t, kfake.SeedTopics(1, "payments"))
	b := topology.NewBuilder()
	topology.FromPattern(b, "none-.*", codec.String, codec.String).Repartition(textTopic("by-user")).To(textTopic("payments"))
	o := run(t, c.ListenAddrs(), build(t, b), nil)
	require.ErrorIs(t, o.err, ErrInternalTopic)
	assert.Contains(t, o.text(), "topology.Partitions(n)")
}
