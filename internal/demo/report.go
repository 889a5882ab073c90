package demo

import (
	"fmt"
	"strings"
	"time"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/internal/verify"
)

// verdict is the whole answer in a word.
type verdict string

const (
	// exact: faults happened, and every order was paid exactly once.
	exact verdict = "exact"
	// repeated: under at_least_once, faults happened and left duplicates, and nothing is missing.
	repeated verdict = "repeated"
	// violated: the guarantee was broken.
	violated verdict = "violated"
	// inconclusive: nothing is wrong, but the faults that would prove something did not happen.
	inconclusive verdict = "inconclusive"
)

// report is the result of a demo. Its JSON form is stable: fields may be added,
// never renamed.
type report struct {
	Verdict   verdict           `json:"verdict"`
	Guarantee eosproc.Guarantee `json:"guarantee"`
	Counts    counts            `json:"counts"`
	Faults    faults            `json:"faults"`
	// Problems says, for people, why the verdict is not what it should be.
	Problems []string `json:"problems"`
	Setup    setup    `json:"setup"`
	// FirstPaymentSeconds is the time from the start to the first committed payment.
	FirstPaymentSeconds float64 `json:"first_payment_seconds"`
	Seconds             float64 `json:"seconds"`
}

// counts are numbers of records, as internal/verify read them from the topics.
type counts struct {
	// In are the orders, Expected those of them that must become payments.
	In       int64 `json:"in"`
	Expected int64 `json:"expected"`
	// Out are the payments that a read_committed reader sees.
	Out        int64 `json:"out"`
	Duplicates int64 `json:"duplicates"`
	Missing    int64 `json:"missing"`
	// Unexpected are payments without an order, or for one that was cancelled.
	Unexpected int64 `json:"unexpected"`
	// OutOfOrder are payments that came after a later one of their customer.
	OutOfOrder int64 `json:"out_of_order"`
	// Aborted are payments that were written and that no read_committed reader ever
	// sees; AbortedVisible are those that one does see.
	Aborted        int64 `json:"aborted"`
	AbortedVisible int64 `json:"aborted_visible"`
}

type faults struct {
	// Kills are workers ended by SIGKILL, Freezes those stopped beyond their
	// session and continued.
	Kills   int `json:"kills"`
	Freezes int `json:"freezes"`
	// FencedCommits are commits that the brokers refused because their writer had
	// lost its right to write.
	FencedCommits int `json:"fenced_commits"`
	// ZombieFenced tells whether the frozen worker's commit is among them.
	ZombieFenced bool `json:"zombie_fenced"`
	// OpenAtKill is how many written payments the killed worker had not committed;
	// 0 under at_least_once, where written is visible.
	OpenAtKill int64 `json:"open_at_kill"`
	// Crashes are workers that ended unasked. They are no part of the plan.
	Crashes int `json:"crashes"`
}

type setup struct {
	// Brokers are host:port of the brokers; Embedded tells whether the demo brought its own.
	Brokers    string  `json:"brokers"`
	Embedded   bool    `json:"embedded"`
	Workers    int     `json:"workers"`
	Partitions int     `json:"partitions"`
	Rate       int     `json:"rate"`
	Seed       uint64  `json:"seed"`
	Duration   float64 `json:"duration_seconds"`
	Directory  string  `json:"directory"`
}

// countsOf takes the counts out of a verification.
func countsOf(v verify.Report) counts {
	violations := func(name string) int64 {
		check, _ := v.Check(name)
		return check.Violations
	}
	return counts{
		In: v.Input.Counts.Visible + v.Input.Counts.Filtered, Expected: v.Input.Counts.Visible,
		Out: v.Output.Counts.Visible, Aborted: v.Output.Counts.Aborted,
		Duplicates: violations(verify.CheckDuplicates), Missing: violations(verify.CheckLoss),
		Unexpected: violations(verify.CheckUnexpected) + violations(verify.CheckIdentity),
		OutOfOrder: violations(verify.CheckKeyOrder), AbortedVisible: violations(verify.CheckAborted),
	}
}

// judge sets the verdict and the problems. freezes tells whether a freeze is part
// of the plan.
func (r *report) judge(freezes bool) {
	var wrong, idle []string
	problem := func(list *[]string, bad bool, format string, args ...any) {
		if bad {
			*list = append(*list, fmt.Sprintf(format, args...))
		}
	}
	c, f := r.Counts, r.Faults
	exactly := r.Guarantee == eosproc.ExactlyOnce
	problem(&wrong, c.Missing > 0, "%d orders have no payment", c.Missing)
	problem(&wrong, c.Unexpected > 0, "%d payments should not be there", c.Unexpected)
	problem(&wrong, c.AbortedVisible > 0, "%d aborted payments are visible", c.AbortedVisible)
	problem(&wrong, f.Crashes > 0, "%d workers ended unasked; see their logs in %s", f.Crashes, r.Setup.Directory)
	if exactly {
		problem(&wrong, c.Duplicates > 0, "%d payments are duplicates", c.Duplicates)
		problem(&wrong, c.OutOfOrder > 0, "%d payments are out of their customer's order", c.OutOfOrder)
	}
	problem(&idle, c.Expected == 0, "no orders were produced")
	problem(&idle, f.Kills == 0, "no worker was killed")
	problem(&idle, freezes && f.Freezes == 0, "no worker was frozen")
	problem(&idle, freezes && exactly && !f.ZombieFenced, "the frozen worker's commit was not refused")
	problem(&idle, !exactly && c.Duplicates == 0, "no duplicates appeared, although the faults allow them")
	r.Problems = append(wrong, idle...)
	switch {
	case len(wrong) > 0:
		r.Verdict = violated
	case len(idle) > 0:
		r.Verdict = inconclusive
	case exactly:
		r.Verdict = exact
	default:
		r.Verdict = repeated
	}
	if r.Problems == nil {
		r.Problems = []string{}
	}
}

// good reports whether the demo showed what its guarantee promises.
func (r *report) good() bool { return r.Verdict == exact || r.Verdict == repeated }

// text is the end of the demo, for people.
func (r *report) text() string {
	var b strings.Builder
	c, f := r.Counts, r.Faults
	fmt.Fprintf(&b, " orders %s (%s placed)   payments %s   duplicates %s   missing %s\n",
		grouped(c.In), grouped(c.Expected), grouped(c.Out), grouped(c.Duplicates), grouped(c.Missing))
	fmt.Fprintf(&b, " aborted %s records that no one saw   kills %d   freezes %d   fenced commits %d\n", grouped(c.Aborted), f.Kills, f.Freezes, f.FencedCommits)
	for _, p := range r.Problems {
		fmt.Fprintf(&b, " ! %s\n", p)
	}
	fmt.Fprintf(&b, "verdict: %s   (%.1f s, logs and report in %s)\n", r.sentence(), r.Seconds, r.Setup.Directory)
	return b.String()
}

func (r *report) sentence() string {
	c := r.Counts
	switch r.Verdict {
	case exact:
		return "exactly once ✔"
	case repeated:
		return fmt.Sprintf("at least once: %s duplicates, 0 missing, as this guarantee allows; exactly_once_v2 has none", grouped(c.Duplicates))
	case inconclusive:
		return "inconclusive: nothing is wrong, but not all faults happened"
	default:
		return "VIOLATED ✘"
	}
}

// grouped writes a number with thin groups of three digits.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)) / float64(time.Second)
}
