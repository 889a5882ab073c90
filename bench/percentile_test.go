package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestPercentilesAreExact(t *testing.T) {
	var samples []time.Duration
	for i := 1000; i >= 1; i-- {
		samples = append(samples, time.Duration(i))
	}
	assert.Equal(t, Percentiles{Samples: 1000, Min: 1, P50: 500, P90: 900, P99: 990, P999: 999, Max: 1000}, percentilesOf(samples))
	assert.Equal(t, Percentiles{Samples: 1, Min: 7, P50: 7, P90: 7, P99: 7, P999: 7, Max: 7}, percentilesOf([]time.Duration{7}))
	assert.Equal(t, Percentiles{}, percentilesOf(nil))
}

// A percentile's definition, checked against the samples themselves.
func TestNearestRankIsTheSmallestThatCoversItsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ints := rapid.SliceOfN(rapid.Int64Range(0, 50), 1, 300).Draw(t, "samples")
		permille := rapid.IntRange(1, 1000).Draw(t, "permille")
		samples := make([]time.Duration, len(ints))
		for i, n := range ints {
			samples[i] = time.Duration(n)
		}
		percentilesOf(samples)
		got := nearestRank(samples, float64(permille)/10)
		covered, below := 0, 0
		for _, s := range samples {
			if s <= got {
				covered++
			}
			if s < got {
				below++
			}
		}
		if covered*1000 < permille*len(samples) || below*1000 >= permille*len(samples) {
			t.Fatalf("%d of %d samples are at most %d, %d below, for %d permille", covered, len(samples), got, below, permille)
		}
	})
}

func TestBetterIsByP50ThenP99(t *testing.T) {
	assert.True(t, Percentiles{P50: 1, P99: 9}.better(Percentiles{P50: 2, P99: 3}))
	assert.True(t, Percentiles{P50: 1, P99: 2}.better(Percentiles{P50: 1, P99: 3}))
	assert.False(t, Percentiles{P50: 1, P99: 3}.better(Percentiles{P50: 1, P99: 3}))
}

func TestMedian(t *testing.T) {
	values := []float64{9, 1, 5}
	assert.Equal(t, 5.0, median(values))
	assert.Equal(t, []float64{9, 1, 5}, values, "the order is kept")
	assert.Equal(t, 3.5, median([]float64{1, 2, 5, 9}))
	assert.Zero(t, median[int64](nil))
}
