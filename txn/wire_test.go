package txn_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/txn"
)

// A long run with overlapping transactions, plain commits, faults and drops. What
// reaches the broker obeys the rules, and readers see every value once, in order.
func TestWire(t *testing.T) {
	for _, v := range []int{0, 1, 2} {
		for _, slots := range []int{1, 2, 3} {
			t.Run(fmt.Sprintf("tv%d/%d producers", v, slots), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, version(v), func(r *rig) { r.slots = slots })
				random := rand.New(rand.NewPCG(uint64(v), uint64(slots)))
				faults := []kfake.Fault{
					{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.IllegalGeneration},
					{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidRecord},
					{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.UnknownServerError},
					{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.TransactionAbortable},
					{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.RebalanceInProgress},
				}
				var want []string
				value, done, last := 0, int64(0), int64(0) // of the values, those sealed, those committed
				rewind := func() { value, done = int(last), last }
				take := func(out txn.Outcome) {
					require.NoError(t, out.Stop)
					if out.Committed != nil {
						last = out.Committed.Payload.(int64)
					}
					if out.Rewind {
						rewind()
					}
				}
				for range 400 {
					if random.IntN(12) == 0 {
						r.cluster.Fault(faults[random.IntN(len(faults))])
					}
					if r.session.CanProcess() {
						for range random.IntN(4) {
							value++
							r.produce(fmt.Sprint(value))
						}
					}
					switch {
					case random.IntN(40) == 0:
						take(r.session.Abandon(assert.AnError))
					case r.session.State().CanSeal() && int64(value) > done:
						done = int64(value)
						r.seal(done)
					}
					if !r.session.State().CanSeal() {
						take(r.session.Take(<-r.session.Answers()))
					} else {
						select {
						case a := <-r.session.Answers():
							take(r.session.Take(a))
						default:
						}
					}
				}
				for int64(value) > last || !r.session.State().Idle() {
					if r.session.State().CanSeal() {
						r.seal(int64(value))
					}
					take(r.session.Take(<-r.session.Answers()))
				}
				for i := range value {
					want = append(want, fmt.Sprint(i+1))
				}
				assert.Equal(t, want, r.visible())
				assert.EqualValues(t, value, r.committed())
				checkWire(t, r, v)
			})
		}
	}
}

// checkWire asserts what must hold of the order of requests.
func checkWire(t *testing.T, r *rig, v int) {
	t.Helper()
	offsets := map[string]bool{} // of the ids: whether TxnOffsetCommit has followed the last produce
	produced := map[string]bool{}
	for _, req := range r.wire.requests(kmsg.Produce, kmsg.TxnOffsetCommit, kmsg.OffsetCommit, kmsg.EndTxn, kmsg.InitProducerID) {
		switch q := req.(type) {
		case *kmsg.ProduceRequest:
			require.NotNil(t, q.TransactionID, "a record outside of any transaction")
			produced[*q.TransactionID], offsets[*q.TransactionID] = true, false
		case *kmsg.TxnOffsetCommitRequest:
			require.NotEmpty(t, q.MemberID, "L58")
			require.GreaterOrEqual(t, q.Generation, int32(0), "L58")
			require.Equal(t, "app", q.Group)
			if v < 2 {
				require.Less(t, q.Version, int16(5), "the group would be added implicitly")
			}
			offsets[q.TransactionalID] = true
		case *kmsg.OffsetCommitRequest:
			require.NotEmpty(t, q.MemberID)
			require.GreaterOrEqual(t, q.Generation, int32(0))
		case *kmsg.EndTxnRequest:
			if q.Commit {
				require.True(t, produced[q.TransactionalID], "an empty transaction is committed (L66)")
				require.True(t, offsets[q.TransactionalID], "committed without offsets (B8)")
			}
			produced[q.TransactionalID] = false
		case *kmsg.InitProducerIDRequest:
			produced[*q.TransactionalID] = false
		}
	}
}

