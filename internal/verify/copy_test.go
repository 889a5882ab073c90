package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
)

// Each case writes the same input and a different output; the exact copy is the
// control that fails when a check sees ghosts, the others are its negatives.
func TestCopy(t *testing.T) {
	in0, in1 := []string{"a:1", "b:1", "a:2", "-:1", "a:3"}, []string{"c:1", "c:2", "d:1"}
	tests := []struct {
		name       string
		out0, out1 []string
		failed     []any
		first      Violation
	}{
		{"exact copy", in0, in1, nil, Violation{}},
		{"partitions exchanged", in1, in0, nil, Violation{}},
		{"all in one partition, interleaved", []string{"c:1", "a:1", "b:1", "c:2", "a:2", "d:1", "-:1", "a:3"}, nil, nil, Violation{}},
		{
			"one lost",
			[]string{"a:1", "b:1", "-:1", "a:3"}, in1,
			[]any{CheckLoss, 1},
			Violation{Input: pos("in", 0, 2), Detail: "is not in the output"},
		},
		{
			"one doubled",
			append([]string{"a:1"}, in0...), in1,
			[]any{CheckDuplicates, 1},
			Violation{Output: pos("out", 0, 1), Input: pos("in", 0, 0), Other: pos("out", 0, 0), Detail: "is in the output more often than in the input"},
		},
		{
			"a batch done again",
			[]string{"a:1", "b:1", "a:2", "-:1", "b:1", "a:2", "-:1", "a:3"}, in1,
			[]any{CheckDuplicates, 3},
			Violation{Output: pos("out", 0, 4), Input: pos("in", 0, 1), Other: pos("out", 0, 1), Detail: "is in the output more often than in the input"},
		},
		{
			"reordered within a key",
			[]string{"a:2", "b:1", "a:1", "-:1", "a:3"}, in1,
			[]any{CheckKeyOrder, 1, CheckOrder, 2},
			Violation{Output: pos("out", 0, 2), Input: pos("in", 0, 0), Other: pos("in", 0, 2), Detail: "comes after the output of a later record of its key"},
		},
		{
			"reordered across keys only",
			[]string{"b:1", "a:1", "a:2", "-:1", "a:3"}, in1,
			[]any{CheckOrder, 1},
			Violation{Output: pos("out", 0, 1), Input: pos("in", 0, 0), Other: pos("in", 0, 1), Detail: "comes after the output of a later record of its input partition"},
		},
		{
			"a key in two partitions",
			[]string{"a:1", "b:1", "a:2", "-:1"}, []string{"c:1", "c:2", "d:1", "a:3"},
			[]any{CheckKeyOrder, 1},
			Violation{Output: pos("out", 1, 3), Input: pos("in", 0, 4), Other: pos("out", 0, 0), Detail: "records of its key from one input partition are in two output partitions, which have no common order"},
		},
		{
			"one invented",
			append([]string{"x:9"}, in0...), in1,
			[]any{CheckUnexpected, 1},
			Violation{Output: pos("out", 0, 0), Detail: "no input record is like it"},
		},
		{
			"one changed",
			[]string{"a:1", "b:1", "a:2", "-:1", "a:33"}, in1,
			[]any{CheckLoss, 1, CheckUnexpected, 1},
			Violation{Input: pos("in", 0, 4), Detail: "is not in the output"},
		},
		{
			"null key made empty",
			[]string{"a:1", "b:1", "a:2", ":1", "a:3"}, in1,
			[]any{CheckUnexpected, 1, CheckLoss, 1},
			Violation{Output: pos("out", 0, 3), Detail: "no input record is like it"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.write(recs("in", 0, in0...)...)
			r.write(recs("in", 1, in1...)...)
			r.write(recs("out", 0, tt.out0...)...)
			r.write(recs("out", 1, tt.out1...)...)
			report := r.verify(nil)
			assert.Equal(t, tt.first, expect(t, report, tt.failed...))
			assert.EqualValues(t, 8, report.Input.Counts.Visible)
			assert.EqualValues(t, len(tt.out0)+len(tt.out1), report.Output.Counts.Visible)
		})
	}
}

