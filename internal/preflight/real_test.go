package preflight

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/internal/kafkatest"
)

// TestRealKafka asks the questions of a broker that is not an imitation: that the
// probes are harmless, and that each right is seen by itself, depends on details.
func TestRealKafka(t *testing.T) {
	cluster := kafkatest.Real(t,
		kafkatest.WithProperty("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
		kafkatest.WithProperty("allow.everyone.if.no.acl.found", "true"))
	bootstrap := cluster.Bootstrap()
	kafkatest.CreateTopic(t, bootstrap, "orders", 3, nil)
	kafkatest.CreateTopic(t, bootstrap, "payments", 1, map[string]string{"max.message.bytes": "5000"})
	adm := admin(t, []string{bootstrap})

	t.Run("all is well", func(t *testing.T) {
		o := run(t, []string{bootstrap}, repartitioning(t), props{"group.protocol": "consumer"})
		require.NoError(t, o.err)
		assert.NotEmpty(t, o.found.ClusterID)
		assert.Equal(t, 2, o.found.TransactionVersion)
		assert.Equal(t, map[string]int{"orders": 3, "app-by-user-repartition": 3, "app-by-shop-repartition": 3}, o.found.Partitions)
		assert.Equal(t, 5000, o.found.MaxRecordBytes("payments"))

		groups, err := adm.ListGroups(t.Context())
		require.NoError(t, err)
		assert.NotContains(t, groups, "app", "the probe makes no group")
		txns, err := adm.ListTransactions(t.Context(), nil, nil)
		require.NoError(t, err)
		assert.Empty(t, txns, "the probe makes no transactional id")

		begin := time.Now()
		again := run(t, []string{bootstrap}, repartitioning(t), nil)
		require.NoError(t, again.err)
		t.Logf("a second start takes %s", time.Since(begin))
		assert.NotContains(t, again.log, "made internal topic")
	})

	t.Run("transaction timeout", func(t *testing.T) {
		o := run(t, []string{bootstrap}, copying(t), props{"transaction.timeout.ms": "3600000", "delivery.timeout.ms": "3600000"})
		require.ErrorIs(t, o.err, ErrTransactionTimeout)
		assert.Contains(t, o.text(), "it is 3600000, the brokers' transaction.max.timeout.ms is 900000")
	})

	t.Run("described only", func(t *testing.T) {
		describe := func() *kadm.ACLBuilder {
			return kadm.NewACLs().Allow("User:ANONYMOUS").AllowHosts("*").Operations(kmsg.ACLOperationDescribe)
		}
		for _, acl := range []*kadm.ACLBuilder{
			describe().Topics("orders", "payments").ResourcePatternType(kmsg.ACLResourcePatternTypeLiteral),
			describe().Groups("guarded").ResourcePatternType(kmsg.ACLResourcePatternTypeLiteral),
			describe().TransactionalIDs("guarded-").ResourcePatternType(kmsg.ACLResourcePatternTypePrefixed),
		} {
			results, err := adm.CreateACLs(t.Context(), acl)
			require.NoError(t, err)
			for _, r := range results {
				require.NoError(t, r.Err)
			}
		}
		// Rights reach the authorizer with the metadata log, a moment later.
		require.Eventually(t, func() bool {
			o := run(t, []string{bootstrap}, copying(t), props{"application.id": "guarded"})
			return o.err != nil &&
				assert.ObjectsAreEqual([]bool{true, true, true, true}, []bool{
					contains(o, `input topic "orders": not authorized to Read it`),
					contains(o, `output topic "payments": not authorized to Write it`),
					contains(o, `group "guarded": not authorized`),
					contains(o, `transactional ids "guarded-…": not authorized`),
				})
		}, 10*time.Second, 100*time.Millisecond)
	})
}

func contains(o outcome, text string) bool { return strings.Contains(o.text(), text) }
