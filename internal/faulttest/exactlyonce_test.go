//go:build linux

package faulttest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/kafkaproxy"
	"github.com/eosproc/eosproc/internal/kafkatest"
)

// cluster is a one-broker Kafka behind a proxy.
func cluster(t *testing.T, version int) (bootstrap string, proxy *kafkaproxy.Proxy) {
	t.Helper()
	kafkatest.Need(t)
	proxy = kafkaproxy.New()
	t.Cleanup(proxy.Close)
	c := kafkatest.Real(t, kafkatest.WithTransactionVersion(version), kafkatest.WithAdvertised(proxy.Advertise))
	require.NotEmpty(t, c.Bootstrap())
	return c.Bootstrap(), proxy
}

// TestKilled kills workers at every step of the commit cycle.
func TestKilled(t *testing.T) {
	for _, version := range []int{2, 1, 0} {
		t.Run(fmt.Sprintf("v%d", version), func(t *testing.T) {
			bootstrap, _ := cluster(t, version)
			n := rounds(t, map[int]int{2: 2, 1: 1, 0: 1}[version])
			t.Run("same", func(t *testing.T) {
				t.Parallel()
				crashSame(t, bootstrap, n)
			})
			for _, half := range [][]string{steps[:5], steps[5:]} {
				t.Run("other/"+half[0], func(t *testing.T) {
					t.Parallel()
					crashOther(t, bootstrap, rounds(t, 1), half)
				})
			}
			if version == 2 {
				t.Run("consumer_protocol", func(t *testing.T) {
					t.Parallel()
					crashSame(t, bootstrap, (n+1)/2, withProperty("group.protocol", "consumer"))
				})
				t.Run("dead_letters", func(t *testing.T) {
					t.Parallel()
					crashSame(t, bootstrap, (n+1)/2, withTopology(topologyDeadLetters))
				})
			}
		})
	}
}
