package conformance

import (
	"fmt"
	"time"

	"github.com/eosproc/eosproc/eostest"
	"github.com/eosproc/eosproc/topology"
)

// Run gives the input of a case to its topology and returns the first
// difference between what comes out and what Kafka Streams gave; "" if there is
// none. The error wraps [ErrUnsupported] if the case cannot be built yet.
func Run(t eostest.T, c *Case) (difference string, err error) {
	topo, b, err := build(c)
	if err != nil {
		return "", err
	}
	d := eostest.New(t, topo)
	got := map[string][]Record{}
	for i, e := range c.Input {
		if e.AdvanceWallClock != nil {
			d.AdvanceWallClock(time.Duration(*e.AdvanceWallClock) * time.Millisecond)
		} else {
			d.SendRaw(e.Topic, topology.RawRecord{Key: raw(e.Key), Value: raw(e.Value), Timestamp: e.Ts})
		}
		for topic := range c.Expect {
			for _, o := range d.ReadRaw(topic) {
				got[topic] = append(got[topic], b.received(topic, o, i))
			}
		}
	}
	if difference = compare(c, got); difference != "" {
		return difference, nil
	}
	stores := map[string][]Entry{}
	for _, name := range c.Stores {
		read, ok := b.stores[name]
		if !ok {
			return "", fmt.Errorf("%w: a look into the store %s", ErrUnsupported, name)
		}
		if stores[name], err = read(d); err != nil {
			return "", fmt.Errorf("store %s: %w", name, err)
		}
	}
	return compareStores(c, stores), nil
}

func raw(s *string) []byte {
	if s == nil {
		return nil
	}
	return []byte(*s)
}

func (b *builder) received(topic string, o topology.Output, after int) Record {
	r := Record{Key: Key{Text: string(o.Key), Null: o.Key == nil}, Ts: o.Timestamp, After: after}
	if b.windows[topic] {
		r.Key = windowedKey(o.Key)
	}
	if o.Value != nil {
		r.Value = text(string(o.Value))
	}
	return r
}
