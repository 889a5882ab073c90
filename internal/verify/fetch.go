package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// fetchBytes is the size of one fetch: large enough to hide the round trip,
	// small enough that, uncompressed, it stays small beside the rows.
	fetchBytes = 2 << 20
	// fetchWait is how long the broker holds a fetch that finds nothing.
	fetchWait = 100 * time.Millisecond
	// fetchPatience is how long a partition may stay without an answer, for
	// instance while its leader moves.
	fetchPatience = 60 * time.Second
)

// reader reads partitions, one at a time, over its own client: a broker handles
// the requests of one connection in turn, so that readers must not share one.
type reader struct {
	client *kgo.Client
	admin  *kadm.Client
	plan   *Config
	arena  arena
	unpack kgo.Decompressor
}

// source is where one partition is fetched from.
type source struct {
	topic     string
	id        kadm.TopicID
	partition int32
	leader    int32
}

// readTo reads log until its position reaches target, or, at read_committed,
// the last stable offset that the broker has by then. Records already fetched
// beyond target are kept: they are decided as well.
func (r *reader) readTo(ctx context.Context, log *partitionLog, src *source, target int64, isolation Isolation) error {
	if log.position >= target {
		return nil
	}
	hash, begin := newHasher(r.plan, log.side), log.position
	pending := r.start(ctx, src, log.position, isolation)
	for {
		answer := <-pending
		if answer.err != nil {
			// A fresh start with its own patience; what is in log stays.
			answer = r.retry(ctx, src, log.position, isolation, answer.err)
			if answer.err != nil {
				return fmt.Errorf("read %s[%d] at offset %d: %w", log.topic, log.partition, log.position, answer.err)
			}
		}
		got := answer.partition
		if isolation == ReadUncommitted && log.position == begin && got.LastStableOffset > begin {
			return errDecided
		}
		log.stable, log.high = got.LastStableOffset, got.HighWatermark
		if len(got.RecordBatches) == 0 {
			if isolation == ReadCommitted && log.position >= log.stable || log.position >= log.high {
				return nil
			}
			pending = r.start(ctx, src, log.position, isolation)
			continue
		}
		// The next request goes out before this answer is decoded.
		expected := afterBatches(got.RecordBatches, log.position)
		pending = nil
		if expected < target {
			pending = r.start(ctx, src, expected, isolation)
		}
		if err := r.store(log, hash, got, isolation); err != nil {
			drain(pending)
			return fmt.Errorf("decode %s[%d] at offset %d: %w", log.topic, log.partition, log.position, err)
		}
		if log.position >= target {
			drain(pending)
			return nil
		}
		if pending == nil || log.position != expected {
			drain(pending)
			pending = r.start(ctx, src, log.position, isolation)
		}
	}
}

// readTail reads what is left of log up to target although it is not decided. What
// has been decided meanwhile is read as a read_committed consumer sees it.
func (r *reader) readTail(ctx context.Context, log *partitionLog, src *source, target int64) error {
	for {
		if err := r.readTo(ctx, log, src, target, ReadCommitted); err != nil {
			return err
		}
		if err := r.readTo(ctx, log, src, target, ReadUncommitted); !errors.Is(err, errDecided) {
			return err
		}
	}
}

// errDecided tells readTail that its first answer moved the last stable offset.
var errDecided = errors.New("decided meanwhile")

// drain waits for a request that is no longer wanted, so that no goroutine
// outlives its reader. Its outcome does not matter.
func drain(pending <-chan answer) {
	if pending != nil {
		<-pending
	}
}

