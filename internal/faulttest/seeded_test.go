//go:build linux

package faulttest

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/eosproc/eosproc/internal/kafkaproxy"
	"github.com/eosproc/eosproc/internal/kafkatest"
	"github.com/eosproc/eosproc/internal/seeded"
)

// attempts is how often a fault is provoked before it counts as not caught.
const attempts = 4

// TestSeededFaultsAreCaught runs workers with a fault built in, provokes it, and
// requires that the verdict is not clean.
func TestSeededFaultsAreCaught(t *testing.T) {
	t.Parallel()
	bootstrap, proxy := cluster(t, 1)
	binary := filepath.Join(t.TempDir(), "seeded.test")
	out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "eosproc_seeded", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "build with seeded faults: %s", out)

	dropEndTxn := func(r *rig) {
		hook, err := proxy.Add(kafkaproxy.Rule{Key: kafkaproxy.EndTxn, ClientID: r.app, Nth: 5, Action: kafkaproxy.DropRequest})
		require.NoError(r.t, err)
		defer hook.Remove()
		await(r.t, patience, "an EndTxn is dropped", func() bool { return len(hook.Finished()) > 0 })
	}
	for _, c := range []struct {
		fault   seeded.Fault
		caught  []string // by one of these
		provoke func(*rig)
	}{
		{seeded.GenerationLeftOut, []string{"C1", "C10", "C3"}, func(r *rig) { awakenZombie(r, proxy) }},
		{seeded.AbortIgnored, []string{"C1"}, refuseRecords},
		{seeded.UnknownCommitted, []string{"C1"}, dropEndTxn},
		{seeded.WrongRewind, []string{"C1"}, dropEndTxn},
	} {
		t.Run(string(c.fault), func(t *testing.T) {
			t.Parallel()
			if c.fault != seeded.AbortIgnored {
				// The sound program survives the same. At a record that no broker takes it stops.
				provoked(t, bootstrap, binary, "", c.provoke).requireExact()
			}
			// What is provoked may do no harm once: the client can send an EndTxn
			// again by itself, and what a wrong position skips can be markers.
			for range attempts {
				v := provoked(t, bootstrap, binary, c.fault, c.provoke).finish(allowance{})
				t.Logf("%s\n%s", v, strings.Join(v.faults[:min(len(v.faults), 6)], "\n"))
				if slices.ContainsFunc(v.faults, func(f string) bool {
					return slices.ContainsFunc(c.caught, func(check string) bool { return strings.Contains(f, check+": ") })
				}) {
					return
				}
			}
			t.Errorf("no check has caught %s", c.fault)
		})
	}
}

// provoked runs a worker, sound or not, and does to it what brings the fault out.
func provoked(t *testing.T, bootstrap, binary string, fault seeded.Fault, provoke func(*rig)) *rig {
	t.Helper()
	r := newRig(t, bootstrap, withBinary(binary), withEnvironment("EOSPROC_SEEDED="+string(fault)))
	if fault == seeded.GenerationLeftOut {
		// The zombie must wake up before the coordinator aborts its transaction.
		r.extra["transaction.timeout.ms"] = "30000"
	}
	r.start("a")
	r.awaitProgress(patience)
	provoke(r)
	r.awaitProgress(patience)
	return r
}

// awakenZombie freezes a worker between its records and its offsets until
// another one has gone on from where it began. Its heartbeats are held up, so that
// it does not learn in time that it has been removed.
func awakenZombie(r *rig, proxy *kafkaproxy.Proxy) {
	zombie := r.start("zombie", failAt("S3", 10, "stop"))
	await(r.t, patience, "the zombie stops", zombie.stopped)
	first := r.processes[0]
	before := len(first.said("assigned"))
	await(r.t, patience, "another has taken over", func() bool { return len(first.said("assigned")) > before })
	r.awaitProgress(patience)
	hook, err := proxy.Add(kafkaproxy.Rule{Key: kafkaproxy.Heartbeat, ClientID: r.app + "-zombie", Times: -1, Action: kafkaproxy.DelayRequest, Delay: time.Second})
	require.NoError(r.t, err)
	defer hook.Remove()
	commits := len(zombie.said("committed"))
	zombie.signal(r.t, syscall.SIGCONT)
	await(r.t, patience, "the zombie is back", func() bool { return zombie.ended() || len(zombie.said("committed")) > commits+2 })
}

// refuseRecords makes the broker refuse all output for a while, but not the
// markers of transactions, which are smaller.
func refuseRecords(r *rig) {
	adm := kadm.NewClient(kafkatest.Client(r.t, r.bootstrap))
	set := func(limit string) {
		_, err := adm.AlterTopicConfigs(r.t.Context(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "max.message.bytes", Value: &limit}}, r.out)
		require.NoError(r.t, err)
	}
	set("100")
	r.awaitProgress(patience)
	set("1048588")
}
