package bench

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
)

// committed returns the group's committed offset over all partitions.
func committed(ctx context.Context, t *testing.T, adm *kadm.Client, group string) int64 {
	offsets, err := adm.FetchOffsets(ctx, group)
	if err != nil {
		return 0 // the group does not exist yet
	}
	var total int64
	offsets.Each(func(o kadm.OffsetResponse) { total += o.At })
	return total
}

func TestRawLoopsCopyEverythingExactlyAndResume(t *testing.T) {
	for _, kind := range []RawKind{RawEOS, RawALO} {
		for _, interval := range []time.Duration{0, 20 * time.Millisecond} {
			t.Run(string(kind)+"/"+interval.String(), func(t *testing.T) {
				brokers := cluster(t)
				const n = 20_000
				fill(t, brokers, "in", small(n))
				adm, err := newAdmin(brokers)
				require.NoError(t, err)
				defer adm.Close()
				require.NoError(t, createTopics(t.Context(), adm, 4, "out"))
				cfg := RawConfig{
					Kind: kind, Brokers: brokers, Input: "in", Output: "out", Group: "g",
					Interval: interval, MaxPollRecords: 1000,
				}

				// Stopped in the middle, at a commit, and started again.
				for _, until := range []int64{1, n} {
					loop := startTask(t.Context(), func(ctx context.Context) error { return RunRaw(ctx, cfg) })
					reached := assert.Eventually(t, func() bool {
						return committed(t.Context(), t, adm, "g") >= until
					}, 20*time.Second, 5*time.Millisecond)
					require.NoError(t, loop.stop())
					require.True(t, reached)
				}

				tally, err := Count(t.Context(), brokers, "out", n)
				require.NoError(t, err)
				assert.Equal(t, Tally{Records: n}, tally)
				assert.Equal(t, dump(t, brokers, "in", n), dump(t, brokers, "out", n), "order and partitions are kept")
			})
		}
	}
}

func TestRunRawRefusesAnUnknownKind(t *testing.T) {
	require.ErrorIs(t, RunRaw(t.Context(), RawConfig{Kind: "raw-x"}), ErrInvalidConfig)
}

func TestRawSettingsNameDefaultsAndOverrides(t *testing.T) {
	assert.Contains(t, RawConfig{Kind: RawEOS}.Settings(), "read_committed, require_stable")
	assert.Contains(t, RawConfig{Kind: RawALO}.Settings(), "max_poll_records=10000")
	assert.Contains(t, RawConfig{Kind: RawALO, MaxPollRecords: 5}.Settings(), "max_poll_records=5 ")
	assert.Contains(t, RawConfig{Kind: RawEOS}.Settings(), "linger=10ms")
	assert.Contains(t, RawConfig{Kind: RawALO}.Settings(), "linger=0s")
	assert.Contains(t, RawConfig{Kind: RawEOS, Linger: -1}.Settings(), "linger=0s")
}
