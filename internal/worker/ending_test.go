package worker_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/worker"
	"github.com/eosproc/eosproc/topology"
)

const pollEvery = 2 * time.Millisecond

func errorsAs[E error](err error) (E, bool) { return errors.AsType[E](err) }

// The worker is told to end while a step of the commit is under way: it finishes
// it, commits what it has processed, and leaves (B13).
func TestGracefulEndInEveryPhase(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.TxnOffsetCommit, kmsg.EndTxn, kmsg.OffsetFetch, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.InitProducerID} {
		t.Run(key.Name(), func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2, nil)
			f.send("in", 100)
			asked, proceed := make(chan struct{}), make(chan struct{})
			done := false
			f.cluster.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
				if !done {
					done = true
					close(asked)
					f.cluster.SleepControl(func() { <-proceed })
				}
				return nil, nil, false
			})
			w := f.start(1)
			f.wait(key.Name(), asked)
			w.graceful()
			close(proceed)
			require.NoError(t, w.end())
			sum, _ := f.position("in")
			require.Len(t, f.read("out", int(sum)), int(sum), "output and offsets agree")
			require.Equal(t, w.notes.processed.Load(), sum, "all that was processed is committed")
			groups, err := f.admin().DescribeGroups(t.Context(), "app")
			require.NoError(t, err)
			require.Empty(t, groups["app"].Members, "it has left")
			next := f.start(1)
			f.exactly("out", 100)
			next.stop()
		})
	}
}

// An abort ends within a second or so, whatever does not answer (L06), and leaves
// nothing that a successor would have to repair.
func TestAbortInEveryPhase(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.TxnOffsetCommit, kmsg.EndTxn, kmsg.Fetch, kmsg.OffsetFetch, kmsg.OffsetCommit,
		kmsg.ListOffsets, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.InitProducerID, kmsg.Metadata} {
		t.Run(key.Name(), func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 2, nil)
			f.send("in", 100)
			asked := f.silence(key)
			f.silence(kmsg.LeaveGroup)
			w := f.start(1)
			f.wait(key.Name(), asked)
			start := time.Now()
			w.abort()
			w.graceful() // as App does
			err := w.end()
			assert.Less(t, time.Since(start), 4*time.Second) // a second, and the slowness of a loaded test machine
			if err != nil {
				require.ErrorIs(t, err, worker.ErrAborted)
			}
		})
	}
}

// The producer's buffer is full and nothing is acknowledged: the worker is blocked
// in the middle of processing, and an abort frees it.
func TestAbortOfABlockedProduce(t *testing.T) {
	f := newFleet(t, 1, nil)
	f.send("in", 25_000)
	asked := f.silence(kmsg.Produce)
	w := f.start(1, "commit.interval.ms", "9000")
	f.wait("produce", asked)
	var before int64
	require.Eventually(t, func() bool { // it has stopped making progress
		now := w.notes.processed.Load()
		still := now == before && now > 15_000
		before = now
		return still
	}, patience, 200*time.Millisecond)
	w.abort()
	require.ErrorIs(t, w.end(), worker.ErrAborted)
}

// The worker is told to stop at once while a rebalance waits for a commit that
// does not come.
func TestAbortInARevocation(t *testing.T) {
	f := newFleet(t, 2, nil)
	first := f.start(1)
	f.send("in", 10)
	f.exactly("out", 10)
	asked := f.silence(kmsg.EndTxn)
	f.send("in", 10)
	f.wait("EndTxn", asked)
	second := f.start(2)
	f.wait("revocation", first.notes.reached(worker.PartitionsRevoked))
	first.abort()
	require.ErrorIs(t, first.end(), worker.ErrAborted)
	second.abort()
	require.ErrorIs(t, second.end(), worker.ErrAborted)
}

