package worker_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/worker"
	"github.com/eosproc/eosproc/topology"
)

// Workers come and go under load, while commits are refused, answers are lost and
// records fail: the output is the input, once, in the order of each key (L04, B1, C1).
func TestScaleUnderLoad(t *testing.T) {
	for _, protocol := range []string{"classic", "consumer"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 6, map[string]string{"group.protocol": protocol})
			faults := []kfake.Fault{
				{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.RebalanceInProgress},
				{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.UnknownServerError},
				{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.TransactionAbortable},
				{Keys: []kmsg.Key{kmsg.Produce}, Topic: "out", Err: kerr.InvalidTxnState},
			}
			workers := map[int]*running{1: f.start(1)}
			for round, change := range []int{2, 3, -2, 2, -1, -3, 1, 3, -2} {
				f.cluster.Fault(faults[round%len(faults)])
				f.send("in", 500)
				if change > 0 {
					workers[change] = f.start(change)
					f.send("in", 500)
					workers[change].until(worker.Running)
				} else {
					workers[-change].stop()
					delete(workers, -change)
				}
			}
			f.exactly("out", f.sent)
			for _, w := range workers {
				w.stop()
			}
			f.exactly("out", f.sent)
			sum, _ := f.position("in")
			require.EqualValues(t, f.sent, sum)
		})
	}
}

// The group removes a member between two generations and gives its partitions to
// another, which gets ahead. The client comes back by itself under a new member
// id and is never told of a loss: what was processed before must not be committed
// under the new id (B4).
func TestReplacedMember(t *testing.T) {
	f := newFleet(t, 1, nil)
	const interval = "500000"
	first := f.start(1, "commit.interval.ms", interval, "transaction.timeout.ms", "600000")
	f.send("in", 100)
	require.Eventually(t, func() bool { return first.notes.processed.Load() == 100 }, patience, pollEvery)

	side := f.newClient()
	var armed atomic.Bool
	armed.Store(true)
	f.cluster.ControlKey(int16(kmsg.JoinGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		join := req.(*kmsg.JoinGroupRequest)
		if join.MemberID == "" || !armed.CompareAndSwap(true, false) {
			return nil, nil, false
		}
		f.cluster.SleepControl(func() {
			leave := kmsg.NewPtrLeaveGroupRequest()
			leave.Group = "app"
			gone := kmsg.NewLeaveGroupRequestMember()
			gone.MemberID = join.MemberID
			leave.Members = append(leave.Members, gone)
			_, _ = leave.RequestWith(context.Background(), side) // its effect is asserted below
			second := f.start(2)
			require.Eventually(t, func() bool { return second.notes.committed.Load() > 0 && second.notes.processed.Load() == 100 }, patience, pollEvery)
			second.graceful()
			<-second.done
		})
		resp := req.ResponseKind().(*kmsg.JoinGroupResponse)
		resp.ErrorCode = kerr.UnknownMemberID.Code
		return resp, nil, true
	})
	f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.RebalanceInProgress, TopLevel: true})
	require.Eventually(t, func() bool { return len(first.notes.aborts()) > 0 }, patience, pollEvery)
	f.send("in", 50)
	require.Eventually(t, func() bool { return first.notes.processed.Load() >= 150 }, patience, pollEvery)
	first.stop()
	f.exactly("out", 150)
}

// A member without an id in the middle of joining has no proof of membership. That
// is no reason to end.
func TestNoProofWhileJoining(t *testing.T) {
	f := newFleet(t, 1, nil)
	w := f.start(1)
	f.send("in", 10)
	f.exactly("out", 10)
	var times atomic.Int32
	joining := make(chan struct{})
	f.cluster.ControlKey(int16(kmsg.JoinGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		if times.Add(1) == 1 {
			close(joining)
			resp := req.ResponseKind().(*kmsg.JoinGroupResponse)
			resp.ErrorCode = kerr.UnknownMemberID.Code
			return resp, nil, true
		}
		return nil, nil, false
	})
	f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.RebalanceInProgress, TopLevel: true})
	for range 20 {
		f.send("in", 10)
	}
	f.wait("rebalance", joining)
	for range 20 {
		f.send("in", 10)
	}
	f.exactly("out", f.sent)
	w.stop()
}

