package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
)

// undecidedRows reports whether the log ends in rows above the last stable offset.
func (l *partitionLog) undecidedRows() bool {
	for i := len(l.chunks) - 1; i >= 0; i-- {
		if c := l.chunks[i]; c.n > 0 {
			return c.flags[c.n-1]&undecided != 0
		}
	}
	return false
}

// openTransactions asks the brokers who holds back the last stable offsets. An
// answer that cannot be had (old broker, missing rights) is an error for the
// report's note, not for the verdict.
func (a *audit) openTransactions(ctx context.Context) ([]OpenTransaction, error) {
	logs := make(map[Position]*partitionLog)
	var set kadm.TopicsSet
	for _, log := range slices.Concat(a.inputs, a.outputs) {
		logs[Position{Topic: log.topic, Partition: log.partition}] = log
		if log.undecidedRows() {
			set.Add(log.topic, log.partition)
		}
	}
	if len(set) == 0 {
		return nil, nil
	}
	described, err := a.admin.DescribeProducers(ctx, set)
	if err != nil {
		return nil, fmt.Errorf("describe producers: %w", err)
	}
	var refused error
	described.EachPartition(func(p kadm.DescribedProducersPartition) { refused = cmp.Or(refused, p.Err) })
	if refused != nil {
		return nil, fmt.Errorf("describe producers: %w", refused)
	}
	var open []OpenTransaction
	var producers []int64
	for _, p := range described.SortedProducers() {
		if p.CurrentTxnStartOffset < 0 {
			continue
		}
		log := logs[Position{Topic: p.Topic, Partition: p.Partition}]
		open = append(open, OpenTransaction{
			Side: log.side, Topic: p.Topic, Partition: p.Partition, LastStableOffset: log.stable, HighWatermark: log.high,
			ProducerID: p.ProducerID, ProducerEpoch: p.ProducerEpoch, StartOffset: p.CurrentTxnStartOffset, LastTimestamp: p.LastTimestamp,
		})
		producers = append(producers, p.ProducerID)
	}
	slices.SortStableFunc(open, func(x, y OpenTransaction) int { return -cmp.Compare(x.Side, y.Side) })
	if len(open) == 0 {
		return nil, nil
	}
	transactions, err := a.admin.ListTransactions(ctx, producers, nil)
	if err != nil {
		return open, fmt.Errorf("list transactions: %w", err)
	}
	for _, transaction := range transactions {
		for i := range open {
			if open[i].ProducerID == transaction.ProducerID {
				open[i].TransactionalID = transaction.TxnID
			}
		}
	}
	return open, nil
}
