package demo

import (
	"errors"
	"fmt"
	"time"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/internal/failpoint"
)

const (
	// workers is the number of child processes: one to be killed, one to be frozen,
	// and one that takes over.
	workers    = 3
	partitions = 6

	commitInterval = 100 * time.Millisecond
	// drainPatience bounds everything that should take moments and depends on
	// brokers and children: the last orders, the last commits, the orderly end.
	drainPatience = 30 * time.Second
	minDuration   = 5 * time.Second
)

// options say what to show. Command fills them in from flags.
type options struct {
	guarantee     eosproc.Guarantee
	duration      time.Duration
	rate          int
	seed          uint64
	dir           string
	bootstrap     string // empty: the embedded broker
	commandConfig string
	// child is the command line of a worker, without its arguments.
	child []string
}

func (o *options) validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...))
	}
	if o.guarantee != eosproc.ExactlyOnce && o.guarantee != eosproc.AtLeastOnce {
		fault("--guarantee %q: want %s or %s", o.guarantee, eosproc.ExactlyOnce, eosproc.AtLeastOnce)
	}
	if o.duration < minDuration || o.duration > time.Hour {
		fault("--duration %s: want %s to 1h; the faults need some seconds", o.duration, minDuration)
	}
	if o.rate < 100 || o.rate > 100_000 {
		fault("--rate %d: want 100 to 100000 orders per second", o.rate)
	}
	if o.dir == "" {
		fault("--dir must not be empty")
	}
	if o.commandConfig != "" && o.bootstrap == "" {
		fault("--command-config is for one's own cluster: name it with --bootstrap-server")
	}
	return errors.Join(faults...)
}

// timing is how fast the group reacts.
type timing struct {
	session, heartbeat, transaction time.Duration
	// freeze is how long the frozen worker stays so: beyond its session, and long
	// enough that another one has its partitions.
	freeze time.Duration
}

// The embedded broker allows shorter sessions than a cluster does, whose
// group.min.session.timeout.ms is 6000 unless somebody changed it.
var (
	embeddedTiming = timing{session: 3 * time.Second, heartbeat: 500 * time.Millisecond, transaction: 2 * time.Second, freeze: 5 * time.Second}
	clusterTiming  = timing{session: 6 * time.Second, heartbeat: time.Second, transaction: 4 * time.Second, freeze: 9 * time.Second}
)

// plan says which worker suffers what, and at which of its commits.
type plan struct {
	killed, frozen   int
	killAt, freezeAt int
}

// newPlan spreads the faults over the duration, such that the frozen worker has
// time to wake up and to be refused. Faults are counted in commits, which come
// one commit interval after the other as long as there are orders.
func newPlan(o *options) plan {
	first := int(o.seed % workers)
	commits := int(o.duration / commitInterval)
	return plan{
		killed: first + 1, frozen: (first+1)%workers + 1,
		killAt: max(commits/5, 10), freezeAt: max(commits*2/5, 15),
	}
}

// failpoint returns the value of EOSPROC_FAILPOINT for a worker's first life.
//
// The frozen worker stops where the next thing that it does, whatever else it
// learns when it wakes up, is to ask for the commit: before EndTxn under exactly_once_v2,
// where it has passed the point of no return, before OffsetCommit otherwise.
func (p plan) failpoint(worker int, g eosproc.Guarantee) string {
	switch {
	case worker == p.killed:
		return fmt.Sprintf("%s:%d:kill9", failpoint.Acknowledged, p.killAt)
	case worker != p.frozen || !canFreeze:
		return ""
	case g == eosproc.ExactlyOnce:
		return fmt.Sprintf("%s:%d:stop", failpoint.Ending, p.freezeAt)
	default:
		return fmt.Sprintf("%s:%d:stop", failpoint.Acknowledged, p.freezeAt)
	}
}
