package kafkatest

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Record makes a record with a text key and value. An empty key is null.
func Record(topic, key, value string) *kgo.Record {
	r := &kgo.Record{Topic: topic, Value: []byte(value)}
	if key != "" {
		r.Key = []byte(key)
	}
	return r
}

// Produce writes records and returns when all are acknowledged by all in-sync
// replicas. The partition is the key's hash, as Kafka's default partitioner has
// it; records without a key go where the client likes.
func Produce(t testing.TB, bootstrap string, records ...*kgo.Record) {
	t.Helper()
	produce(t, Client(t, bootstrap), records)
}

// ProduceManual writes each record to the partition that it names.
func ProduceManual(t testing.TB, bootstrap string, records ...*kgo.Record) {
	t.Helper()
	produce(t, Client(t, bootstrap, kgo.RecordPartitioner(kgo.ManualPartitioner())), records)
}

// ProduceTxn writes records in one transaction and commits or aborts it.
func ProduceTxn(t testing.TB, bootstrap, transactionalID string, end kgo.TransactionEndTry, records ...*kgo.Record) {
	t.Helper()
	cl := Client(t, bootstrap, kgo.TransactionalID(transactionalID))
	if err := cl.BeginTransaction(); err != nil {
		t.Fatalf("begin transaction: %v", err)
	}
	produce(t, cl, records)
	if err := cl.EndTransaction(limit(t), end); err != nil {
		t.Fatalf("end transaction: %v", err)
	}
}

func produce(t testing.TB, cl *kgo.Client, records []*kgo.Record) {
	t.Helper()
	if err := cl.ProduceSync(limit(t), records...).FirstErr(); err != nil {
		t.Fatalf("produce: %v", err)
	}
}
