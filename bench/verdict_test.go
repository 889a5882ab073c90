package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestVerdict(t *testing.T) {
	saw := []int64{10, 200, 350, 480, 20, 210, 360, 490, 15, 190, 340, 470, 25, 220, 370, 495}
	good := evidence{sent: 1000, late: 10, rate: 5000, backlog: saw}
	assert.Equal(t, Verdict{Valid: true}, good.verdict(), "a hundredth late and a backlog of a commit interval are fine")

	late := good
	late.late = 11
	assert.Equal(t, []string{"generator fell behind: 1.1% of records were over 5ms late"}, late.verdict().Reasons)

	grew := good
	grew.backlog = []int64{100, 120, 400, 800, 1200, 1600, 2000, 2400}
	assert.Equal(t, []string{"backlog grew from 110 to 2200 records"}, grew.verdict().Reasons)

	lost := good
	lost.tally = Tally{Records: 999, Missing: 2, Duplicates: 1}
	v := lost.verdict()
	assert.False(t, v.Valid)
	assert.Equal(t, []string{"output is not the input: 2 missing, 1 duplicates, 0 foreign"}, v.Reasons)

	all := evidence{sent: 100, late: 50, rate: 5000, backlog: grew.backlog, tally: Tally{Missing: 1}}
	assert.Len(t, all.verdict().Reasons, 3, "every broken rule is named")
}

func TestBacklogGrew(t *testing.T) {
	for name, c := range map[string]struct {
		backlog []int64
		grew    bool
	}{
		"too few samples":               {[]int64{1, 5000, 9000}, false},
		"high but steady":               {[]int64{9000, 9100, 9050, 9000, 8990, 9200, 9100, 9010}, false},
		"small steps from nearly none":  {[]int64{1, 1, 1, 1, 40, 40, 40, 40}, false},
		"a spike in the middle":         {[]int64{100, 100, 5000, 5000, 5000, 5000, 100, 100}, false},
		"half a second's records more":  {[]int64{100, 100, 500, 1000, 1500, 2000, 2600, 2600}, true},
		"growth under half of the rest": {[]int64{5000, 5000, 5000, 5000, 5000, 5000, 7000, 7000}, false},
	} {
		_, _, grew := backlogGrew(c.backlog, 5000)
		assert.Equal(t, c.grew, grew, name)
	}
}

func TestScheduleIsExactForAnyRate(t *testing.T) {
	s := schedule{rate: 3}
	assert.Equal(t, time.Duration(0), s.intended(0))
	assert.Equal(t, time.Second/3, s.intended(1))
	assert.Equal(t, 1000*time.Second, s.intended(3000), "no drift from rounding")
	assert.Equal(t, 200*time.Microsecond, schedule{rate: 5000}.intended(1))
}
