package task

import "github.com/eosproc/eosproc/topology"

// Input is one input partition of a task.
type Input struct {
	t *Task
	q *queue
	// Paused is for the owner of the task: whether it has paused fetching.
	Paused bool
	// Ahead is for the owner of the task: up to where offsets are committed
	// before processing (at most once).
	Ahead int64
}

// Task returns the task that the input belongs to.
func (in *Input) Task() *Task { return in.t }

// Topic returns the physical name of the topic.
func (in *Input) Topic() string { return in.q.topic }

// Partition returns the partition.
func (in *Input) Partition() int32 { return in.q.partition }

// SetPosition puts the input at a committed position. time is the committed partition
// time in milliseconds, -1 if none; end is the last stable offset, -1 if unknown.
func (in *Input) SetPosition(next, time, end int64) {
	q := in.q
	q.reset(next, time)
	q.committed, q.committedTime = next, time
	if end >= 0 {
		q.end = end
	}
	if time > in.t.committed.StreamTime {
		in.t.committed.StreamTime = time
	}
	// The task may be running already, if the partition is that of a topic which
	// has appeared since: neither its time nor its punctuations may go back.
	if now := in.t.in.Snapshot(); time > now.StreamTime {
		now.StreamTime = time
		in.t.in.Restore(now)
	}
}

// Add returns the slot into which a fetched record is to be written.
func (in *Input) Add(offset int64, leaderEpoch int32) *topology.RawRecord {
	q := in.q
	r := q.push()
	q.fetched, q.leaderEpoch = offset+1, leaderEpoch
	return r
}

// Pass moves the fetch position behind an offset that holds no record, such as a
// transaction's marker.
func (in *Input) Pass(offset int64) {
	q := in.q
	q.fetched = offset + 1
	if q.count == 0 {
		q.next = q.fetched
	}
}

// SetEnd notes the partition's last stable offset.
func (in *Input) SetEnd(lastStable int64) { in.q.end = lastStable }

// Buffered returns the number of records that wait.
func (in *Input) Buffered() int { return in.q.count }

// Position returns the offset of the first record that is not done, -1 before [Input.SetPosition].
func (in *Input) Position() int64 { return in.q.next }

// Fetched returns the offset behind the last one that was fetched.
func (in *Input) Fetched() int64 { return in.q.fetched }

// Committed returns the last committed position.
func (in *Input) Committed() int64 { return in.q.committed }

// LeaderEpoch returns the leader epoch of the last record that was fetched, -1 if unknown.
func (in *Input) LeaderEpoch() int32 { return in.q.leaderEpoch }

// Time returns the largest timestamp that was processed of the partition, in milliseconds.
func (in *Input) Time() int64 { return in.q.time }

// Lag returns how many offsets lie between the position and the last stable
// offset; ok is false while that is unknown.
func (in *Input) Lag() (lag int64, ok bool) {
	if in.q.end < 0 || in.q.next < 0 {
		return 0, false
	}
	return max(0, in.q.end-in.q.next), true
}

// Refuse notes that no broker takes what the record at an offset produces. When
// the record comes again, the production handler decides instead of processing it.
func (in *Input) Refuse(offset int64, why error) {
	in.q.refuse(offset, why)
}

// Refused reports whether [Input.Refuse] has been called for the offset and it is not committed since.
func (in *Input) Refused(offset int64) bool { return in.q.refused[offset] != nil }