// A committed offset that is not in the log stops the worker, with a name for it (I8, L17, L18).
func TestOutOfRange(t *testing.T) {
	commit := func(f *fleet, at int64) {
		offsets := kadm.Offsets{}
		offsets.AddOffset("in", 0, at, -1)
		require.NoError(f.t, f.admin().CommitAllOffsets(f.t.Context(), "app", offsets))
	}
	t.Run("beyond the end", func(t *testing.T) {
		f := newFleet(t, 1, nil)
		f.send("in", 10)
		commit(f, 900)
		require.ErrorIs(t, f.start(1).end(), worker.ErrOutOfRange)
	})
	t.Run("before the start", func(t *testing.T) {
		f := newFleet(t, 1, nil)
		f.send("in", 100)
		commit(f, 10)
		deleteTo(f, 50)
		require.ErrorIs(t, f.start(1).end(), worker.ErrOutOfRange)
		require.Empty(t, f.read("out", 0))
	})
	t.Run("under a slow consumer", func(t *testing.T) {
		f := newFleet(t, 1, nil)
		f.send("in", 10)
		w := f.start(1)
		f.exactly("out", 10)
		w.worker.Pause()
		h := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.UnknownServerError, Count: -1})
		f.send("in", 100)
		deleteTo(f, 60)
		h.Remove()
		w.worker.Resume()
		err := w.end()
		require.ErrorIs(t, err, worker.ErrOutOfRange)
		sum, _ := f.position("in")
		require.Len(t, f.read("out", int(sum)), int(sum))
	})
}

func deleteTo(f *fleet, at int64) {
	offsets := kadm.Offsets{}
	offsets.AddOffset("in", 0, at, -1)
	_, err := f.admin().DeleteRecords(f.t.Context(), offsets)
	require.NoError(f.t, err)
}

func TestStartPositions(t *testing.T) {
	t.Run("earliest is committed before the first record is processed", func(t *testing.T) {
		f := newFleet(t, 3, nil)
		f.send("in", 10)
		held := f.silence(kmsg.Fetch)
		f.start(1)
		f.wait("fetch", held)
		sum, partitions := f.position("in")
		require.Zero(t, sum)
		require.Equal(t, 3, partitions, "R12")
	})
	t.Run("latest", func(t *testing.T) {
		f := newFleet(t, 2, map[string]string{"auto.offset.reset": "latest"})
		f.send("in", 100)
		w := f.start(1)
		w.until(worker.Running)
		require.Eventually(t, func() bool { sum, n := f.position("in"); return sum == 100 && n == 2 }, patience, pollEvery)
		f.send("in", 5)
		require.Len(t, f.read("out", 5), 5)
		w.stop()
	})
	t.Run("latest, and the end cannot be told", func(t *testing.T) {
		f := newFleet(t, 1, map[string]string{"auto.offset.reset": "latest"})
		f.send("in", 100)
		h := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "in", Err: kerr.UnknownTopicOrPartition, Count: 1})
		w := f.start(1)
		require.NoError(t, h.Wait(t.Context(), 1))
		w.until(worker.Running)
		require.Eventually(t, func() bool { sum, n := f.position("in"); return sum == 100 && n == 1 }, patience, pollEvery, "never from the start instead")
		w.stop()
	})
	t.Run("none", func(t *testing.T) {
		f := newFleet(t, 1, map[string]string{"auto.offset.reset": "none"})
		f.send("in", 10)
		require.ErrorIs(t, f.start(1).end(), worker.ErrNoOffset)
		_, n := f.position("in")
		require.Zero(t, n)
	})
}

// A worker with nothing to do commits its start positions, and then nothing (L66).
func TestIdleCostsNothing(t *testing.T) {
	for _, guarantee := range []string{"exactly_once_v2", "at_least_once", "at_most_once"} {
		f := newFleet(t, 3, map[string]string{"processing.guarantee": guarantee})
		commits := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit, kmsg.TxnOffsetCommit, kmsg.EndTxn, kmsg.Produce, kmsg.AddOffsetsToTxn}, Observe: true, Count: -1})
		beats := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Observe: true, TopLevel: true, Count: -1})
		w := f.start(1)
		w.until(worker.Running)
		require.NoError(t, beats.Wait(t.Context(), 4))
		require.Equal(t, 1, commits.Hits(), guarantee)
		w.stop()
		require.Equal(t, 1, commits.Hits(), guarantee)
	}
}

