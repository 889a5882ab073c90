package worker

import (
	"math"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/settings"
)

// What a producer may hold before it makes the worker wait.
const (
	bufferedRecords = 30_000
	bufferedBytes   = 16 << 20
	// heldRecords bounds how far a worker may run ahead of a slow flush.
	heldRecords = 20_000
)

func compression(p settings.Producer) kgo.CompressionCodec {
	var c kgo.CompressionCodec
	switch p.Compression {
	case settings.CompressionGzip:
		c = kgo.GzipCompression()
	case settings.CompressionSnappy:
		c = kgo.SnappyCompression()
	case settings.CompressionLZ4:
		c = kgo.Lz4Compression()
	case settings.CompressionZstd:
		c = kgo.ZstdCompression()
	default:
		return kgo.NoCompression()
	}
	if p.CompressionLevel != 0 {
		c = c.WithLevel(p.CompressionLevel)
	}
	return c
}

// batchBytes bounds the batches of a topic by what the topic takes: the broker
// refuses a batch that is larger as a whole, and then no record is to blame.
func (c *Config) batchBytes(topic string) int32 {
	limit := c.Settings.Producer.MaxBatchBytes
	if c.MaxRecordBytes != nil {
		if n := c.MaxRecordBytes(topic); n > 0 {
			limit = min(limit, n)
		}
	}
	return int32(max(limit, leastBatchBytes))
}

// leastBatchBytes is the least that the client accepts.
const leastBatchBytes = 512

// deliveryTimeout turns Kafka's "no limit", the largest int32, into the session's, which is 0.
func deliveryTimeout(p settings.Producer) time.Duration {
	if p.DeliveryTimeout >= math.MaxInt32*time.Millisecond {
		return 0
	}
	return p.DeliveryTimeout
}

// partitioner takes the partition that an output asks for, and otherwise
// partitions as Kafka's default partitioner does: by murmur2 of the key, and
// sticky without a key.
type partitioner struct{ byKey kgo.Partitioner }

func newPartitioner() kgo.Partitioner { return partitioner{kgo.StickyKeyPartitioner(nil)} }

// ForTopic implements [kgo.Partitioner].
func (p partitioner) ForTopic(topic string) kgo.TopicPartitioner {
	inner := p.byKey.ForTopic(topic)
	t := &topicPartitioner{TopicPartitioner: inner}
	t.newBatch, _ = inner.(kgo.TopicPartitionerOnNewBatch)
	return t
}

type topicPartitioner struct {
	kgo.TopicPartitioner
	newBatch kgo.TopicPartitionerOnNewBatch
}

// RequiresConsistency implements [kgo.TopicPartitioner].
func (t *topicPartitioner) RequiresConsistency(r *kgo.Record) bool {
	return r.Partition >= 0 || t.TopicPartitioner.RequiresConsistency(r)
}

// Partition implements [kgo.TopicPartitioner].
func (t *topicPartitioner) Partition(r *kgo.Record, n int) int {
	if r.Partition >= 0 {
		return int(r.Partition)
	}
	return t.TopicPartitioner.Partition(r, n)
}

// OnNewBatch implements [kgo.TopicPartitionerOnNewBatch].
func (t *topicPartitioner) OnNewBatch() {
	if t.newBatch != nil {
		t.newBatch.OnNewBatch()
	}
}
