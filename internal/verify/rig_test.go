package verify

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"
)

// rig is a fake cluster with the topics in (2 partitions) and out (2 partitions).
type rig struct {
	t       *testing.T
	cluster *kfake.Cluster
	client  *kgo.Client
	admin   *kadm.Client
}

func newRig(t *testing.T) *rig {
	t.Helper()
	t.Cleanup(func() { goleak.VerifyNone(t, goleak.IgnoreCurrent()) })
	cluster, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.SeedTopics(2, "in", "out", "out2"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	r := &rig{t: t, cluster: cluster}
	r.client = r.producer("")
	r.admin = kadm.NewClient(r.client)
	return r
}

func (r *rig) brokers() []kgo.Opt { return []kgo.Opt{kgo.SeedBrokers(r.cluster.ListenAddrs()...)} }

// producer returns a client that writes to the partition set in the record.
func (r *rig) producer(transactionalID string) *kgo.Client {
	r.t.Helper()
	opts := append(r.brokers(), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if transactionalID != "" {
		opts = append(opts, kgo.TransactionalID(transactionalID))
	}
	client, err := kgo.NewClient(opts...)
	require.NoError(r.t, err)
	r.t.Cleanup(client.Close)
	return client
}

// rec makes a record from "key:value"; a key of "-" is null.
func rec(topic string, partition int32, text string) *kgo.Record {
	key, value, _ := strings.Cut(text, ":")
	record := &kgo.Record{Topic: topic, Partition: partition, Value: []byte(value)}
	if key != "-" {
		record.Key = []byte(key)
	}
	return record
}

func recs(topic string, partition int32, texts ...string) (records []*kgo.Record) {
	for _, text := range texts {
		records = append(records, rec(topic, partition, text))
	}
	return records
}

func (r *rig) write(records ...*kgo.Record) {
	r.t.Helper()
	require.NoError(r.t, r.client.ProduceSync(r.t.Context(), records...).FirstErr())
}

// transaction writes records in one transaction and commits or aborts it.
func (r *rig) transaction(client *kgo.Client, end kgo.TransactionEndTry, records ...*kgo.Record) {
	r.t.Helper()
	r.begin(client, records...)
	require.NoError(r.t, client.EndTransaction(r.t.Context(), end))
}

func (r *rig) begin(client *kgo.Client, records ...*kgo.Record) {
	r.t.Helper()
	require.NoError(r.t, client.BeginTransaction())
	require.NoError(r.t, client.ProduceSync(r.t.Context(), records...).FirstErr())
}

func (r *rig) commitGroup(group string, at map[int32]int64) {
	r.t.Helper()
	offsets := make(kadm.Offsets)
	for partition, offset := range at {
		offsets.AddOffset("in", partition, offset, -1)
	}
	require.NoError(r.t, r.admin.CommitAllOffsets(r.t.Context(), group, offsets))
}

func (r *rig) verify(change func(*Config)) Report {
	r.t.Helper()
	config := Config{Client: r.brokers(), Inputs: []string{"in"}, Outputs: []string{"out"}, OpenTransactionWait: -1}
	if change != nil {
		change(&config)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	report, err := Run(ctx, config)
	require.NoError(r.t, err)
	return report
}

// expect asserts that exactly the named checks fail, with so many violations, and
// returns the first violation of the check named first.
func expect(t *testing.T, report Report, failed ...any) Violation {
	t.Helper()
	want, got := map[string]int64{}, map[string]int64{}
	for i := 0; i < len(failed); i += 2 {
		want[failed[i].(string)] = int64(failed[i+1].(int))
	}
	for _, check := range report.Checks {
		if check.Status == Fail {
			got[check.Name] = check.Violations
			assert.NotEmpty(t, check.First)
		}
	}
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	require.Equal(t, want, got, text.String())
	if len(want) == 0 {
		assert.Equal(t, Exact, report.Verdict)
		return Violation{}
	}
	assert.Equal(t, Violated, report.Verdict)
	check, _ := report.Check(failed[0].(string))
	return check.First[0]
}

func pos(topic string, partition int32, offset int64) *Position {
	return &Position{Topic: topic, Partition: partition, Offset: offset}
}
