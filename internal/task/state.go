package task

import (
	"fmt"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

// Log takes the record of a changelog topic that a sealed transaction has to write.
type Log func(store string, record topology.Output) error

// Logged returns, for a store, the offset after its last changelog record of a
// transaction that is committed; ok is false if it has written none.
type Logged func(store string) (next int64, ok bool)

// Changelog returns the physical name of a store's changelog topic.
func (t *Task) Changelog(store string) string {
	if source, ok := t.sourceOf[store]; ok {
		return source
	}
	return InternalTopic(t.cfg.ApplicationID, store+"-changelog")
}

// openState makes the stores of the task; they outlive its operators, which a rewind makes anew.
func (t *Task) openState() (err error) {
	t.sourceOf = t.sub.SourceChangelogs()
	if len(t.sub.Stores()) == 0 {
		return nil
	}
	if t.cfg.State == nil {
		t.state = statestore.NewState(statestore.NewMemory())
		return nil
	}
	if t.state, err = t.cfg.State(t.id); err != nil {
		return fmt.Errorf("open stores of task %s: %w", t.id, err)
	}
	return nil
}

// seal closes the state's open transaction and logs its changes. A store whose
// source topic is its changelog needs no further record: its rows are there.
func (t *Task) seal(log Log) error {
	if t.state == nil {
		return nil
	}
	return t.state.Seal(func(c statestore.ChangelogRecord) error {
		if _, ok := t.sourceOf[c.Store]; ok {
			return nil
		}
		o := topology.Output{Topic: t.Changelog(c.Store), Partition: t.id.Partition, Timestamp: c.Timestamp, Key: c.Key, Value: c.Value}
		if o.Timestamp < 0 {
			o.Timestamp = t.cfg.Now().UnixMilli()
		}
		return log(c.Store, o)
	})
}

// commitState applies what was sealed with the cut.
func (c *Cut) commitState(logged Logged) error {
	state := c.t.state
	if state == nil {
		return nil
	}
	positions := map[string]int64{}
	for _, spec := range c.t.sub.Stores() {
		if source, ok := c.t.sourceOf[spec.Name()]; ok {
			for _, in := range c.inputs {
				if in.q.topic == source {
					positions[spec.Name()] = in.next
				}
			}
		} else if next, ok := logged(spec.Name()); ok {
			positions[spec.Name()] = next
		}
	}
	if err := state.Commit(positions); err != nil {
		return fmt.Errorf("commit stores of task %s: %w", c.t.id, err)
	}
	return nil
}
