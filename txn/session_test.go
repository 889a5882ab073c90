package txn_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/txn"
)

type verdict int

const (
	committed verdict = iota // the commit goes through after all
	both                     // committed, but what had begun after it is dropped
	rewound                  // the commit is taken back
	stopped                  // the session ends
)

// fault makes one thing go wrong at the next request of a kind.
type fault struct {
	key   kmsg.Key
	err   *kerr.Error
	count int
	top   bool
	drop  bool // close the connection instead of an answer
	old   bool // the transaction has outlived its timeout
}

func (f fault) install(r *rig) *kfake.FaultHandle {
	if f.drop {
		r.cluster.ControlKey(int16(f.key), func(req kmsg.Request) (kmsg.Response, error, bool) {
			return nil, errors.New("connection lost"), true
		})
		return nil
	}
	return r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{f.key}, Err: f.err, Count: max(f.count, 1), TopLevel: f.top})
}

var cases = map[string]struct {
	fault
	want verdict
	by   fencing.By
	tv   []int
}{
	// The group coordinator.
	"offsets: illegal generation":     {fault{key: kmsg.TxnOffsetCommit, err: kerr.IllegalGeneration}, rewound, fencing.ByGeneration, nil},
	"offsets: unknown member":         {fault{key: kmsg.TxnOffsetCommit, err: kerr.UnknownMemberID}, rewound, fencing.ByGeneration, nil},
	"offsets: fenced instance":        {fault{key: kmsg.TxnOffsetCommit, err: kerr.FencedInstanceID}, stopped, fencing.ByInstance, nil},
	"offsets: stale epoch":            {fault{key: kmsg.TxnOffsetCommit, err: kerr.StaleMemberEpoch}, rewound, fencing.ByGeneration, nil},
	"offsets: rebalancing":            {fault{key: kmsg.TxnOffsetCommit, err: kerr.RebalanceInProgress}, rewound, 0, nil},
	"offsets: coordinator loads":      {fault{key: kmsg.TxnOffsetCommit, err: kerr.CoordinatorLoadInProgress, count: 4}, committed, 0, nil},
	"offsets: coordinator moved":      {fault{key: kmsg.TxnOffsetCommit, err: kerr.NotCoordinator, count: 3}, committed, 0, nil},
	"offsets: coordinator absent":     {fault{key: kmsg.TxnOffsetCommit, err: kerr.CoordinatorNotAvailable, count: 3}, committed, 0, nil},
	"offsets: concurrent":             {fault{key: kmsg.TxnOffsetCommit, err: kerr.ConcurrentTransactions, count: 3}, committed, 0, nil},
	"offsets: timed out":              {fault{key: kmsg.TxnOffsetCommit, err: kerr.RequestTimedOut}, rewound, 0, nil},
	"offsets: unknown server error":   {fault{key: kmsg.TxnOffsetCommit, err: kerr.UnknownServerError}, rewound, 0, nil},
	"offsets: invalid state":          {fault{key: kmsg.TxnOffsetCommit, err: kerr.InvalidTxnState}, rewound, 0, nil},
	"offsets: abortable":              {fault{key: kmsg.TxnOffsetCommit, err: kerr.TransactionAbortable}, rewound, 0, nil},
	"offsets: unauthorized":           {fault{key: kmsg.TxnOffsetCommit, err: kerr.GroupAuthorizationFailed}, stopped, 0, nil},
	"offsets: fenced, young":          {fault{key: kmsg.TxnOffsetCommit, err: kerr.ProducerFenced}, stopped, fencing.ByEpoch, nil},
	"offsets: fenced, old":            {fault{key: kmsg.TxnOffsetCommit, err: kerr.InvalidProducerEpoch, old: true}, rewound, fencing.ByTimeout, nil},
	"offsets: connection lost":        {fault{key: kmsg.TxnOffsetCommit, drop: true}, committed, 0, []int{2}},
	"offsets: lost, one epoch":        {fault{key: kmsg.TxnOffsetCommit, drop: true}, rewound, 0, []int{0, 1}},
	"group added: moved":              {fault{key: kmsg.AddOffsetsToTxn, err: kerr.NotCoordinator, count: 3}, committed, 0, []int{0, 1}},
	"group added: concurrent":         {fault{key: kmsg.AddOffsetsToTxn, err: kerr.ConcurrentTransactions, count: 3}, committed, 0, []int{0, 1}},
	"group added: invalid state":      {fault{key: kmsg.AddOffsetsToTxn, err: kerr.InvalidTxnState}, rewound, 0, []int{0, 1}},
	"partitions added: invalid state": {fault{key: kmsg.AddPartitionsToTxn, err: kerr.InvalidTxnState}, rewound, 0, []int{0, 1}},

	// The transaction coordinator.
	"end: unknown server error": {fault{key: kmsg.EndTxn, err: kerr.UnknownServerError}, rewound, 0, nil},
	"end: concurrent":           {fault{key: kmsg.EndTxn, err: kerr.ConcurrentTransactions, count: 4}, committed, 0, nil},
	"end: invalid state":        {fault{key: kmsg.EndTxn, err: kerr.InvalidTxnState}, rewound, 0, nil},
	"end: fenced, young":        {fault{key: kmsg.EndTxn, err: kerr.ProducerFenced}, stopped, fencing.ByEpoch, nil},
	"end: epoch, young":         {fault{key: kmsg.EndTxn, err: kerr.InvalidProducerEpoch}, stopped, fencing.ByEpoch, nil},
	"end: fenced, old":          {fault{key: kmsg.EndTxn, err: kerr.ProducerFenced, old: true}, rewound, 0, nil},
	"end: abortable":            {fault{key: kmsg.EndTxn, err: kerr.TransactionAbortable}, rewound, 0, nil},
	"end: unmapped id, old":     {fault{key: kmsg.EndTxn, err: kerr.InvalidProducerIDMapping, old: true}, rewound, 0, nil},
	"end: unauthorized":         {fault{key: kmsg.EndTxn, err: kerr.TransactionalIDAuthorizationFailed}, stopped, 0, nil},

	// Leaders.
	"produce: too large":           {fault{key: kmsg.Produce, err: kerr.MessageTooLarge}, rewound, 0, nil},
	"produce: invalid record":      {fault{key: kmsg.Produce, err: kerr.InvalidRecord}, rewound, 0, nil},
	"produce: out of order":        {fault{key: kmsg.Produce, err: kerr.OutOfOrderSequenceNumber}, rewound, 0, nil},
	"produce: unknown producer":    {fault{key: kmsg.Produce, err: kerr.UnknownProducerID}, rewound, 0, nil},
	"produce: not enough replicas": {fault{key: kmsg.Produce, err: kerr.NotEnoughReplicas, count: 3}, committed, 0, nil},
	"produce: after append":        {fault{key: kmsg.Produce, err: kerr.NotEnoughReplicasAfterAppend, count: 2}, committed, 0, nil},
	"produce: leader moved":        {fault{key: kmsg.Produce, err: kerr.NotLeaderForPartition, count: 2}, committed, 0, nil},
	"produce: invalid state":       {fault{key: kmsg.Produce, err: kerr.InvalidTxnState}, rewound, 0, nil},
	"produce: epoch, young":        {fault{key: kmsg.Produce, err: kerr.InvalidProducerEpoch}, stopped, fencing.ByEpoch, nil},
	"produce: epoch, old":          {fault{key: kmsg.Produce, err: kerr.InvalidProducerEpoch, old: true}, rewound, fencing.ByTimeout, nil},
	"produce: unmapped id":         {fault{key: kmsg.Produce, err: kerr.InvalidProducerIDMapping}, rewound, fencing.ByTimeout, nil},
	"produce: unauthorized":        {fault{key: kmsg.Produce, err: kerr.TopicAuthorizationFailed}, stopped, 0, nil},
	"produce: connection lost":     {fault{key: kmsg.Produce, drop: true}, committed, 0, nil},
}

