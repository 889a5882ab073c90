package task

import (
	"time"

	"github.com/eosproc/eosproc/topology"
)

// queue holds the records of one input partition that are fetched and not
// processed. Its slots are used again, so that a steady stream allocates nothing.
// Records are copied into it: holding the client's own until their turn was
// measured to be slower by a tenth, since they have left the caches by then.
type queue struct {
	topic     string
	logical   string
	partition int32
	source    topology.Source
	input     *Input

	records []topology.RawRecord // ring
	head    int
	count   int

	// next is the offset of the first record that is not done.
	next int64
	// fetched is the offset behind the last one seen, markers included.
	fetched int64
	// end is the last stable offset as last heard of; -1 if unknown.
	end         int64
	leaderEpoch int32
	// time is the largest timestamp processed of this partition; -1 if none. A
	// record that waits does not count: its time would be committed before it.
	time int64
	// ready says that the head's timestamp is settled: headTime is the one by which
	// it is ordered, headErr why it has none of its own.
	ready    bool
	headTime int64
	headErr  error
	// idleSince is when the input was first found to be empty and caught up.
	idleSince time.Time

	committed     int64
	committedTime int64
	// refused are offsets whose outputs no broker took, and why.
	refused map[int64]error
}

func newQueue(topic string, partition int32, source topology.Source) *queue {
	return &queue{topic: topic, partition: partition, source: source, next: -1, fetched: -1, end: -1, leaderEpoch: -1, time: -1, committed: -1, committedTime: -1}
}

// push returns the slot for one more record.
func (q *queue) push() *topology.RawRecord {
	if q.count == len(q.records) {
		q.grow()
	}
	slot := &q.records[(q.head+q.count)&(len(q.records)-1)]
	q.count++
	return slot
}

func (q *queue) grow() {
	bigger := make([]topology.RawRecord, max(64, 2*len(q.records)))
	for i := range q.count {
		bigger[i] = q.records[(q.head+i)&(len(q.records)-1)]
	}
	q.records, q.head = bigger, 0
}

func (q *queue) peek() *topology.RawRecord { return &q.records[q.head] }

// pop drops the head; the positions move on.
func (q *queue) pop() {
	r := q.peek()
	q.next = r.Offset + 1
	*r = topology.RawRecord{}
	q.head = (q.head + 1) & (len(q.records) - 1)
	q.count--
	q.ready, q.headErr = false, nil
	if q.count == 0 {
		q.next = q.fetched
	}
}

// reset empties the queue and continues at a position.
func (q *queue) reset(next int64, partitionTime int64) {
	clear(q.records)
	q.head, q.count, q.ready, q.headErr = 0, 0, false, nil
	q.idleSince = time.Time{}
	q.next, q.fetched, q.time = next, next, partitionTime
}

// refuse makes the record at an offset fail when its turn comes.
func (q *queue) refuse(offset int64, why error) {
	if q.refused == nil {
		q.refused = map[int64]error{}
	}
	q.refused[offset] = why
}
