package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMissingTopic(t *testing.T) {
	r := newRig(t)
	_, err := Run(t.Context(), Config{Client: r.brokers(), Inputs: []string{"inn"}, Outputs: []string{"outt", "out"}})
	require.ErrorIs(t, err, ErrNoTopic)
	assert.ErrorContains(t, err, `"inn" does not exist; did you mean "in"?`)
	assert.ErrorContains(t, err, `"outt" does not exist; did you mean "out"?`, "all missing topics at once")
}

func TestConfigFaults(t *testing.T) {
	_, err := Run(t.Context(), Config{
		Inputs: []string{"a"}, Outputs: []string{"a"}, Mode: "x", Isolation: "y",
		Identity: Identity{Header: "h", Key: true},
	})
	require.ErrorIs(t, err, ErrConfig)
	for _, want := range []string{"both input and output", `mode "x"`, `isolation "y"`, "one way only"} {
		assert.ErrorContains(t, err, want, "all faults at once")
	}
	for _, config := range []Config{{Outputs: []string{"a"}}, {Inputs: []string{"a"}}, {Inputs: []string{"a"}, Outputs: []string{"b"}, Mode: ModeID}} {
		_, err := Run(t.Context(), config)
		require.ErrorIs(t, err, ErrConfig)
	}
}

func TestCanceled(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err := Run(ctx, Config{Client: r.brokers(), Inputs: []string{"in"}, Outputs: []string{"out"}})
	require.ErrorIs(t, err, context.Canceled)
}

func TestReportJSONIsStable(t *testing.T) {
	r := newRig(t)
	r.write(recs("in", 0, "a:1")...)
	report := r.verify(func(c *Config) { c.MaxViolations = 1 })
	report.Seconds = 0
	encoded, err := json.Marshal(report)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"verdict": "violated", "mode": "copy", "isolation": "read_committed", "input_isolation": "read_committed", "seconds": 0, "open_transactions": [],
		"input": {"topics": ["in"], "counts": {"visible": 1, "aborted": 0, "undecided": 0, "markers": 0, "filtered": 0}, "partitions": [
			{"topic": "in", "partition": 0, "start": 0, "end": 1, "required": 1, "counts": {"visible": 1, "aborted": 0, "undecided": 0, "markers": 0, "filtered": 0}},
			{"topic": "in", "partition": 1, "start": 0, "end": 0, "required": 0, "counts": {"visible": 0, "aborted": 0, "undecided": 0, "markers": 0, "filtered": 0}}]},
		"output": {"topics": ["out"], "counts": {"visible": 0, "aborted": 0, "undecided": 0, "markers": 0, "filtered": 0}, "partitions": [
			{"topic": "out", "partition": 0, "start": 0, "end": 0, "counts": {"visible": 0, "aborted": 0, "undecided": 0, "markers": 0, "filtered": 0}},
			{"topic": "out", "partition": 1, "start": 0, "end": 0, "counts": {"visible": 0, "aborted": 0, "undecided": 0, "markers": 0, "filtered": 0}}]},
		"checks": [
			{"name": "no_loss", "status": "fail", "checked": 1, "violations": 1, "first": [{"input": {"topic": "in", "partition": 0, "offset": 0}, "detail": "is not in the output"}]},
			{"name": "no_duplicates", "status": "pass", "checked": 0, "violations": 0, "first": []},
			{"name": "no_unexpected", "status": "pass", "checked": 0, "violations": 0, "first": []},
			{"name": "same_content", "status": "skip", "checked": 0, "violations": 0, "first": [], "note": "the identity is the whole record, or mode is id"},
			{"name": "order_per_key", "status": "pass", "checked": 0, "violations": 0, "first": []},
			{"name": "order_per_partition", "status": "pass", "checked": 0, "violations": 0, "first": []},
			{"name": "no_aborted_visible", "status": "pass", "checked": 0, "violations": 0, "first": []},
			{"name": "no_future", "status": "skip", "checked": 0, "violations": 0, "first": [], "note": "needs the pipeline's group"},
			{"name": "no_open_transaction", "status": "pass", "checked": 2, "violations": 0, "first": []},
			{"name": "identified", "status": "pass", "checked": 1, "violations": 0, "first": []}]}`, string(encoded))
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	assert.Contains(t, text.String(), "input in[0]@0: is not in the output")
	assert.Contains(t, text.String(), "verdict: violated")
}
