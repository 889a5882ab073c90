package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// dump reads n records of a topic, by partition, as key and value.
func dump(t *testing.T, brokers []string, topic string, n int) map[int32][]string {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics(topic))
	require.NoError(t, err)
	defer cl.Close()
	out := make(map[int32][]string)
	for n > 0 {
		fetches := cl.PollFetches(t.Context())
		require.NoError(t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			out[r.Partition] = append(out[r.Partition], string(r.Key)+" "+string(r.Value))
			n--
		})
	}
	return out
}

func TestFillIsDeterministicAndComplete(t *testing.T) {
	brokers := cluster(t)
	const n = 3*chunkRecords + 5
	fill(t, brokers, "a", small(n))
	fill(t, brokers, "b", small(n))

	a := dump(t, brokers, "a", n)
	assert.Equal(t, a, dump(t, brokers, "b", n), "same keys, values, partitions and order")
	assert.Len(t, a, 4, "all partitions are used")
	for _, records := range a {
		assert.Regexp(t, `^key-\d{8} [0-9a-f]{16}`, records[0])
		assert.Len(t, records[0], len("key-00000000 ")+100)
	}

	tally, err := Count(t.Context(), brokers, "a", n)
	require.NoError(t, err)
	assert.Equal(t, Tally{Records: n}, tally)
}

func TestFillRefuses(t *testing.T) {
	brokers := cluster(t)
	fill(t, brokers, "a", small(1))
	require.ErrorContains(t, Fill(t.Context(), brokers, "a", small(1)), "create topics [a]", "an existing topic")
	require.ErrorIs(t, Fill(t.Context(), brokers, "b", Workload{}), ErrInvalidConfig)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Fill(ctx, brokers, "c", small(1)), context.Canceled)
}
