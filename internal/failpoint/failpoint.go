// Package failpoint makes a process die, stop or stall at a named step, so that
// tests can do it at every step of the commit cycle. It owns nothing but the
// environment variable:
//
//	EOSPROC_FAILPOINT=<step>:<nth>:<action>[,…]
//
// A step is one of S0…S9 (see the constants); nth counts the passes from 1;
// the action is kill9 (SIGKILL to itself, so that no deferred function runs), stop (SIGSTOP), or
// sleep=<duration>. Without the variable a pass costs one comparison.
package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Step is a step of the commit cycle.
type Step string

// The steps, in their order.
const (
	Polled       Step = "S0" // records are fetched, nothing is processed
	Begun        Step = "S1" // a transaction has begun on the client
	Processed    Step = "S2" // records are processed, their outputs are on their way
	Acknowledged Step = "S3" // all outputs are acknowledged
	OffsetsSent  Step = "S4" // the group coordinator has taken the offsets
	Ending       Step = "S5" // EndTxn is about to be sent
	EndSent      Step = "S6" // EndTxn is written to the connection
	Ended        Step = "S7" // EndTxn is answered
	Applying     Step = "S8" // the worker is about to take the commit into its state
	Committed    Step = "S9" // the cycle is over
)

type point struct {
	nth    int64
	passes atomic.Int64
	act    func()
}

var points map[Step]*point

// Active reports whether any failpoint is set.
func Active() bool { return points != nil }

// Pass marks that a step is passed.
func Pass(s Step) {
	if points == nil {
		return
	}
	if p := points[s]; p != nil && p.passes.Add(1) == p.nth {
		p.act()
	}
}

// Load reads the environment variable. Call it once, at the start of the
// program, before anything else runs.
func Load() error {
	text := os.Getenv("EOSPROC_FAILPOINT")
	if text == "" {
		return nil
	}
	points = map[Step]*point{}
	for part := range strings.SplitSeq(text, ",") {
		fields := strings.SplitN(part, ":", 3)
		if len(fields) != 3 {
			return fmt.Errorf("EOSPROC_FAILPOINT %q: want step:nth:action", part)
		}
		nth, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil || nth < 1 {
			return fmt.Errorf("EOSPROC_FAILPOINT %q: nth must be a number from 1", part)
		}
		act, err := action(fields[2])
		if err != nil {
			return fmt.Errorf("EOSPROC_FAILPOINT %q: %w", part, err)
		}
		points[Step(fields[0])] = &point{nth: nth, act: act}
	}
	return nil
}

func action(text string) (func(), error) {
	name, arg, _ := strings.Cut(text, "=")
	switch name {
	case "kill9":
		return kill, nil
	case "stop":
		return stop, nil
	case "sleep":
		d, err := time.ParseDuration(arg)
		if err != nil {
			return nil, fmt.Errorf("sleep: %w", err)
		}
		return func() { time.Sleep(d) }, nil
	default:
		return nil, fmt.Errorf("action %q: want kill9, stop or sleep=<duration>", text)
	}
}
