package bench

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Percentiles are exact: each is the smallest sample that at least that share
// of all samples does not exceed (nearest rank). All zero without samples.
type Percentiles struct {
	Samples int           `json:"samples"`
	Min     time.Duration `json:"min_ns"`
	P50     time.Duration `json:"p50_ns"`
	P90     time.Duration `json:"p90_ns"`
	P99     time.Duration `json:"p99_ns"`
	P999    time.Duration `json:"p99_9_ns"`
	Max     time.Duration `json:"max_ns"`
}

// percentilesOf sorts samples in place.
func percentilesOf(samples []time.Duration) Percentiles {
	if len(samples) == 0 {
		return Percentiles{}
	}
	slices.Sort(samples)
	return Percentiles{
		Samples: len(samples),
		Min:     samples[0],
		P50:     nearestRank(samples, 50),
		P90:     nearestRank(samples, 90),
		P99:     nearestRank(samples, 99),
		P999:    nearestRank(samples, 99.9),
		Max:     samples[len(samples)-1],
	}
}

// nearestRank wants sorted samples, at least one.
func nearestRank(sorted []time.Duration, percent float64) time.Duration {
	// The product is rounded to a millionth first: 99.9 % of 1000 is
	// 999.0000000000001 in floating point, whose ceiling is a rank too high.
	exact := math.Round(percent/100*float64(len(sorted))*1e6) / 1e6
	rank := int(math.Ceil(exact))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// better orders results by p50, then p99.
func (p Percentiles) better(q Percentiles) bool {
	return cmp.Or(cmp.Compare(p.P50, q.P50), cmp.Compare(p.P99, q.P99)) < 0
}

// median returns the middle of values, or the mean of the middle two; 0 for
// none. values is not changed.
func median[T int64 | float64 | time.Duration](values []T) T {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}
