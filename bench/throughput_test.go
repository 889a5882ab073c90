package bench

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func arms(t *testing.T, specs ...string) (out []Arm) {
	t.Helper()
	for _, s := range specs {
		a, err := ParseArm(s)
		require.NoError(t, err)
		out = append(out, a)
	}
	return out
}

func topics(t *testing.T, brokers []string) []string {
	t.Helper()
	adm, err := newAdmin(brokers)
	require.NoError(t, err)
	defer adm.Close()
	details, err := adm.ListTopics(t.Context())
	require.NoError(t, err)
	return details.Names()
}

func TestThroughputOfTheRawArms(t *testing.T) {
	brokers := cluster(t)
	res, err := Throughput(t.Context(), ThroughputConfig{
		Brokers: brokers, Arms: arms(t, "raw-eos", "raw-alo"), Workload: small(30_000),
		Interval: 20 * time.Millisecond, Repeat: 2, Warmup: 1, Timeout: time.Minute, Logf: t.Logf,
	})
	require.NoError(t, err)
	require.Len(t, res.Runs, 4, "warm-up rounds are not among them")
	assert.NotEqual(t, res.Runs[0].Arm, res.Runs[2].Arm, "rounds start with different arms")
	for _, run := range res.Runs {
		assert.Equal(t, Tally{Records: 30_000}, run.Tally)
		assert.Positive(t, run.Usage.CPU)
		assert.Positive(t, run.FirstOutput)
		assert.GreaterOrEqual(t, run.Done, run.FirstOutput)
		assert.Positive(t, run.Rate)
		assert.Positive(t, run.StartRate)
	}
	require.Len(t, res.Summary, 2)
	assert.Equal(t, "raw-eos", res.Summary[0].Arm)
	assert.Equal(t, 1.0, res.Summary[0].RateRatio)
	assert.Equal(t, 2, res.Summary[1].Runs)
	assert.True(t, res.Summary[1].Exact)
	assert.Empty(t, topics(t, brokers), "nothing is left behind")

	var text, doc bytes.Buffer
	require.NoError(t, res.Table(&text))
	assert.Contains(t, text.String(), "raw-alo: kgo acks=all idempotent")
	assert.Regexp(t, `(?m)^raw-eos +\d+ .* 1\.000x +1\.000x +true$`, text.String())
	require.NoError(t, WriteJSON(&doc, res))
	var back ThroughputResult
	require.NoError(t, json.Unmarshal(doc.Bytes(), &back))
	assert.Equal(t, res.Summary, back.Summary)
}

func TestThroughputOnAFilledInput(t *testing.T) {
	brokers := cluster(t)
	fill(t, brokers, "in", small(1000))
	c := ThroughputConfig{
		Brokers: brokers, Arms: arms(t, "raw-eos"), Workload: small(1000), Input: "in", Repeat: 1,
	}
	res, err := Throughput(t.Context(), c)
	require.NoError(t, err)
	assert.True(t, res.Summary[0].Exact)
	assert.Equal(t, []string{"in"}, topics(t, brokers), "a given input is kept")

	c.Workload.Records = 999
	_, err = Throughput(t.Context(), c)
	require.ErrorIs(t, err, ErrInvalidConfig)
	assert.ErrorContains(t, err, "holds 1000 records, the workload says 999")
}

func TestThroughputOfAFailingCommand(t *testing.T) {
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	brokers := cluster(t)
	c := ThroughputConfig{
		Brokers: brokers, Workload: small(10), Repeat: 1, Timeout: time.Minute,
		Arms: arms(t, "cmd:"+sh+" -c 'echo no such topic {{input}}; exit 3'"),
	}
	_, err = Throughput(t.Context(), c)
	require.ErrorIs(t, err, ErrArmExited)
	assert.ErrorContains(t, err, "exit status 3; it said: no such topic bench-")

	// An arm that does nothing: the clock decides, and the process goes.
	c.Arms, c.Timeout = arms(t, "cmd:sleep 60"), 300*time.Millisecond
	_, err = Throughput(t.Context(), c)
	require.ErrorIs(t, err, ErrTimeout)
	assert.Empty(t, topics(t, brokers))

	c.Arms = arms(t, "cmd:no-such-program-anywhere")
	_, err = Throughput(t.Context(), c)
	require.ErrorIs(t, err, exec.ErrNotFound)
}

func TestThroughputRefusesBadSettings(t *testing.T) {
	for _, c := range []ThroughputConfig{
		{},
		{Workload: small(1)},
		{Workload: small(1), Repeat: 1},
		{Workload: small(1), Repeat: 1, Arms: []Arm{{Name: "a"}}},
		{Workload: small(1), Repeat: 1, Interval: -1, Arms: []Arm{{Name: "a"}}},
	} {
		_, err := Throughput(t.Context(), c)
		require.ErrorIs(t, err, ErrInvalidConfig)
	}
}

func TestSummaryUsesMediansAndPairedRatios(t *testing.T) {
	run := func(arm string, round int, rate, cpu float64, rss int64, missing int64) ThroughputRun {
		return ThroughputRun{Arm: arm, Round: round, Rate: rate, CPUPerM: cpu, Usage: Usage{PeakRSS: rss}, Tally: Tally{Missing: missing}}
	}
	s := summarize([]Arm{{Name: "a"}, {Name: "b"}}, []ThroughputRun{
		run("a", 0, 100, 1, 10, 0), run("b", 0, 50, 2, 20, 0),
		run("a", 1, 200, 1, 10, 0), run("b", 1, 180, 2, 40, 1),
		run("a", 2, 400, 1, 10, 0), run("b", 2, 200, 4, 30, 0),
	})
	assert.Equal(t, 200.0, s[0].Rate)
	assert.Equal(t, 180.0, s[1].Rate)
	assert.Equal(t, 0.5, s[1].RateRatio, "median of 0.5, 0.9, 0.5")
	assert.Equal(t, 2.0, s[1].CPURatio)
	assert.EqualValues(t, 40, s[1].PeakRSS)
	assert.True(t, s[0].Exact)
	assert.False(t, s[1].Exact, "one inexact run spoils the arm")
}

func TestRateOfARunTooShortToTime(t *testing.T) {
	m := milestones{first: time.Second, firstRecords: 90, done: time.Second}
	run := newThroughputRun("a", 100, m, Usage{}, Tally{})
	assert.Equal(t, 100.0, run.Rate)
	m.done = 3 * time.Second
	assert.Equal(t, 5.0, newThroughputRun("a", 100, m, Usage{}, Tally{}).Rate)
}
