package topology

// localTime is the stream time of a single operator, Kafka Streams'
// observedStreamTime: the largest timestamp of the records that it has taken
// in; -1 before the first. It goes back with a record that fails and with an abort.
type localTime struct {
	now, marked int64
	node        int // -1 for a bound
}

// advance takes a record's timestamp in and returns the time.
func (t *localTime) advance(ts int64) int64 {
	t.now = max(t.now, ts)
	return t.now
}

// localTime returns the time of an operator; two that have one time in common
// ask for that of the same node.
func (in *Instance) localTime(n *node) *localTime {
	for _, t := range in.times {
		if t.node == n.index {
			return t
		}
	}
	t := &localTime{now: -1, marked: -1, node: n.index}
	in.times = append(in.times, t)
	return t
}

// bound returns a time that goes back with a record that fails, but is no part of
// snapshots: an operator's lower bound of what lies in a store. In a new instance it is -1.
func (in *Instance) bound() *localTime {
	t := &localTime{now: -1, marked: -1, node: -1}
	in.times = append(in.times, t)
	return t
}
