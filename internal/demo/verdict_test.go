package demo

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc"
)

func TestVerdict(t *testing.T) {
	good := report{
		Guarantee: eosproc.ExactlyOnce,
		Counts:    counts{In: 4, Expected: 3, Out: 3, Aborted: 2},
		Faults:    faults{Kills: 1, Freezes: 1, FencedCommits: 1, ZombieFenced: true, OpenAtKill: 2},
	}
	repeats := good
	repeats.Guarantee = eosproc.AtLeastOnce
	repeats.Counts.Duplicates = 2
	tests := []struct {
		name     string
		from     report
		change   func(*report)
		noFreeze bool
		want     verdict
		problems int
	}{
		{"exact", good, func(*report) {}, false, exact, 0},
		{"a duplicate", good, func(r *report) { r.Counts.Duplicates = 1 }, false, violated, 1},
		{"one missing", good, func(r *report) { r.Counts.Missing = 1 }, false, violated, 1},
		{"one out of order", good, func(r *report) { r.Counts.OutOfOrder = 1 }, false, violated, 1},
		{"one unexpected", good, func(r *report) { r.Counts.Unexpected = 1 }, false, violated, 1},
		{"an aborted one is seen", good, func(r *report) { r.Counts.AbortedVisible = 1 }, false, violated, 1},
		{"a worker crashed", good, func(r *report) { r.Faults.Crashes = 1 }, false, violated, 1},
		{"nobody was killed", good, func(r *report) { r.Faults.Kills = 0 }, false, inconclusive, 1},
		{"nobody was frozen", good, func(r *report) { r.Faults.Freezes, r.Faults.ZombieFenced = 0, false }, false, inconclusive, 2},
		{"the zombie was not refused", good, func(r *report) { r.Faults.ZombieFenced = false }, false, inconclusive, 1},
		{"there are no freezes here", good, func(r *report) { r.Faults.Freezes, r.Faults.ZombieFenced = 0, false }, true, exact, 0},
		{"no orders", good, func(r *report) { r.Counts = counts{} }, false, inconclusive, 1},
		{"wrong and idle", good, func(r *report) { r.Counts.Missing, r.Faults.Kills = 1, 0 }, false, violated, 2},
		{"repeated", repeats, func(*report) {}, false, repeated, 0},
		{"repeated and out of order", repeats, func(r *report) { r.Counts.OutOfOrder = 3 }, false, repeated, 0},
		{"at least once without duplicates", repeats, func(r *report) { r.Counts.Duplicates = 0 }, false, inconclusive, 1},
		{"at least once with a loss", repeats, func(r *report) { r.Counts.Missing = 1 }, false, violated, 1},
		{"at least once needs no fence", repeats, func(r *report) { r.Faults.FencedCommits, r.Faults.ZombieFenced = 0, false }, false, repeated, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.from
			tt.change(&r)
			r.judge(!tt.noFreeze)
			assert.Equal(t, tt.want, r.Verdict, r.Problems)
			assert.Len(t, r.Problems, tt.problems)
			assert.Equal(t, tt.want == exact || tt.want == repeated, r.good())
			assert.Contains(t, r.text(), "verdict: "+r.sentence())
		})
	}
}

// What scripts read must keep its names.
func TestJSONIsStable(t *testing.T) {
	var b bytes.Buffer
	m := &machine{w: &b, events: true}
	m.happened(event{Time: time.Unix(0, 0).UTC(), Event: "kill", Worker: 2, Text: "worker-2 killed"})
	m.progressed(progress{in: 1})
	r := report{Guarantee: eosproc.ExactlyOnce, Problems: []string{}}
	require.NoError(t, m.ended(&r))
	lines := bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
	require.Len(t, lines, 2)
	assert.JSONEq(t, `{"time":"1970-01-01T00:00:00Z","event":"kill","worker":2,"text":"worker-2 killed"}`, string(lines[0]))
	assert.JSONEq(t, `{"verdict":"","guarantee":"exactly_once_v2",
		"counts":{"in":0,"expected":0,"out":0,"duplicates":0,"missing":0,"unexpected":0,"out_of_order":0,"aborted":0,"aborted_visible":0},
		"faults":{"kills":0,"freezes":0,"fenced_commits":0,"zombie_fenced":false,"open_at_kill":0,"crashes":0},
		"problems":[],
		"setup":{"brokers":"","embedded":false,"workers":0,"partitions":0,"rate":0,"seed":0,"duration_seconds":0,"directory":""},
		"first_payment_seconds":0,"seconds":0}`, string(lines[1]))

	b.Reset()
	quiet := &machine{w: &b}
	quiet.happened(event{Event: "kill"})
	assert.Zero(t, b.Len(), "events are on request")
	require.NoError(t, quiet.ended(&r))
	var any map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &any))
}

func TestLines(t *testing.T) {
	var b bytes.Buffer
	l := &lines{w: &b}
	for ms := range 25 {
		l.progressed(progress{since: time.Duration(ms) * 100 * time.Millisecond, in: int64(1000 * ms)})
	}
	assert.Equal(t, 2, bytes.Count(b.Bytes(), []byte("\n")), "one line a second:\n%s", b.String())
	assert.Contains(t, b.String(), "   2.0s  orders 20 000 (")
	assert.NotContains(t, b.String(), "\x1b")
}

func TestBlockRemovesWhatItHasDrawn(t *testing.T) {
	var b bytes.Buffer
	s := &block{w: &b}
	s.progressed(progress{in: 1})
	drawn := bytes.Count(b.Bytes(), []byte("\n"))
	b.Reset()
	s.happened(event{Text: "something"})
	assert.Regexp(t, `^\x1b\[9A\x1b\[J .*something\n`, b.String())
	assert.Equal(t, 9, drawn)
	b.Reset()
	r := report{}
	require.NoError(t, s.ended(&r))
	assert.Regexp(t, `^\x1b\[9A\x1b\[J`, b.String())
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 000", 48210: "48 210", 1234567: "1 234 567", -100: "-100", -1000: "-1 000"} {
		assert.Equal(t, want, grouped(n))
	}
}