// The group expires the session: the partitions are lost, what is open is dropped,
// and the worker joins again (B3).
func TestLostPartitions(t *testing.T) {
	f := newFleet(t, 2, nil)
	w := f.start(1)
	f.send("in", 100)
	f.exactly("out", 100)
	for range 3 {
		h := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.UnknownMemberID, TopLevel: true})
		f.send("in", 100)
		require.NoError(t, h.Wait(t.Context(), 1))
	}
	f.send("in", 100)
	f.exactly("out", f.sent)
	w.stop()
}

// A partition that was paused because its task waits, then went to another member
// and came back, is fetched again.
func TestPausedPartitionComesBack(t *testing.T) {
	f := newFleet(t, 2, map[string]string{"max.task.idle.ms": "3600000", "buffered.records.per.partition": "20", "max.poll.records": "50"}, "a", "b")
	f.define = func(b *topology.Builder) {
		topology.From(b, bytesTopic("a")).Merge(topology.From(b, bytesTopic("b"))).To(bytesTopic("out"))
	}
	f.send("a", 500)
	first := f.start(1)
	require.Eventually(t, func() bool { return first.notes.consumed.Load() >= 42 }, patience, pollEvery)
	second := f.start(2)
	require.Eventually(t, func() bool { return second.notes.consumed.Load() >= 21 }, patience, pollEvery)
	second.stop()
	before := first.notes.consumed.Load()
	require.Eventually(t, func() bool { return first.notes.consumed.Load() > before }, patience, pollEvery, "the partition stays paused")
	require.Zero(t, first.notes.processed.Load(), "nothing may be processed while b is silent")
}

// One input has far more than fits into the buffers before the other, for which
// the task waits, has been fetched at all.
func TestTwoInputsDoNotStarve(t *testing.T) {
	f := newFleet(t, 1, map[string]string{"buffered.records.per.partition": "100", "max.poll.records": "100"}, "a", "b")
	f.define = func(b *topology.Builder) {
		topology.From(b, bytesTopic("a")).Merge(topology.From(b, bytesTopic("b"))).To(bytesTopic("out"))
	}
	f.send("a", 2000)
	f.send("b", 2000)
	w := f.start(1)
	require.Len(t, f.read("out", 4000), 4000)
	w.stop()
}

// What is fetched and waits is bounded (I14).
func TestBackPressure(t *testing.T) {
	f := newFleet(t, 2, map[string]string{"max.task.idle.ms": "3600000", "buffered.records.per.partition": "100", "max.poll.records": "50"}, "a", "b")
	f.define = func(b *topology.Builder) {
		topology.From(b, bytesTopic("a")).Merge(topology.From(b, bytesTopic("b"))).To(bytesTopic("out"))
	}
	f.send("a", 5000)
	w := f.start(1)
	require.Eventually(t, func() bool { return w.notes.consumed.Load() >= 200 }, patience, pollEvery)
	h := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Observe: true, TopLevel: true, Count: -1})
	require.NoError(t, h.Wait(t.Context(), 3)) // time enough for more
	w.notes.mu.Lock()
	defer w.notes.mu.Unlock()
	require.LessOrEqual(t, w.notes.most, 2*(100+2*50))
}

func TestPause(t *testing.T) {
	f := newFleet(t, 2, nil)
	w := f.start(1)
	f.send("in", 100)
	f.exactly("out", 100)
	w.worker.Pause()
	h := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Observe: true, TopLevel: true, Count: -1})
	require.NoError(t, h.Wait(t.Context(), 1))
	processed := w.notes.processed.Load()
	f.send("in", 100)
	require.NoError(t, h.Wait(t.Context(), 4)) // it stays a member
	require.Equal(t, processed, w.notes.processed.Load())
	w.worker.Resume()
	f.exactly("out", 200)
	w.worker.Pause()
	w.stop()
}