func TestEqualRecords(t *testing.T) {
	tests := []struct {
		name       string
		in0, in1   []string
		out0, out1 []string
		failed     []any
		unjudged   bool
	}{
		{"multiset kept", []string{"a:1", "b:1", "a:1"}, nil, []string{"a:1", "b:1", "a:1"}, nil, nil, false},
		{"one of two lost", []string{"a:1", "b:1", "a:1"}, nil, []string{"a:1", "b:1"}, nil, []any{CheckLoss, 1}, true},
		{"three of two", []string{"a:1", "b:1", "a:1"}, nil, []string{"a:1", "b:1", "a:1", "a:1"}, nil, []any{CheckDuplicates, 1}, true},
		{"reordered around a twin", []string{"a:1", "b:1", "a:1"}, nil, []string{"a:1", "a:1", "b:1"}, nil, []any{CheckOrder, 1}, false},
		{"twins from two partitions prove no disorder", []string{"b:1", "-:1"}, []string{"-:1"}, []string{"-:1", "b:1", "-:1"}, nil, nil, true},
		{"twins to two partitions prove no disorder", []string{"-:1", "-:2", "-:1"}, nil, []string{"-:2", "-:1"}, []string{"-:1"}, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.write(recs("in", 0, tt.in0...)...)
			r.write(recs("in", 1, tt.in1...)...)
			r.write(recs("out", 0, tt.out0...)...)
			r.write(recs("out", 1, tt.out1...)...)
			report := r.verify(nil)
			expect(t, report, tt.failed...)
			check, _ := report.Check(CheckOrder)
			assert.Equal(t, tt.unjudged, strings.Contains(check.Note, "unjudged"), check.Note)
		})
	}
}

func TestEmptyTopics(t *testing.T) {
	r := newRig(t)
	report := r.verify(nil)
	expect(t, report)
	assert.Zero(t, report.Input.Counts)
	assert.Len(t, report.Output.Partitions, 2)
	r.write(recs("in", 1, "a:1")...)
	expect(t, r.verify(nil), CheckLoss, 1)
}

func TestStartOffsetsAndSeveralTopics(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "old:1", "a:1", "b:1")...)
	r.write(recs("out", 0, "older:1", "a:1")...)
	r.write(recs("out2", 1, "b:1")...)
	expect(t, r.verify(func(c *Config) {
		c.Outputs = []string{"out2", "out"}
		c.InputStart = map[string]map[int32]int64{"in": {0: 1}}
		c.OutputStart = map[string]map[int32]int64{"out": {0: 1}}
	}))
	expect(t, r.verify(nil), CheckLoss, 2, CheckUnexpected, 1)
}

func TestDeletedRecords(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "gone:1", "a:1")...)
	r.write(recs("out", 0, "a:1")...)
	deleted := make(kadm.Offsets)
	deleted.AddOffset("in", 0, 1, -1)
	_, err := r.admin.DeleteRecords(t.Context(), deleted)
	require.NoError(t, err)
	report := r.verify(nil)
	expect(t, report)
	assert.EqualValues(t, 1, report.Input.Partitions[0].Start)
}

func TestFirstViolationsAreBoundedAndAllCounted(t *testing.T) {
	r := newRig(t)
	var many []string
	for i := range 3 * chunkRows {
		many = append(many, fmt.Sprintf("k%d:%d", i%7, i))
	}
	r.write(recs("in", 0, many...)...)
	expect(t, r.verify(nil), CheckLoss, 3*chunkRows)
	r.write(recs("out", 1, many...)...)
	expect(t, r.verify(nil))
	report := r.verify(func(c *Config) {
		c.MaxViolations = 3
		c.OutputStart = map[string]map[int32]int64{"out": {1: 2 * chunkRows}}
	})
	expect(t, report, CheckLoss, 2*chunkRows)
	check, _ := report.Check(CheckLoss)
	assert.Len(t, check.First, 3)
}
