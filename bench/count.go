package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Tally is what a read_committed reader found in an output topic, set against
// the workload's sequence numbers.
type Tally struct {
	Records    int64 `json:"records"`    // visible records
	Missing    int64 `json:"missing"`    // sequence numbers never seen
	Duplicates int64 `json:"duplicates"` // second and later sightings
	Foreign    int64 `json:"foreign"`    // records that no sequence number of the workload could be read from
}

// Exact reports whether each record was seen exactly once and nothing else.
func (t Tally) Exact() bool { return t.Missing == 0 && t.Duplicates == 0 && t.Foreign == 0 }

// tallier marks sequence numbers 0 … n-1. Not safe for concurrent use.
type tallier struct {
	seen []uint64
	n    uint64
	t    Tally
}

func newTallier(n int64) *tallier {
	return &tallier{seen: make([]uint64, (n+63)/64), n: uint64(n), t: Tally{Missing: n}}
}

// add counts a value; first is true if its sequence number was new.
func (c *tallier) add(value []byte) (seq uint64, first bool) {
	c.t.Records++
	seq, ok := number(value)
	if !ok || seq >= c.n {
		c.t.Foreign++
		return 0, false
	}
	word, bit := &c.seen[seq/64], uint64(1)<<(seq%64)
	if *word&bit != 0 {
		c.t.Duplicates++
		return seq, false
	}
	*word |= bit
	c.t.Missing--
	return seq, true
}

// Count reads topic read_committed from its start to the last stable offset
// at the time of the call, and compares it with a workload of n records.
func Count(ctx context.Context, brokers []string, topic string, n int64) (Tally, error) {
	adm, err := newAdmin(brokers)
	if err != nil {
		return Tally{}, err
	}
	defer adm.Close()
	want, err := ends(ctx, adm, topic, true)
	if err != nil {
		return Tally{}, err
	}
	starts := make(map[int32]kgo.Offset)
	for p, end := range want {
		if end > 0 {
			starts[p] = kgo.NewOffset().AtStart()
		} else {
			delete(want, p)
		}
	}
	c := newTallier(n)
	if len(want) == 0 {
		return c.t, nil
	}
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: starts}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		// The position passes an end that is a control record only when
		// that record is handed out.
		kgo.KeepControlRecords(),
		kgo.FetchMaxWait(100*time.Millisecond),
		kgo.WithPools(newRecordPool()),
	)
	if err != nil {
		return Tally{}, fmt.Errorf("create counting reader: %w", err)
	}
	defer cl.Close()
	for len(want) > 0 {
		fetches := cl.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return Tally{}, fmt.Errorf("count %s: %w", topic, err)
		}
		if err := fetchError(fetches); err != nil {
			return Tally{}, err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			end, ok := want[r.Partition]
			if ok && r.Offset+1 >= end {
				delete(want, r.Partition)
			}
			if ok && r.Offset < end && !r.Attrs.IsControl() {
				c.add(r.Value)
			}
			r.Recycle()
		})
	}
	return c.t, nil
}
