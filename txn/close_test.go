package txn_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/eosproc/eosproc/txn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// silence makes the broker stop answering requests of a kind.
func silence(r *rig, key kmsg.Key) (asked chan struct{}) {
	asked = make(chan struct{})
	var once sync.Once
	r.cluster.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		r.cluster.KeepControl()
		once.Do(func() { close(asked) })
		return nil, nil, true
	})
	return asked
}

// until takes answers until the cycle is in a phase.
func (r *rig) until(p txn.Phase) {
	for r.session.State().Sealed != p {
		r.session.Take(<-r.session.Answers())
	}
}

// Close returns soon after its context has ended, whatever the cycle waits for
// (L06), and leaves no goroutine behind.
func TestCloseInEveryPhase(t *testing.T) {
	phases := map[string]struct {
		reach func(*rig)
		fails bool
	}{
		"idle":                 {func(*rig) {}, false},
		"open":                 {func(r *rig) { r.produce("x") }, false},
		"flushing":             {func(r *rig) { silence(r, kmsg.Produce); r.produce("x"); r.seal(1) }, true},
		"flushing and held":    {func(r *rig) { silence(r, kmsg.Produce); r.produce("x"); r.seal(1); r.produce("y") }, true},
		"open, leader is gone": {func(r *rig) { silence(r, kmsg.Produce); r.produce("x") }, true},
		"offsets":              {func(r *rig) { silence(r, kmsg.TxnOffsetCommit); r.produce("x"); r.seal(1); r.until(txn.SendingOffsets) }, true},
		"ending":               {func(r *rig) { silence(r, kmsg.EndTxn); r.produce("x"); r.seal(1); r.until(txn.Ending) }, false},
		"ending and open":      {func(r *rig) { silence(r, kmsg.EndTxn); r.produce("x"); r.seal(1); r.until(txn.Ending); r.produce("y") }, true},
		"plain":                {func(r *rig) { silence(r, kmsg.OffsetCommit); r.seal(1) }, false},
		"aborting":             {func(r *rig) { silence(r, kmsg.EndTxn); r.produce("x"); r.session.Abandon(nil) }, false},
		"resolving": {func(r *rig) {
			silence(r, kmsg.InitProducerID)
			r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.UnknownServerError})
			r.produce("x")
			r.seal(1)
			r.until(txn.Resolving)
		}, false},
		"proving": {func(r *rig) {
			silence(r, kmsg.Heartbeat)
			r.session.Outlive()
			r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.InvalidProducerEpoch})
			r.produce("x")
			r.seal(1)
			r.until(txn.Proving)
		}, false},
		"dead broker": {func(r *rig) { r.produce("x"); r.seal(1); r.cluster.Close() }, true},
	}
	for name, c := range phases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			c.reach(r)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- r.session.Close(ctx) }()
			select {
			case err := <-done:
				if !c.fails {
					require.NoError(t, err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("Close hangs")
			}
		})
	}
}

// What is open when the session ends is aborted at once, so that no reader waits
// for its timeout: also after a failure, and when the commit has not come far.
func TestCloseAbortsWhatIsOpen(t *testing.T) {
	tests := map[string]func(*rig){
		"open":  func(r *rig) { r.produce("x") },
		"doubt": func(r *rig) { r.produce("x"); r.seal(1); r.produce("y") },
		"failed": func(r *rig) {
			r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.GroupAuthorizationFailed})
			r.produce("x")
			r.seal(1)
			r.produce("y")
			require.Error(r.t, r.settle().Stop)
		},
	}
	for name, reach := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, timeout(10*time.Minute))
			reach(r)
			require.NoError(t, r.session.Close(t.Context()))
			require.Empty(t, r.visible())
		})
	}
}

// A worker that is blocked because the producer's buffer is full is freed.
func TestInterruptFreesABlockedProduce(t *testing.T) {
	r := newRig(t)
	asked := silence(r, kmsg.Produce)
	blocked := make(chan error, 1)
	go func() {
		for range 30_000 {
			if err := r.session.Produce(&kgo.Record{Topic: "out", Value: make([]byte, 100)}); err != nil {
				blocked <- err
				return
			}
		}
		blocked <- nil
	}()
	<-asked
	r.session.Interrupt()
	select {
	case err := <-blocked:
		require.NoError(t, err)
	case <-time.After(patience):
		t.Fatal("still blocked")
	}
}
