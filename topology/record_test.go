package topology_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/eosproc/eosproc/topology"
)

func TestRecordIsAValue(t *testing.T) {
	r := record{Key: "k", Value: "v", Timestamp: 1500}
	null := r.WithNullKey().WithNullValue()
	assert.False(t, r.KeyIsNull() || r.ValueIsNull())
	assert.True(t, null.KeyIsNull() && null.ValueIsNull())
	assert.Equal(t, r, null.WithKey("k").WithValue("v"), "null ends with a value")
	assert.Equal(t, time.Date(1970, 1, 1, 0, 0, 1, 500e6, time.UTC), r.Time())

	p := topology.Record[*string, []byte]{}
	assert.True(t, p.WithKey(nil).KeyIsNull())
	assert.True(t, p.WithValue(nil).ValueIsNull())
	assert.False(t, p.WithValue([]byte{}).ValueIsNull(), "empty is not null")
}

func TestHeaders(t *testing.T) {
	base := make(topology.Headers, 0, 8)
	a := base.With("x", []byte("1"))
	b := base.With("x", []byte("2"))
	assert.Equal(t, topology.Headers{{Key: "x", Value: []byte("1")}}, a, "a copy does not write into its origin")
	b = b.With("y", nil).With("x", []byte("3"))
	got, ok := b.Get("x")
	assert.True(t, ok)
	assert.Equal(t, "3", string(got), "the last one")
	got, ok = b.Get("y")
	assert.True(t, ok)
	assert.Nil(t, got)
	_, ok = b.Get("z")
	assert.False(t, ok)
	assert.Equal(t, topology.Headers{{Key: "y"}}, b.Without("x"))
	assert.Equal(t, b, b.Without("z"))
	assert.Nil(t, topology.Headers(nil).Without("x"))
}

func TestTimestampExtractors(t *testing.T) {
	type extractor = topology.TimestampExtractor[string, string]
	tests := map[string]struct {
		extract   extractor
		timestamp int64
		partition int64
		want      int64
		take      bool
		err       error
	}{
		"fail, valid":       {topology.FailOnInvalidTimestamp[string, string], 5, 9, 5, true, nil},
		"fail, invalid":     {topology.FailOnInvalidTimestamp[string, string], -1, 9, 0, false, topology.ErrInvalidTimestamp},
		"skip, valid":       {topology.SkipInvalidTimestamp[string, string], 0, 9, 0, true, nil},
		"skip, invalid":     {topology.SkipInvalidTimestamp[string, string], -1, 9, -1, false, nil},
		"partition, valid":  {topology.PartitionTimeOnInvalidTimestamp[string, string], 5, 9, 5, true, nil},
		"partition, second": {topology.PartitionTimeOnInvalidTimestamp[string, string], -1, 9, 9, true, nil},
		"partition, first":  {topology.PartitionTimeOnInvalidTimestamp[string, string], -1, -1, 0, false, topology.ErrInvalidTimestamp},
		"wall clock":        {topology.WallclockTimestamp[string, string](func() int64 { return 77 }), -1, -1, 77, true, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, take, err := tc.extract(record{Timestamp: tc.timestamp}, tc.partition)
			assert.ErrorIs(t, err, tc.err)
			assert.Equal(t, tc.take, take)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestStagesHaveNames(t *testing.T) {
	for stage, want := range map[topology.Stage]string{
		topology.Deserialization: "deserialization", topology.Processing: "processing", topology.Production: "production",
	} {
		assert.Equal(t, want, stage.String())
	}
}