// Records of N+1 are sent when all of N are acknowledged (R2), and N+1 is ended
// when N has been (R3).
func TestOrderOfTwoTransactions(t *testing.T) {
	r := newRig(t)
	arrived, proceed := make(chan struct{}), make(chan struct{})
	var produces, other atomic.Int32
	r.cluster.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		switch produces.Add(1) {
		case 1:
			close(arrived)
			r.cluster.SleepControl(func() { <-proceed })
		case 2:
			select {
			case <-proceed:
			default:
				other.Add(1)
			}
		}
		return nil, nil, false
	})
	r.produce("a")
	r.seal(1)
	<-arrived
	for i := range 100 {
		r.produce(fmt.Sprint("b", i))
	}
	require.Equal(t, txn.State{Sealed: txn.Flushing, Next: txn.Held}, r.session.State())
	require.False(t, r.session.State().CanSeal())
	n, bytes, _ := r.session.Open()
	require.EqualValues(t, 100, n)
	require.EqualValues(t, 290, bytes)
	close(proceed)
	require.NotNil(t, r.settle().Committed)
	r.seal(2)
	require.NotNil(t, r.settle().Committed)
	require.Zero(t, other.Load())
	require.Len(t, r.visible(), 101)

	var order []string
	for _, req := range r.wire.requests(kmsg.Produce, kmsg.EndTxn) {
		switch q := req.(type) {
		case *kmsg.ProduceRequest:
			order = append(order, "produce "+*q.TransactionID)
		case *kmsg.EndTxnRequest:
			order = append(order, "end "+q.TransactionalID)
		}
	}
	first, second := "app-i-1-0", "app-i-1-1"
	require.Equal(t, "produce "+first, order[0])
	require.Equal(t, "end "+second, order[len(order)-1])
	require.Contains(t, order, "end "+first)
	require.Contains(t, order, "produce "+second)
}

// A cycle in which nothing happens costs nothing (L66).
func TestEmptyCycles(t *testing.T) {
	for _, v := range []int{0, 1, 2} {
		r := newRig(t, version(v))
		r.wire.reset()
		for range 1000 {
			require.True(t, r.session.State().Idle())
			out := r.session.Abandon(nil) // dropping nothing
			require.NoError(t, out.Stop)
			require.True(t, r.settle().Rewind)
		}
		require.Empty(t, r.wire.requests(kmsg.Produce, kmsg.EndTxn, kmsg.TxnOffsetCommit, kmsg.AddOffsetsToTxn, kmsg.AddPartitionsToTxn, kmsg.InitProducerID))
		r.produce("a")
		r.seal(1)
		require.NotNil(t, r.settle().Committed)
		require.Equal(t, []string{"a"}, r.visible())
	}
}

// At least once: no transaction, output before offsets.
func TestIdempotent(t *testing.T) {
	r := newRig(t, mode(txn.Idempotent))
	for i := range 20 {
		r.produce(fmt.Sprint(i))
		r.seal(int64(i + 1))
		require.NotNil(t, r.settle().Committed)
	}
	require.Len(t, r.visible(), 20)
	require.EqualValues(t, 20, r.committed())
	require.Empty(t, r.wire.requests(kmsg.EndTxn, kmsg.TxnOffsetCommit))
	produced := 0
	for _, req := range r.wire.requests(kmsg.Produce, kmsg.OffsetCommit) {
		switch q := req.(type) {
		case *kmsg.ProduceRequest:
			require.Nil(t, q.TransactionID)
			produced++
		case *kmsg.OffsetCommitRequest:
			require.LessOrEqual(t, q.Topics[0].Partitions[0].Offset, int64(produced), "offsets before output")
		}
	}
	r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidRecord})
	r.produce("bad")
	r.seal(21)
	out := r.settle()
	require.True(t, out.Rewind)
	require.ErrorIs(t, out.Cause, kerr.InvalidRecord)
	require.EqualValues(t, 20, r.committed())
}
