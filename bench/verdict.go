package bench

import (
	"fmt"
	"slices"
)

// Verdict says whether a latency run may be quoted. Valid is false with one
// reason for each rule that was broken.
type Verdict struct {
	Valid   bool     `json:"valid"`
	Reasons []string `json:"reasons,omitempty"`
}

// evidence is what a latency run's verdict rests on.
type evidence struct {
	sent    int64
	late    int64   // records handed over more than lateAfter late
	backlog []int64 // sent but not yet visible, sampled evenly over the measured time
	rate    int64
	tally   Tally
}

// maxLateShare: with more late records than this, the generator's own delay
// would show in the p99.
const maxLateShare = 0.01

func (e evidence) verdict() Verdict {
	var reasons []string
	if share := float64(e.late) / float64(max(e.sent, 1)); share > maxLateShare {
		reasons = append(reasons, fmt.Sprintf("generator fell behind: %.1f%% of records were over %v late", share*100, lateAfter))
	}
	if from, to, grew := backlogGrew(e.backlog, e.rate); grew {
		reasons = append(reasons, fmt.Sprintf("backlog grew from %d to %d records", from, to))
	}
	if !e.tally.Exact() {
		reasons = append(reasons, fmt.Sprintf("output is not the input: %d missing, %d duplicates, %d foreign",
			e.tally.Missing, e.tally.Duplicates, e.tally.Foreign))
	}
	return Verdict{Valid: len(reasons) == 0, Reasons: reasons}
}

// backlogGrew compares the medians of the first and the last quarter. Growth
// by half and by more than a tenth of a second's records is growth; a backlog
// saws up and down by one commit interval's records all the time.
func backlogGrew(backlog []int64, rate int64) (from, to int64, grew bool) {
	quarter := len(backlog) / 4
	if quarter == 0 {
		return 0, 0, false
	}
	from = median(slices.Clone(backlog[:quarter]))
	to = median(slices.Clone(backlog[len(backlog)-quarter:]))
	return from, to, to-from > from/2 && to-from > rate/10
}
