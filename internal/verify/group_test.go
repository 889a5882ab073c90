package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestGroup(t *testing.T) {
	in := []string{"a:1", "a:2", "a:3", "a:4"}
	tests := []struct {
		name      string
		committed map[int32]int64
		out       []string
		failed    []any
	}{
		{"committed is there, the rest is not", map[int32]int64{0: 2}, []string{"a:1", "a:2"}, nil},
		{"committed is lost", map[int32]int64{0: 3}, []string{"a:1", "a:2"}, []any{CheckLoss, 1}},
		{"not committed, but there", map[int32]int64{0: 2}, []string{"a:1", "a:2", "a:3"}, []any{CheckFuture, 1}},
		{"only another partition is committed", map[int32]int64{1: 0}, []string{"a:1"}, []any{CheckFuture, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.write(recs("in", 0, in...)...)
			r.write(recs("out", 0, tt.out...)...)
			r.commitGroup("g", tt.committed)
			report := r.verify(func(c *Config) { c.Group = "g" })
			expect(t, report, tt.failed...)
			assert.Equal(t, tt.committed[0], *report.Input.Partitions[0].Required)
		})
	}
	t.Run("unknown group", func(t *testing.T) {
		r := newRig(t)
		_, err := Run(t.Context(), Config{Client: r.brokers(), Inputs: []string{"in"}, Outputs: []string{"out"}, Group: "nope"})
		require.ErrorIs(t, err, ErrNoOffsets)
		assert.ErrorContains(t, err, `"nope"`)
	})
}

// A pipeline may go on while it is audited with its group: whatever it commits
// after the bounds were taken is neither lost nor ahead of its time.
func TestGroupBesideARunningPipeline(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "a:1", "a:2", "a:3")...)
	r.write(recs("out", 0, "a:1")...)
	r.commitGroup("g", map[int32]int64{0: 1})
	once := make(chan struct{}, 1)
	once <- struct{}{}
	config := Config{
		Client: r.brokers(), Inputs: []string{"in"}, Outputs: []string{"out"}, Group: "g", OpenTransactionWait: -1, Readers: 1,
		// The first record of the output is hashed after the bounds were taken.
		Identify: func(side Side, record *kgo.Record) ([]byte, bool, error) {
			if side == Output {
				select {
				case <-once:
					r.write(recs("in", 0, "a:4")...)
					r.write(recs("out", 0, "a:2", "a:3", "a:4")...)
					r.commitGroup("g", map[int32]int64{0: 4})
				default:
				}
			}
			return record.Value, true, nil
		},
	}
	report, err := Run(t.Context(), config)
	require.NoError(t, err)
	expect(t, report)
	assert.EqualValues(t, 1, *report.Input.Partitions[0].Required)
	assert.EqualValues(t, 4, report.Input.Counts.Visible, "what is newer than the bounds is read, so that it can be recognised")
}
