package demo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/verify"
)

func TestOptions(t *testing.T) {
	good := options{guarantee: eosproc.ExactlyOnce, duration: 20 * time.Second, rate: 2000, dir: "d"}
	require.NoError(t, good.validate())
	tests := []struct {
		change func(*options)
		names  string
	}{
		{func(o *options) { o.guarantee = eosproc.AtMostOnce }, "--guarantee"},
		{func(o *options) { o.duration = time.Second }, "--duration"},
		{func(o *options) { o.rate = 0 }, "--rate"},
		{func(o *options) { o.dir = "" }, "--dir"},
		{func(o *options) { o.commandConfig = "c" }, "--command-config"},
	}
	for _, tt := range tests {
		o := good
		tt.change(&o)
		err := o.validate()
		assert.ErrorIs(t, err, ErrOptions)
		assert.ErrorContains(t, err, tt.names)
	}
}

func TestPlan(t *testing.T) {
	for seed := range uint64(7) {
		p := newPlan(&options{seed: seed, duration: 20 * time.Second})
		assert.NotEqual(t, p.killed, p.frozen)
		var exactly, atLeast []string
		for n := 1; n <= workers; n++ {
			exactly = append(exactly, p.failpoint(n, eosproc.ExactlyOnce))
			atLeast = append(atLeast, p.failpoint(n, eosproc.AtLeastOnce))
		}
		assert.ElementsMatch(t, []string{"S3:40:kill9", "S5:80:stop", ""}, exactly)
		assert.ElementsMatch(t, []string{"S3:40:kill9", "S3:80:stop", ""}, atLeast)
	}
}

func TestOrdersAreTheSameForTheSameSeed(t *testing.T) {
	a, b, c := newOrders(7), newOrders(7), newOrders(8)
	differs, wantedOnes := false, 0
	for id := range int64(1000) {
		ra, wanted := a.order("orders")
		rb, _ := b.order("orders")
		rc, _ := c.order("orders")
		require.Equal(t, ra.Value, rb.Value)
		require.Equal(t, ra.Key, rb.Key)
		differs = differs || string(ra.Value) != string(rc.Value)
		got, keep, err := identify(verify.Input, ra)
		require.NoError(t, err)
		require.Equal(t, wanted, keep)
		n, err := orderID(ra.Value)
		require.NoError(t, err)
		require.Equal(t, id, n)
		require.NotEmpty(t, got)
		if wanted {
			wantedOnes++
		}
	}
	assert.True(t, differs)
	assert.InDelta(t, 750, wantedOnes, 60)
	_, _, err := identify(verify.Output, &kgo.Record{Value: []byte(`{"cents":1}`)})
	assert.Error(t, err)
}

// The pipeline is shown as an example, so its own tests have to pass and
// nothing may be wrong with it.
func TestPipelineFile(t *testing.T) {
	f := pipeline.Parse(pipelineFile, pipelineYAML, pipeline.Options{Lookup: func(string) (string, bool) { return "", false }})
	assert.Empty(t, f.Lint())
	results, err := f.RunTests(t.Context())
	require.NoError(t, err)
	require.Len(t, results, 2)
	for _, r := range results {
		assert.True(t, r.Passed(), "%+v", r)
	}
}

func TestLogLines(t *testing.T) {
	tests := []struct {
		line   string
		ok     bool
		fenced bool
		code   string
	}{
		{`{"level":"WARN","msg":"commit step failed","error":"TxnOffsetCommit: orders-1: UNKNOWN_MEMBER_ID: no","verdict":"fenced by generation"}`, true, true, "UNKNOWN_MEMBER_ID"},
		{`{"level":"WARN","msg":"commit step failed","error":"EndTxn: EOF","verdict":"unknown, reinit"}`, true, false, "EndTxn: EOF"},
		{`{"level":"INFO","msg":"assigned"}`, true, false, ""},
		{"panic: something\n", false, false, ""},
		{`{"other":"json"}`, false, false, ""},
	}
	for _, tt := range tests {
		l, ok := parseLog([]byte(tt.line))
		assert.Equal(t, tt.ok, ok, tt.line)
		assert.Equal(t, tt.fenced, l.fenced(), tt.line)
		assert.Equal(t, tt.code, l.code(), tt.line)
	}
}

func TestWatchTellsCommittedFromAbortedAndOpen(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "payments"))
	require.NoError(t, err)
	defer cluster.Close()
	brokers := []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)}
	ctx := t.Context()
	w, err := startWatch(brokers, "payments", 2)
	require.NoError(t, err)
	defer w.stop()
	producer := func(id string) *kgo.Client {
		c, err := kgo.NewClient(append(brokers, kgo.TransactionalID(id), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
		require.NoError(t, err)
		t.Cleanup(c.Close)
		return c
	}
	send := func(c *kgo.Client, ids ...string) {
		for i, id := range ids {
			r := &kgo.Record{Topic: "payments", Partition: int32(i % 2), Value: []byte(`{"id":` + id + `}`)}
			require.NoError(t, c.ProduceSync(ctx, r).FirstErr())
		}
	}
	a, b := producer("a"), producer("b")
	for _, step := range []struct {
		ids []string
		end kgo.TransactionEndTry
	}{{[]string{"1", "2", "3"}, kgo.TryCommit}, {[]string{"4", "5"}, kgo.TryAbort}, {[]string{"5", "3"}, kgo.TryCommit}} {
		require.NoError(t, a.BeginTransaction())
		send(a, step.ids...)
		require.NoError(t, a.EndTransaction(ctx, step.end))
	}
	require.NoError(t, b.BeginTransaction())
	send(b, "6", "7", "8")

	admin := kadm.NewClient(a)
	open, err := w.openOf(ctx, admin, []string{"b", "nobody"})
	require.NoError(t, err)
	assert.EqualValues(t, 3, open)
	open, err = w.openOf(ctx, admin, []string{"a"})
	require.NoError(t, err)
	assert.Zero(t, open)
	live, err := w.live()
	require.NoError(t, err)
	assert.Equal(t, liveCounts{committed: 5, duplicates: 1, aborted: 2, open: 3}, live)
}
