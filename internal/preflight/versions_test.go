package preflight

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

func TestOldBrokers(t *testing.T) {
	for name, test := range map[string]struct {
		version *kversion.Versions
		props   props
		want    string
	}{
		"exactly once":   {kversion.V2_4_0(), nil, ": processing.guarantee=exactly_once_v2 needs Kafka 2.5 or later (KIP-447"},
		"consumer group": {kversion.V3_6_0(), props{"group.protocol": "consumer"}, ": group.protocol=consumer needs Kafka 4.0 or later (KIP-848)"},
	} {
		t.Run(name, func(t *testing.T) {
			c := seeded(t, kfake.MaxVersions(test.version))
			o := run(t, c.ListenAddrs(), copying(t), test.props)
			require.ErrorIs(t, o.err, ErrBrokerTooOld)
			assert.Contains(t, o.text(), test.want)
			assert.Equal(t, 1, strings.Count(o.text(), ErrBrokerTooOld.Error()), "one reason, one fault")
		})
	}
	t.Run("at least once runs on them", func(t *testing.T) {
		c := seeded(t, kfake.MaxVersions(kversion.V2_4_0()))
		o := run(t, c.ListenAddrs(), copying(t), props{"processing.guarantee": "at_least_once"})
		assert.NoError(t, o.err)
	})
	t.Run("transaction.version 0", func(t *testing.T) {
		c := seeded(t, kfake.MaxVersions(kversion.V3_9_0()))
		o := run(t, c.ListenAddrs(), copying(t), nil)
		require.NoError(t, o.err)
		assert.Equal(t, 0, o.found.TransactionVersion)
		assert.Contains(t, o.log, "KIP-890")
	})
}

func TestGroupVersionIsOff(t *testing.T) {
	c := seeded(t)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	req := kmsg.NewPtrUpdateFeaturesRequest()
	feature := kmsg.NewUpdateFeaturesRequestFeatureUpdate()
	feature.Feature, feature.UpgradeType = "group.version", 3
	req.FeatureUpdates = append(req.FeatureUpdates, feature)
	resp, err := req.RequestWith(t.Context(), client)
	require.NoError(t, err)
	require.NoError(t, kerr.ErrorForCode(resp.ErrorCode))
	o := run(t, c.ListenAddrs(), copying(t), props{"group.protocol": "consumer"})
	require.ErrorIs(t, o.err, ErrBrokerTooOld)
	assert.Contains(t, o.text(), "upgrade --feature group.version=1")
}

func TestTransactionTimeout(t *testing.T) {
	c := seeded(t, kfake.BrokerConfigs(map[string]string{"transaction.max.timeout.ms": "5000"}))
	o := run(t, c.ListenAddrs(), copying(t), props{"transaction.timeout.ms": "9000"})
	require.ErrorIs(t, o.err, ErrTransactionTimeout)
	assert.Contains(t, o.text(), "it is 9000, the brokers' transaction.max.timeout.ms is 5000")
	assert.NoError(t, run(t, c.ListenAddrs(), copying(t), props{"transaction.timeout.ms": "9000", "processing.guarantee": "at_least_once"}).err)
}