// store decodes one answer into log. It goes batch by batch, because a batch's
// records are many times as large in memory as on the wire. Only an answer that
// lists aborted transactions is decoded whole: kgo's filter needs to see it all.
func (r *reader) store(log *partitionLog, hash *hasher, got *kmsg.FetchResponseTopicPartition, isolation Isolation) error {
	before := log.position
	if isolation == ReadCommitted && len(got.AbortedTransactions) > 0 {
		if err := r.storeFiltered(log, hash, got); err != nil {
			return err
		}
	} else {
		set := shown
		if isolation == ReadUncommitted {
			set = undecided
		}
		one := *got
		for batch := range batches(got.RecordBatches) {
			one.RecordBatches = batch
			r.arena.reset()
			records, next, err := r.decode(log, &one, kgo.ReadUncommitted(), true)
			if err != nil {
				return err
			}
			for _, record := range records {
				keep(log, hash, record, set)
			}
			log.position = next
		}
	}
	if log.position <= before {
		return fmt.Errorf("no progress in %d bytes", len(got.RecordBatches))
	}
	return nil
}

// storeFiltered decodes twice: as it is, and with the filter that a read_committed
// consumer applies.
func (r *reader) storeFiltered(log *partitionLog, hash *hasher, got *kmsg.FetchResponseTopicPartition) error {
	r.arena.reset()
	all, next, err := r.decode(log, got, kgo.ReadUncommitted(), true)
	if err != nil {
		return err
	}
	visible, _, err := r.decode(log, got, kgo.ReadCommitted(), false)
	if err != nil {
		return err
	}
	for _, record := range all {
		if len(visible) > 0 && visible[0].Offset == record.Offset {
			visible = visible[1:]
			keep(log, hash, record, shown)
			continue
		}
		keep(log, hash, record, 0)
	}
	log.position = next
	return nil
}

// decode returns the records of got from the log's position on, and the position
// after them. The records live until the arena is reset.
func (r *reader) decode(log *partitionLog, got *kmsg.FetchResponseTopicPartition, isolation kgo.IsolationLevel, markers bool) ([]*kgo.Record, int64, error) {
	decoded, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		KeepControlRecords: markers, Offset: log.position, IsolationLevel: isolation,
		Topic: log.topic, Partition: log.partition, Pools: []kgo.Pool{&r.arena},
	}, got, r.unpack, nil)
	return decoded.Records, next, decoded.Err
}

// keep stores one record, or lets a marker decide the fate of others.
func keep(log *partitionLog, hash *hasher, record *kgo.Record, set flags) {
	if record.Attrs.IsControl() {
		log.markers++
		log.fate.marker(log, record.ProducerID, record.Key)
		return
	}
	stored := hash.row(record)
	stored.flags |= set
	n := log.add(record.Offset, stored)
	if record.Attrs.IsTransactional() {
		log.fate.data(record.ProducerID, n)
	}
}

// batches yields the whole batches in raw: 8 bytes of first offset, 4 of length
// and so many bytes. A broker may cut the last one off.
func batches(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(raw) > 17 {
			size := int64(int32(binary.BigEndian.Uint32(raw[8:]))) + 12
			if size <= 17 || size > int64(len(raw)) || !yield(raw[:size:size]) {
				return
			}
			raw = raw[size:]
		}
	}
}

// afterBatches returns the offset after the last whole batch in raw, without
// decoding: in a record batch (magic 2) the delta of the last offset is at byte
// 23. It is a guess that store confirms.
func afterBatches(raw []byte, position int64) int64 {
	for batch := range batches(raw) {
		next := int64(binary.BigEndian.Uint64(batch)) + 1
		if batch[16] == 2 && len(batch) >= 27 {
			next += int64(int32(binary.BigEndian.Uint32(batch[23:])))
		}
		position = max(position, next)
	}
	return position
}

// answer is the outcome of one fetch.
type answer struct {
	partition *kmsg.FetchResponseTopicPartition
	err       error
}

// start sends a fetch; the channel gives its answer, once.
func (r *reader) start(ctx context.Context, src *source, offset int64, isolation Isolation) <-chan answer {
	out := make(chan answer, 1)
	request := fetchRequest(src, offset, isolation)
	leader := src.leader
	go func() {
		partition, err := r.ask(ctx, leader, request)
		out <- answer{partition, err}
	}()
	return out
}

