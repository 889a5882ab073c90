package preflight

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/topology"
)

func TestAllIsWell(t *testing.T) {
	c := seeded(t)
	o := run(t, c.ListenAddrs(), copying(t), nil)
	require.NoError(t, o.err)
	assert.Equal(t, "cluster-a", o.found.ClusterID)
	assert.Equal(t, 2, o.found.TransactionVersion)
	assert.Equal(t, map[string]int{"orders": 3}, o.found.Partitions)
	assert.Equal(t, 1, strings.Count(o.log, "level=WARN"), "one line about the one broker, and no other: %s", o.log)
	assert.Contains(t, o.log, "the cluster has one broker")
}

func TestMissingTopicsAreReportedTogether(t *testing.T) {
	c := fake(t, kfake.SeedTopics(1, "order", "elsewhere"))
	o := run(t, c.ListenAddrs(), copying(t), props{
		"processing.exception.handler": "dlq", "errors.dead.letter.queue.topic.name": "failures",
	})
	require.ErrorIs(t, o.err, ErrNoTopic)
	addr := c.ListenAddrs()[0]
	assert.Equal(t, strings.Join([]string{
		`dead letter topic "failures": topic does not exist; eosproc makes no topics of yours: kafka-topics.sh --bootstrap-server ` + addr + ` --create --topic failures --partitions <n>`,
		`input topic "orders": topic does not exist, did you mean order?; eosproc makes no topics of yours: kafka-topics.sh --bootstrap-server ` + addr + ` --create --topic orders --partitions <n>`,
		`output topic "payments": topic does not exist; eosproc makes no topics of yours: kafka-topics.sh --bootstrap-server ` + addr + ` --create --topic payments --partitions <n>`,
	}, "\n"), o.text())
}

func TestDeadLetterTopicMattersOnlyWithItsHandler(t *testing.T) {
	c := seeded(t)
	o := run(t, c.ListenAddrs(), copying(t), props{"errors.dead.letter.queue.topic.name": "failures"})
	assert.NoError(t, o.err)
}

func TestPatterns(t *testing.T) {
	c := fake(t, kfake.SeedTopics(2, "eu-orders"), kfake.SeedTopics(4, "us-orders"), kfake.SeedTopics(1, "payments", "orders"))
	b := topology.NewBuilder()
	topology.FromPattern(b, "(eu|us)-orders", codec.String, codec.String).Repartition(textTopic("by-user")).To(textTopic("payments"))
	topology.FromPattern(b, "returns-.*", codec.String, codec.String).To(textTopic("payments"))
	o := run(t, c.ListenAddrs(), build(t, b), nil)
	require.NoError(t, o.err)
	assert.Equal(t, map[string]int{"eu-orders": 2, "us-orders": 4, "app-by-user-repartition": 4}, o.found.Partitions)
	assert.Contains(t, o.log, "the pattern matches no topic yet")
	assert.Contains(t, o.log, "returns-")
	assert.NotContains(t, o.log, "pattern=\"^(?:(eu")
}

func TestRecordLimits(t *testing.T) {
	c := seeded(t)
	adm := admin(t, c.ListenAddrs())
	_, err := adm.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "max.message.bytes", Value: kadm.StringPtr("5000")}}, "payments")
	require.NoError(t, err)
	o := run(t, c.ListenAddrs(), copying(t), props{"max.request.size": "70000"})
	require.NoError(t, o.err)
	assert.Equal(t, 5000, o.found.MaxRecordBytes("payments"), "the topic takes less than the setting")
	assert.Equal(t, 70000, o.found.MaxRecordBytes("orders"), "the setting is smaller than the topic's limit")
	assert.Equal(t, 70000, o.found.MaxRecordBytes("chosen-later"))
}

func TestReplicationHints(t *testing.T) {
	c := fake(t, kfake.NumBrokers(3))
	adm := admin(t, c.ListenAddrs())
	_, err := adm.CreateTopic(t.Context(), 1, 1, nil, "orders")
	require.NoError(t, err)
	_, err = adm.CreateTopic(t.Context(), 1, 3, map[string]*string{"min.insync.replicas": kadm.StringPtr("1")}, "payments")
	require.NoError(t, err)
	o := run(t, c.ListenAddrs(), copying(t), nil)
	require.NoError(t, o.err)
	assert.Contains(t, o.log, `msg="the topic has one replica: what is committed is lost with its broker" topic=orders`)
	assert.Contains(t, o.log, `msg="min.insync.replicas is 1: a record counts as committed while one broker has it" topic=payments`)
	assert.NotContains(t, o.log, "the cluster has one broker")
}
