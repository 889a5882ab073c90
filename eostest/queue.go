package eostest

import (
	"fmt"

	"github.com/eosproc/eosproc/topology"
)

// queue holds the records of one topic that one instance has not taken yet.
type queue struct {
	in      *topology.Instance
	source  topology.Source
	records []arrived
	// ready says that the timestamp of the first record is settled.
	ready         bool
	partitionTime int64
}

type arrived struct {
	topology.RawRecord
	seq int
}

// settle gives the first record its timestamp and throws away those that have
// none. It reports whether a record is left.
func (q *queue) settle(d *Driver) bool {
	for !q.ready && len(q.records) > 0 {
		r := &q.records[0].RawRecord
		ms, take, err := q.timestamp(r)
		switch {
		case err != nil:
			d.failed(err)
		case !take:
			d.dropped[topology.DropInvalidTimestamp]++
		default:
			r.Timestamp, q.ready = ms, true
			continue
		}
		q.records = q.records[1:]
	}
	return q.ready
}

func (q *queue) timestamp(r *topology.RawRecord) (ms int64, take bool, err error) {
	if q.source.Timestamp != nil {
		return q.source.Timestamp(r, q.partitionTime)
	}
	if r.Timestamp < 0 {
		return 0, false, &topology.RecordError{
			Stage: topology.Deserialization, Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
			Err: fmt.Errorf("timestamp %d: %w", r.Timestamp, topology.ErrInvalidTimestamp),
		}
	}
	return r.Timestamp, true, nil
}

func (q *queue) pop() *topology.RawRecord {
	r := &q.records[0].RawRecord
	q.records, q.ready = q.records[1:], false
	q.partitionTime = max(q.partitionTime, r.Timestamp)
	return r
}

// before reports whether the first record of q is to be processed before that
// of o: the lower timestamp, then the earlier arrival.
func (q *queue) before(o *queue) bool {
	a, b := &q.records[0], &o.records[0]
	if a.Timestamp != b.Timestamp {
		return a.Timestamp < b.Timestamp
	}
	return a.seq < b.seq
}