func fetchRequest(src *source, offset int64, isolation Isolation) *kmsg.FetchRequest {
	request := kmsg.NewPtrFetchRequest()
	request.MaxWaitMillis = int32(fetchWait.Milliseconds())
	request.MinBytes = 1
	request.MaxBytes = fetchBytes
	if isolation == ReadCommitted {
		request.IsolationLevel = 1
	}
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID = src.topic, src.id
	partition := kmsg.NewFetchRequestTopicPartition()
	partition.Partition, partition.FetchOffset, partition.PartitionMaxBytes = src.partition, offset, fetchBytes
	topic.Partitions = append(topic.Partitions, partition)
	request.Topics = append(request.Topics, topic)
	return request
}

func (r *reader) ask(ctx context.Context, leader int32, request *kmsg.FetchRequest) (*kmsg.FetchResponseTopicPartition, error) {
	response, err := r.client.Broker(int(leader)).Request(ctx, request)
	if err != nil {
		return nil, err
	}
	fetched := response.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(fetched.ErrorCode); err != nil {
		return nil, err
	}
	if len(fetched.Topics) != 1 || len(fetched.Topics[0].Partitions) != 1 {
		return nil, errors.New("the broker's answer is not about the partition asked for")
	}
	partition := &fetched.Topics[0].Partitions[0]
	return partition, kerr.ErrorForCode(partition.ErrorCode)
}

// retry fetches again after cause until an answer or an error that does not pass.
func (r *reader) retry(ctx context.Context, src *source, offset int64, isolation Isolation, cause error) answer {
	ctx, cancel := context.WithTimeout(ctx, fetchPatience)
	defer cancel()
	for wait := retryPause; ; wait = min(2*wait, 2*time.Second) {
		switch {
		case errors.Is(cause, kerr.OffsetOutOfRange):
			return answer{err: fmt.Errorf("%w: the offset is no longer in the log (retention or DeleteRecords); begin later, or keep the records longer", ErrTruncated)}
		case errors.Is(cause, kerr.UnknownTopicID) || errors.Is(cause, kerr.InconsistentTopicID):
			return answer{err: fmt.Errorf("%w: the topic was deleted or made anew: %w", ErrTruncated, cause)}
		case !passing(cause):
			return answer{err: cause}
		}
		if !pause(ctx, wait) {
			return answer{err: cause}
		}
		if err := r.locate(ctx, src); err != nil {
			cause = err
			continue
		}
		partition, err := r.ask(ctx, src.leader, fetchRequest(src, offset, isolation))
		if err == nil {
			return answer{partition: partition}
		}
		cause = err
	}
}

// passing reports whether err may be over at the next attempt: a connection that
// broke, or a broker that says so.
func passing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, kgo.ErrClientClosed) {
		return false
	}
	var fromBroker *kerr.Error
	return !errors.As(err, &fromBroker) || fromBroker.Retriable
}

// locate looks up the leader of src again.
func (r *reader) locate(ctx context.Context, src *source) error {
	topics, err := r.admin.ListTopicsWithInternal(ctx, src.topic)
	if err != nil {
		return fmt.Errorf("find leader: %w", err)
	}
	detail, found := topics[src.topic].Partitions[src.partition]
	if !found || detail.Leader < 0 {
		return fmt.Errorf("find leader: %w", kerr.LeaderNotAvailable)
	}
	src.leader = detail.Leader
	return nil
}

// arena is a kgo record pool that hands out one slice piece by piece. Its
// records live until the next answer is stored, so nothing is given back singly.
type arena struct {
	records []kgo.Record
	used    int
}

func (a *arena) reset() { a.used = 0 }

// GetRecords returns n records in a slice that cannot grow into its neighbours.
func (a *arena) GetRecords(n int) []kgo.Record {
	if a.used+n > len(a.records) {
		a.records, a.used = make([]kgo.Record, max(n, 2*len(a.records), 8192)), 0
	}
	a.used += n
	return a.records[a.used-n : a.used : a.used]
}

// PutRecords has nothing to do: reset gives everything back.
func (a *arena) PutRecords([]kgo.Record) {}