// The group's offset is gone when the worker wants to go back to it.
func TestOffsetVanished(t *testing.T) {
	f := newFleet(t, 1, nil)
	w := f.start(1)
	f.send("in", 10)
	f.exactly("out", 10)
	f.cluster.ControlKey(int16(kmsg.OffsetFetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
		for _, g := range req.(*kmsg.OffsetFetchRequest).Groups {
			rg := kmsg.NewOffsetFetchResponseGroup()
			rg.Group = g.Group
			for _, topic := range g.Topics {
				rt := kmsg.NewOffsetFetchResponseGroupTopic()
				rt.Topic = topic.Topic
				for _, p := range topic.Partitions {
					rp := kmsg.NewOffsetFetchResponseGroupTopicPartition()
					rp.Partition, rp.Offset, rp.LeaderEpoch = p, -1, -1
					rt.Partitions = append(rt.Partitions, rp)
				}
				rg.Topics = append(rg.Topics, rt)
			}
			resp.Groups = append(resp.Groups, rg)
		}
		return resp, nil, true
	})
	f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.TransactionAbortable})
	f.send("in", 10)
	require.ErrorIs(t, w.end(), worker.ErrOffsetVanished)
	require.Len(t, f.read("out", 10), 10)
}

// Offsets first: a record whose processing is cut short is not processed again.
func TestAtMostOnce(t *testing.T) {
	f := newFleet(t, 1, map[string]string{"processing.guarantee": "at_most_once"})
	started, proceed := make(chan struct{}, 1), make(chan struct{})
	f.define = func(b *topology.Builder) {
		topology.From(b, bytesTopic("in")).Peek(func(topology.Record[[]byte, []byte]) {
			select {
			case started <- struct{}{}:
			default:
			}
			<-proceed
		}).To(bytesTopic("out"))
	}
	f.send("in", 1)
	w := f.start(1)
	f.wait("processing", started)
	sum, _ := f.position("in")
	require.EqualValues(t, 1, sum, "committed before it is processed")
	h := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "out", Err: kerr.InvalidRecord})
	close(proceed)
	require.NoError(t, h.Wait(t.Context(), 1))
	// What is buffered together with a lost record may be lost with it; what comes later is not.
	require.Eventually(t, func() bool {
		f.send("in", 1)
		return len(f.read("out", 0)) > 0
	}, patience, pollEvery)
	w.stop()
	again := f.start(1)
	again.until(worker.Running)
	again.stop()
	seen := map[string]int{}
	for _, r := range f.read("out", 1) {
		seen[string(r.Value)]++
		require.Equal(t, 1, seen[string(r.Value)])
	}
	require.NotContains(t, seen, "0")
}

func TestAtLeastOnce(t *testing.T) {
	f := newFleet(t, 3, map[string]string{"processing.guarantee": "at_least_once"})
	w := f.start(1)
	for i := range 12 {
		switch i % 3 {
		case 0:
			f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.RebalanceInProgress})
		case 1:
			f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "out", Err: kerr.UnknownServerError})
		}
		f.send("in", 50)
	}
	require.Eventually(t, func() bool { sum, _ := f.position("in"); return sum == int64(f.sent) }, patience, pollEvery)
	seen := map[string]bool{}
	for _, r := range f.read("out", f.sent) {
		seen[string(r.Value)] = true
	}
	require.Len(t, seen, f.sent, "nothing is lost")
	w.stop()
}

// Headers, null keys, null values, timestamps and the chosen partition arrive as they are.
func TestRecordsPassUnchanged(t *testing.T) {
	for _, guarantee := range []string{"exactly_once_v2", "at_least_once", "at_most_once"} {
		f := newFleet(t, 4, map[string]string{"processing.guarantee": guarantee})
		w := f.start(1)
		in := []*kgo.Record{
			{Topic: "in", Key: []byte("k"), Value: nil, Timestamp: time.UnixMilli(1234)},
			{Topic: "in", Key: nil, Value: []byte("v"), Timestamp: time.UnixMilli(5678)},
			{Topic: "in", Key: []byte("h"), Value: []byte{}, Timestamp: time.UnixMilli(9), Headers: []kgo.RecordHeader{{Key: "a", Value: []byte("1")}, {Key: "a", Value: nil}, {Key: "", Value: []byte{}}}},
		}
		require.NoError(t, f.client.ProduceSync(t.Context(), in...).FirstErr())
		got := map[int64]*kgo.Record{}
		for _, r := range f.read("out", 3) {
			got[r.Timestamp.UnixMilli()] = r
		}
		require.Len(t, got, 3, guarantee)
		for _, r := range in {
			o := got[r.Timestamp.UnixMilli()]
			require.Equal(t, r.Key, o.Key)
			require.Equal(t, r.Value, o.Value)
			require.Equal(t, fmt.Sprint(r.Headers), fmt.Sprint(o.Headers))
			if r.Key != nil {
				require.Equal(t, r.Partition, o.Partition, "the same hash as the client of the input")
			}
		}
		w.stop()
	}
}

