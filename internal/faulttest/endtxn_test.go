//go:build linux

package faulttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/kafkaproxy"
)

// TestEndTxn disturbs the request that decides a transaction, and its answer.
func TestEndTxn(t *testing.T) {
	for _, version := range []int{2, 1, 0} {
		t.Run(fmt.Sprintf("v%d", version), func(t *testing.T) {
			t.Parallel()
			bootstrap, proxy := cluster(t, version)
			n := rounds(t, map[int]int{2: 2, 1: 1, 0: 1}[version])
			t.Run("answer_cut", func(t *testing.T) {
				t.Parallel()
				disturb(t, bootstrap, proxy, n, func(*rig) kafkaproxy.Rule { return kafkaproxy.Rule{Action: kafkaproxy.CutResponse} })
			})
			t.Run("request_dropped", func(t *testing.T) {
				t.Parallel()
				disturb(t, bootstrap, proxy, n, func(r *rig) kafkaproxy.Rule {
					return kafkaproxy.Rule{Action: kafkaproxy.DropRequest, Delay: time.Duration(r.random.IntN(3000)) * time.Millisecond}
				})
			})
			t.Run("request_delayed", func(t *testing.T) {
				t.Parallel()
				disturb(t, bootstrap, proxy, (n+1)/2, func(r *rig) kafkaproxy.Rule {
					return kafkaproxy.Rule{Action: kafkaproxy.DelayRequest, Delay: 2*time.Second + time.Duration(r.random.IntN(8000))*time.Millisecond}
				})
			})
			t.Run("answer_delayed", func(t *testing.T) {
				t.Parallel()
				disturb(t, bootstrap, proxy, (n+1)/2, func(r *rig) kafkaproxy.Rule {
					return kafkaproxy.Rule{Action: kafkaproxy.DelayResponse, Delay: 2*time.Second + time.Duration(r.random.IntN(8000))*time.Millisecond}
				})
			})
			// KAFKA-17754: a copy of the request that arrives after its sender has gone on.
			t.Run("request_late", func(t *testing.T) {
				t.Parallel()
				disturb(t, bootstrap, proxy, n, func(r *rig) kafkaproxy.Rule {
					return kafkaproxy.Rule{Action: kafkaproxy.LateRequest, Delay: time.Duration(r.random.IntN(1500)) * time.Millisecond}
				})
			})
			t.Run("offsets_late", func(t *testing.T) {
				t.Parallel()
				disturb(t, bootstrap, proxy, n, func(r *rig) kafkaproxy.Rule {
					return kafkaproxy.Rule{Key: kafkaproxy.TxnOffsetCommit, Action: kafkaproxy.LateRequest, Delay: time.Duration(r.random.IntN(1500)) * time.Millisecond}
				})
			})
			t.Run("plain_offsets_late", func(t *testing.T) {
				t.Parallel()
				disturb(t, bootstrap, proxy, n, func(r *rig) kafkaproxy.Rule {
					return kafkaproxy.Rule{Key: kafkaproxy.OffsetCommit, Action: kafkaproxy.LateRequest, Delay: time.Duration(r.random.IntN(1500)) * time.Millisecond}
				}, withTopology(topologySparse))
			})
			t.Run("start_offsets_late", func(t *testing.T) {
				t.Parallel()
				startLate(t, bootstrap, proxy)
			})
			t.Run("produce_late", func(t *testing.T) {
				t.Parallel()
				disturb(t, bootstrap, proxy, n, func(r *rig) kafkaproxy.Rule {
					return kafkaproxy.Rule{Key: produceKey, Action: kafkaproxy.LateRequest, Delay: time.Duration(r.random.IntN(1500)) * time.Millisecond}
				})
			})
		})
	}
}

// startLate delays the first copy of the commit that fixes where a new group
// begins, until much more is committed.
func startLate(t *testing.T, bootstrap string, proxy *kafkaproxy.Proxy) {
	r := newRig(t, bootstrap)
	hook, err := proxy.Add(kafkaproxy.Rule{Key: kafkaproxy.OffsetCommit, ClientID: r.app, Action: kafkaproxy.LateRequest, Delay: 3 * time.Second})
	require.NoError(t, err)
	defer hook.Remove()
	r.start("a")
	await(t, patience, "the start is committed late", func() bool { return len(hook.Finished()) > 0 })
	r.awaitProgress(patience)
	r.requireExact()
}

// produceKey stands for [kafkaproxy.Produce], which is the zero value that means EndTxn here.
const produceKey = -2

// disturb runs one worker and disturbs one request after another.
func disturb(t *testing.T, bootstrap string, proxy *kafkaproxy.Proxy, n int, next func(*rig) kafkaproxy.Rule, opts ...rigOption) {
	r := newRig(t, bootstrap, opts...)
	p := r.start("a")
	r.awaitProgress(patience)
	for range n {
		rule := next(r)
		switch rule.Key {
		case 0:
			rule.Key = kafkaproxy.EndTxn
		case produceKey:
			rule.Key = kafkaproxy.Produce
		}
		rule.ClientID, rule.Nth = r.app, 1+r.random.IntN(10)
		hook, err := proxy.Add(rule)
		require.NoError(t, err)
		await(t, patience, "the rule acts", func() bool { return len(hook.Fired()) > 0 })
		await(t, patience, "its effect is over", func() bool { return len(hook.Finished()) > 0 })
		hook.Remove()
		require.False(t, p.ended(), "the worker ended%s", p.troubles())
		r.awaitProgress(patience)
	}
	r.requireExact()
	for message, count := range p.messages() {
		t.Logf("%d× %s", count, message)
	}
}