// One thing goes wrong in the second of three transactions. Whatever the
// outcome, what readers see and what is committed agree with it and with each
// other, and if the session may go on, it does.
func TestFaults(t *testing.T) {
	for name, c := range cases {
		versions := c.tv
		if versions == nil {
			versions = []int{0, 2}
		}
		for _, v := range versions {
			t.Run(name+"/"+[]string{"tv0", "tv1", "tv2"}[v], func(t *testing.T) {
				t.Parallel()
				r := newRig(t, version(v))
				if c.old {
					r.session.Outlive()
				}
				r.produce("a1", "a2")
				r.seal(2)
				require.Equal(t, int64(2), r.settle().Committed.Payload)

				handle := c.install(r)
				r.produce("b1", "b2")
				r.seal(4)
				r.produce("c1")
				out := r.settle()
				if handle != nil {
					require.Positive(t, handle.Hits(), "the fault was never met")
				}
				switch c.want {
				case committed:
					require.NotNil(t, out.Committed)
					assert.False(t, out.Rewind, "cause: %v", out.Cause)
					r.seal(5)
					require.NotNil(t, r.settle().Committed)
					assert.Equal(t, []string{"a1", "a2", "b1", "b2", "c1"}, r.visible())
					assert.EqualValues(t, 5, r.committed())
				case rewound:
					assert.Nil(t, out.Committed)
					require.NoError(t, out.Stop)
					require.True(t, out.Rewind)
					require.Error(t, out.Cause)
					assert.EqualValues(t, 2, r.committed())
					fence, _ := errors.AsType[*fencing.FencedError](out.Cause)
					if c.by != 0 {
						require.NotNil(t, fence, "%v", out.Cause)
						assert.Equal(t, c.by, fence.By)
					}
					r.produce("b1", "b2", "c1")
					r.seal(5)
					require.NotNil(t, r.settle().Committed)
					r.produce("d1")
					r.seal(6)
					require.NotNil(t, r.settle().Committed)
					assert.Equal(t, []string{"a1", "a2", "b1", "b2", "c1", "d1"}, r.visible())
					assert.EqualValues(t, 6, r.committed())
				case stopped:
					require.Error(t, out.Stop)
					fence, _ := errors.AsType[*fencing.FencedError](out.Stop)
					if c.by == 0 {
						assert.Nil(t, fence, "%v", out.Stop)
					} else {
						require.NotNil(t, fence, "%v", out.Stop)
						assert.Equal(t, c.by, fence.By)
						assert.ErrorIs(t, out.Stop, fencing.ErrFenced)
					}
					assert.Equal(t, txn.State{Sealed: txn.Stopped}, r.session.State())
					require.Error(t, r.session.Seal(txn.Sealed{Token: r.token()}), "R9")
					require.Error(t, r.session.Produce(&kgo.Record{Topic: "out"}), "R9")
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					_ = r.session.Close(ctx) // the fence may be reported once more
					r.begin()                // the next run of the same process
					assert.EqualValues(t, 2, r.committed())
					assert.Equal(t, []string{"a1", "a2"}, r.visible())
				}
			})
		}
	}
}