func TestPartitionChooser(t *testing.T) {
	f := newFleet(t, 4, nil)
	f.define = func(b *topology.Builder) {
		topology.From(b, bytesTopic("in")).ToChosen(codec.Bytes, codec.Bytes, func(r topology.Record[[]byte, []byte]) topology.Destination {
			return topology.Destination{Topic: "out", Partition: int32(len(r.Value) % 4)}
		})
	}
	w := f.start(1)
	f.send("in", 1100)
	for _, r := range f.read("out", 1100) {
		require.EqualValues(t, len(r.Value)%4, r.Partition)
	}
	w.stop()
}

// The broker refuses one record for what it is: its handler decides, its
// neighbours pass, and the application goes on (C-10, F5, L37).
func TestRefusedRecord(t *testing.T) {
	for _, handler := range []string{"continue", "dlq", "fail"} {
		t.Run(handler, func(t *testing.T) {
			f := newFleet(t, 1, map[string]string{"production.exception.handler": handler, "errors.dead.letter.queue.topic.name": "dead"}, "dead")
			bad := func(req kmsg.Request) bool { return produces(req, "777", false) }
			f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "out", Err: kerr.InvalidRecord, Count: -1, When: bad})
			f.send("in", 1000) // in few batches
			w := f.start(1)
			if handler == "fail" {
				err := w.end()
				require.ErrorIs(t, err, kerr.InvalidRecord)
				require.ErrorContains(t, err, "in-0@777")
				require.Len(t, f.read("out", 0), 777)
				return
			}
			var want, values []string
			for i := range 1000 {
				if i != 777 {
					want = append(want, strconv.Itoa(i))
				}
			}
			for _, r := range f.read("out", 999) {
				values = append(values, string(r.Value))
			}
			require.Equal(t, want, values)
			if handler == "dlq" {
				letters := f.read("dead", 1)
				require.Len(t, letters, 1)
				require.Equal(t, "777", string(letters[0].Value))
			}
			aborts := len(w.notes.aborts())
			require.Less(t, aborts, 15, "the culprit is found by halving")
			f.send("in", 100)
			f.read("out", 1099)
			require.Len(t, w.notes.aborts(), aborts, "the suspicion ends")
			w.stop()
		})
	}
}

// A dead letter that no broker takes stops the worker: it is neither skipped nor tried for ever (F2).
func TestRefusedDeadLetter(t *testing.T) {
	f := newFleet(t, 1, map[string]string{"production.exception.handler": "dlq", "errors.dead.letter.queue.topic.name": "dead"}, "dead")
	for _, topic := range []string{"out", "dead"} {
		f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: kerr.InvalidRecord, Count: -1, When: func(req kmsg.Request) bool { return produces(req, "7", topic == "dead") }})
	}
	f.send("in", 10)
	err := f.start(1).end()
	require.ErrorIs(t, err, kerr.InvalidRecord)
	require.ErrorContains(t, err, "dead letter of in-0@7")
	sum, _ := f.position("in")
	require.EqualValues(t, 7, sum)
	require.Len(t, f.read("out", 0), 7)
}

// produces reports whether a produce request carries a record with the value, as a
// dead letter, which has headers, or as it was. (The topic may be given by its id only.)
func produces(req kmsg.Request, value string, letter bool) bool {
	for _, t := range req.(*kmsg.ProduceRequest).Topics {
		for _, p := range t.Partitions {
			var batch kmsg.RecordBatch
			if batch.ReadFrom(p.Records) != nil || batch.NumRecords == 0 {
				continue
			}
			raw := batch.Records
			for range batch.NumRecords {
				var r kmsg.Record
				if r.ReadFrom(raw) != nil {
					return false
				}
				if string(r.Value) == value && letter == (len(r.Headers) > 0) {
					return true
				}
				_, n := binary.Varint(raw)
				raw = raw[int(r.Length)+n:]
			}
		}
	}
	return false
}
