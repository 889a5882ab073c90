package bench

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func latencyConfig(t *testing.T, brokers []string, specs ...string) LatencyConfig {
	return LatencyConfig{
		Brokers: brokers, Arms: arms(t, specs...), Intervals: []time.Duration{5 * time.Millisecond},
		Rate: 500, RecordBytes: 100, Partitions: 2, Keys: 20, Seed: 3,
		Warmup: 200 * time.Millisecond, Duration: 600 * time.Millisecond, Repeat: 1, Logf: t.Logf,
	}
}

func TestLatencyOfTheRawArms(t *testing.T) {
	brokers := cluster(t)
	c := latencyConfig(t, brokers, "raw-eos", "raw-alo")
	c.Intervals = append(c.Intervals, 20*time.Millisecond)
	res, err := Latency(t.Context(), c)
	require.NoError(t, err)
	require.Len(t, res.Runs, 4)
	for _, run := range res.Runs {
		assert.Equal(t, Tally{Records: 400}, run.Tally, "the warm-up is counted")
		assert.Equal(t, 300, run.Latency.Samples, "but not sampled")
		assert.Positive(t, run.Latency.Min)
		assert.Less(t, run.Latency.Max, 20*time.Second)
		assert.Positive(t, run.Startup)
		assert.Positive(t, run.Usage.CPU)
	}
	assert.Empty(t, topics(t, brokers), "nothing is left behind")

	var text bytes.Buffer
	require.NoError(t, res.Table(&text))
	assert.Regexp(t, `(?m)^raw-eos +5ms +\d`, text.String())
}

func TestStartup(t *testing.T) {
	brokers := cluster(t)
	c := latencyConfig(t, brokers, "raw-eos", "raw-alo")
	c.Repeat = 2
	res, err := Startup(t.Context(), c)
	require.NoError(t, err)
	require.Len(t, res.Summary, 2)
	for _, s := range res.Summary {
		assert.Equal(t, 2, s.Runs)
		assert.Positive(t, s.Min)
		assert.LessOrEqual(t, s.Min, s.Median)
		assert.LessOrEqual(t, s.Median, s.Max)
	}
	var text bytes.Buffer
	require.NoError(t, res.Table(&text))
	assert.Contains(t, text.String(), "raw-alo  2 ")
}

func TestLatencyOfAnArmThatShowsNothing(t *testing.T) {
	brokers := cluster(t)
	c := latencyConfig(t, brokers, "cmd:sleep 60")
	c.Timeout = 100 * time.Millisecond
	_, err := Latency(t.Context(), c)
	require.ErrorIs(t, err, ErrTimeout)
	assert.ErrorContains(t, err, "show its first output")

	c.Arms = arms(t, "cmd:false")
	c.Timeout = time.Minute
	_, err = Latency(t.Context(), c)
	require.ErrorIs(t, err, ErrArmExited)
	assert.Empty(t, topics(t, brokers))
}

func TestLatencyRefusesBadSettings(t *testing.T) {
	for name, broken := range map[string]func(*LatencyConfig){
		"rate":      func(c *LatencyConfig) { c.Rate = 0 },
		"repeat":    func(c *LatencyConfig) { c.Repeat = 0 },
		"duration":  func(c *LatencyConfig) { c.Duration = 0 },
		"interval":  func(c *LatencyConfig) { c.Intervals = nil },
		"intervals": func(c *LatencyConfig) { c.Intervals = []time.Duration{-1} },
		"bytes":     func(c *LatencyConfig) { c.RecordBytes = minLatencyBytes - 1 },
		"broker":    func(c *LatencyConfig) { c.Brokers = nil },
		"arm":       func(c *LatencyConfig) { c.Arms = nil },
	} {
		c := latencyConfig(t, []string{"127.0.0.1:1"}, "raw-eos")
		broken(&c)
		_, err := Latency(t.Context(), c)
		require.ErrorIs(t, err, ErrInvalidConfig, name)
		assert.ErrorContains(t, err, name)
	}
}

func TestSummaryPoolsSamplesAndPicksTheBestValidInterval(t *testing.T) {
	run := func(arm string, interval time.Duration, valid bool, samples ...time.Duration) LatencyRun {
		return LatencyRun{Arm: arm, Interval: interval, Verdict: Verdict{Valid: valid}, samples: samples}
	}
	c := LatencyConfig{Arms: []Arm{{Name: "a"}, {Name: "b"}}, Intervals: []time.Duration{1, 2, 3}}
	s := summarizeLatency(c, []LatencyRun{
		run("a", 1, true, 10, 10), run("a", 1, true, 30, 10),
		run("a", 2, true, 20), run("a", 3, false, 1),
		run("b", 1, true, 9), run("b", 2, true, 5), run("b", 3, true, 5, 5, 6),
	})
	require.Len(t, s, 6)
	best := make(map[string]time.Duration)
	for _, x := range s {
		if x.Best {
			best[x.Arm] = x.Interval
		}
	}
	assert.Equal(t, map[string]time.Duration{"a": 1, "b": 2}, best, "a's quickest interval was invalid; b's tie goes by p99")
	assert.Equal(t, Percentiles{Samples: 4, Min: 10, P50: 10, P90: 30, P99: 30, P999: 30, Max: 30}, s[0].Latency)
	assert.Equal(t, 0.5, s[4].P50Ratio)
	assert.Zero(t, s[3].P50Ratio, "only the best are compared")
	assert.False(t, s[2].Valid)
}