// Another process joins with the same group.instance.id: the first ends, for good (B10).
func TestSecondInstance(t *testing.T) {
	f := newFleet(t, 1, map[string]string{"group.instance.id": "static"})
	first := f.start(1)
	f.send("in", 10)
	f.exactly("out", 10)
	second := f.start(1)
	err := first.end()
	require.ErrorIs(t, err, fencing.ErrFenced)
	fence, _ := errorsAs[*fencing.FencedError](err)
	// The second process has the same transactional ids as well; which of the two
	// the first meets earlier is chance, and either ends it.
	require.True(t, fence.By.EndsProcess(), "%v", err)
	f.send("in", 10)
	f.exactly("out", 20)
	second.stop()
}

type memory struct {
	last     string
	remember atomic.Pointer[string]
}

func (m *memory) LastMember(int) string                 { return m.last }
func (m *memory) Remember(_ int, memberID string) error { m.remember.Store(&memberID); return nil }

// A successor takes its killed predecessor out of the group instead of waiting for its session.
func TestPredecessorIsDismissed(t *testing.T) {
	for _, protocol := range []string{"classic", "consumer"} {
		t.Run(protocol, func(t *testing.T) {
			f := newFleet(t, 1, map[string]string{"group.protocol": protocol, "session.timeout.ms": "60000"})
			remembered := &memory{}
			f.memory = remembered
			leave := int16(kmsg.LeaveGroup)
			if protocol == "consumer" {
				leave = int16(kmsg.ConsumerGroupHeartbeat)
			}
			first := f.start(1)
			f.send("in", 10)
			f.exactly("out", 10)
			id := *remembered.remember.Load()
			require.NotEmpty(t, id)
			// A killed process does not say that it leaves.
			var kept atomic.Bool
			kept.Store(true)
			f.cluster.ControlKey(leave, func(req kmsg.Request) (kmsg.Response, error, bool) {
				f.cluster.KeepControl()
				if hb, ok := req.(*kmsg.ConsumerGroupHeartbeatRequest); ok && hb.MemberEpoch >= 0 || !kept.Load() {
					return nil, nil, false
				}
				return req.ResponseKind(), nil, true
			})
			first.abort()
			require.ErrorIs(t, first.end(), worker.ErrAborted)
			kept.Store(false)
			f.memory = &memory{last: id}
			f.send("in", 10)
			second := f.start(1)
			f.exactly("out", 20)
			second.stop()
			// And an id that nobody knows any more does not matter.
			third := f.start(1)
			f.send("in", 10)
			f.exactly("out", 30)
			third.stop()
		})
	}
}

// Records of which each fits into its topic are not refused because they come together (L56, F5).
func TestBatchesFitTheirTopic(t *testing.T) {
	f := newFleet(t, 1, nil)
	small := kmsg.StringPtr("2000")
	_, err := f.admin().AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "max.message.bytes", Value: small}}, "out")
	require.NoError(t, err)
	f.maxRecord = func(topic string) int {
		if topic == "out" {
			return 2000
		}
		return 0
	}
	f.send("in", 2000)
	w := f.start(1)
	f.exactly("out", 2000)
	w.stop()
	require.Empty(t, w.notes.aborts())
}

// With one producer there is no overlap, and it works all the same.
func TestProducersPerThread(t *testing.T) {
	for _, n := range []int{1, 3, 4} {
		f := newFleet(t, 2, nil)
		w := f.start(1, "eosproc.producers.per.thread", strconv.Itoa(n))
		for range 20 {
			f.send("in", 50)
		}
		f.exactly("out", f.sent)
		w.stop()
	}
}
