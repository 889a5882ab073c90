package verify

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestAbortedOutputIsInvisible(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "a:1", "a:2")...)
	tx := r.producer("copy")
	r.transaction(tx, kgo.TryAbort, recs("out", 0, "a:1", "a:2")...)
	r.transaction(tx, kgo.TryCommit, recs("out", 0, "a:1", "a:2")...)
	r.transaction(tx, kgo.TryAbort, recs("out", 0, "a:3")...) // an aborted tail

	report := r.verify(nil)
	expect(t, report)
	assert.Equal(t, Counts{Visible: 2, Aborted: 3, Markers: 3}, report.Output.Counts)
	check, _ := report.Check(CheckAborted)
	assert.EqualValues(t, 5, check.Checked, "aborted records are judged, not passed over")

	uncommitted := r.verify(func(c *Config) { c.Isolation = ReadUncommitted })
	first := expect(t, uncommitted, CheckAborted, 3, CheckDuplicates, 2, CheckUnexpected, 1)
	assert.Equal(t, pos("out", 0, 0), first.Output)
}

// The broker's list of aborted transactions is what consumers trust; the markers
// are what happened. The test takes real answers and falsifies the list.
func TestBrokerThatListsTheWrongAborts(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "a:1", "a:2")...)
	tx := r.producer("copy")
	r.transaction(tx, kgo.TryAbort, recs("out", 0, "a:1")...)
	r.transaction(tx, kgo.TryCommit, recs("out", 0, "a:1", "a:2")...)
	other := r.producer("other")
	r.transaction(other, kgo.TryCommit, recs("out", 1, "a:2")...)

	judge := func(falsify bool) Report {
		config, err := Config{Client: r.brokers(), Inputs: []string{"in"}, Outputs: []string{"out"}, OpenTransactionWait: -1}.validate()
		require.NoError(t, err)
		a := audit{config: &config}
		defer a.close()
		require.NoError(t, a.connect())
		require.NoError(t, a.plan(t.Context()))
		require.NoError(t, a.each(t.Context(), a.inputs, ReadCommitted))
		log := a.outputs[0]
		src, reader := a.sources[log], <-a.readers
		got := <-reader.start(t.Context(), src, 0, ReadCommitted)
		require.NoError(t, got.err)
		require.Len(t, got.partition.AbortedTransactions, 1)
		if falsify {
			got.partition.AbortedTransactions = nil
		}
		require.NoError(t, reader.store(log, newHasher(&config, Output), got.partition, ReadCommitted))
		a.outputs = a.outputs[:1]
		return a.judge(nil, nil)
	}
	expect(t, judge(false))
	first := expect(t, judge(true), CheckAborted, 1, CheckDuplicates, 1)
	assert.Equal(t, Violation{Output: pos("out", 0, 0), Detail: "its transaction aborted, and it is visible"}, first)
}

func TestAbortedInput(t *testing.T) {
	write := func(r *rig, out ...string) {
		tx := r.producer("source")
		r.transaction(tx, kgo.TryCommit, recs("in", 0, "a:1")...)
		r.transaction(tx, kgo.TryAbort, recs("in", 0, "a:2", "a:3")...)
		r.transaction(tx, kgo.TryCommit, recs("in", 0, "a:3")...) // tried again
		r.write(recs("out", 0, out...)...)
	}
	t.Run("left out", func(t *testing.T) {
		r := newRig(t)
		write(r, "a:1", "a:3")
		report := r.verify(nil)
		expect(t, report)
		assert.Equal(t, Counts{Visible: 2, Aborted: 2, Markers: 3}, report.Input.Counts)
		check, _ := report.Check(CheckOrder)
		assert.EqualValues(t, 2, check.Checked, "an aborted twin does not make the order unclear")
	})
	t.Run("copied", func(t *testing.T) {
		r := newRig(t)
		write(r, "a:1", "a:2", "a:3")
		first := expect(t, r.verify(nil), CheckAborted, 1)
		assert.Equal(t, Violation{Output: pos("out", 0, 1), Input: pos("in", 0, 2), Detail: "comes from an input that is not committed"}, first)
	})
	t.Run("copied by a read_uncommitted pipeline, and that is meant", func(t *testing.T) {
		r := newRig(t)
		write(r, "a:1", "a:2", "a:3", "a:3")
		expect(t, r.verify(func(c *Config) { c.InputIsolation = ReadUncommitted }))
		expect(t, r.verify(nil), CheckAborted, 2)
	})
	t.Run("not decided, but copied", func(t *testing.T) {
		r := newRig(t)
		r.begin(r.producer("source"), recs("in", 0, "a:1")...)
		r.write(recs("out", 0, "a:1")...)
		report := r.verify(nil)
		expect(t, report, CheckAborted, 1)
		require.Len(t, report.OpenTransactions, 1)
		assert.Equal(t, Input, report.OpenTransactions[0].Side)
	})
}

func TestOpenTransactionInTheOutput(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "a:1", "a:2", "a:3")...)
	tx := r.producer("copy-0")
	r.transaction(tx, kgo.TryCommit, recs("out", 0, "a:1")...)
	r.begin(tx, recs("out", 0, "a:2", "a:3")...)
	r.write(recs("out", 0, "x:1")...) // behind the open transaction: as invisible as it

	report := r.verify(nil)
	first := expect(t, report, CheckOpen, 1, CheckLoss, 2)
	assert.Equal(t, pos("out", 0, 2), first.Output)
	assert.Contains(t, first.Detail, `transactional id "copy-0"`)
	require.Len(t, report.OpenTransactions, 1)
	open := report.OpenTransactions[0]
	assert.Equal(t, "copy-0", open.TransactionalID)
	assert.EqualValues(t, 2, open.StartOffset)
	assert.EqualValues(t, 2, open.LastStableOffset)
	assert.EqualValues(t, 5, open.HighWatermark)
	assert.Equal(t, Counts{Visible: 1, Undecided: 3, Markers: 1}, report.Output.Counts)

	allowed := r.verify(func(c *Config) { c.AllowOpenTransactions = true })
	expect(t, allowed, CheckLoss, 2)

	// With patience, a transaction that ends meanwhile is read to its end. The
	// verifier is waiting when it has asked for the same position several times.
	polled := make(chan struct{})
	watchFetches(r, polled)
	done := make(chan Report, 1)
	go func() {
		config := Config{Client: r.brokers(), Inputs: []string{"in"}, Outputs: []string{"out"}, OpenTransactionWait: time.Minute}
		report, err := Run(t.Context(), config)
		assert.NoError(t, err)
		done <- report
	}()
	<-polled
	require.NoError(t, tx.EndTransaction(t.Context(), kgo.TryCommit))
	expect(t, <-done, CheckUnexpected, 1)
}

// watchFetches closes polled once the verifier has polled the outputs several
// times over, which it does only while it waits for open transactions.
func watchFetches(r *rig, polled chan struct{}) {
	var fetches atomic.Int64
	r.cluster.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		r.cluster.KeepControl()
		if fetches.Add(1) == 20 {
			close(polled)
		}
		return nil, nil, false
	})
}
