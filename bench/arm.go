package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Arm is one implementation under measurement.
type Arm struct {
	// Name stands in reports.
	Name string `json:"name"`
	// Command is the command template to run; empty for a raw loop. See
	// [ParseArm] for its form.
	Command string `json:"command,omitempty"`
	// Raw holds a raw loop's settings; its topics, group and interval are
	// filled in by the run. Nil for a command.
	Raw *RawConfig `json:"raw,omitempty"`
}

// ParseArm reads an arm as a user writes it:
//
//	raw-eos                              the built-in exactly-once loop
//	raw-alo                              the built-in at-least-once loop
//	cmd:eosproc run pipeline.yaml        a command
//	NAME=cmd:…, NAME=raw-eos             the same, named
//
// A command is split at spaces, with single and double quotes as in a shell
// but no expansion, and run directly: its first word must be the measured
// program itself, for memory is read from that process. These placeholders
// are replaced, in the words and in the text of every word that names an
// existing .yaml, .yml, .json or .properties file (the filled copy is passed
// in its place): {{brokers}} {{input}} {{output}} {{group}} {{interval}}
// ("100ms") {{interval_ms}} ("100") and {{dir}}, an empty directory of the
// run's own for state.
//
// The command must copy input to output, commit offsets in the consumer group
// {{group}}, and end on SIGTERM. Errors wrap [ErrInvalidConfig].
func ParseArm(spec string) (Arm, error) {
	name, body := "", spec
	if before, after, ok := strings.Cut(spec, "="); ok && !strings.ContainsAny(before, ": ") {
		name, body = before, after
	}
	var a Arm
	switch kind := RawKind(body); {
	case kind == RawEOS || kind == RawALO:
		a = Arm{Name: body, Raw: &RawConfig{Kind: kind}}
	case strings.HasPrefix(body, "cmd:"):
		a = Arm{Command: strings.TrimPrefix(body, "cmd:")}
		words, err := splitWords(a.Command)
		if err != nil {
			return Arm{}, fmt.Errorf("arm %q: %w", spec, err)
		}
		if len(words) == 0 {
			return Arm{}, fmt.Errorf("%w: arm %q has an empty command", ErrInvalidConfig, spec)
		}
		a.Name = filepath.Base(words[0])
	default:
		return Arm{}, fmt.Errorf("%w: arm %q is none of raw-eos, raw-alo, cmd:COMMAND", ErrInvalidConfig, spec)
	}
	if name != "" {
		a.Name = name
	}
	return a, nil
}

// checkArms wants at least one arm and no name twice, since reports and
// ratios go by name.
func checkArms(arms []Arm) error {
	if len(arms) == 0 {
		return fmt.Errorf("%w: no arm given", ErrInvalidConfig)
	}
	seen := make(map[string]bool)
	for _, a := range arms {
		if seen[a.Name] {
			return fmt.Errorf("%w: two arms are named %q; name one as NAME=…", ErrInvalidConfig, a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// Settings returns the line a report prints for the arm.
func (a Arm) Settings() string {
	if a.Raw != nil {
		return a.Raw.Settings()
	}
	return a.Command
}

// target is where one run of an arm reads, writes and commits.
type target struct {
	brokers       []string
	input, output string
	group         string
	interval      time.Duration
	dir           string // the run's own, removed after it
}

func (t target) vars() map[string]string {
	return map[string]string{
		"brokers":     strings.Join(t.brokers, ","),
		"input":       t.input,
		"output":      t.output,
		"group":       t.group,
		"interval":    t.interval.String(),
		"interval_ms": fmt.Sprint(t.interval.Milliseconds()),
		"dir":         filepath.Join(t.dir, "state"),
	}
}

// invocation is a command ready to start.
type invocation struct {
	argv []string
	env  []string // added to this process's own
}

func (a Arm) invocation(t target) (invocation, error) {
	if err := os.MkdirAll(filepath.Join(t.dir, "state"), 0o755); err != nil {
		return invocation{}, fmt.Errorf("create state directory: %w", err)
	}
	if a.Raw != nil {
		c := *a.Raw
		c.Brokers, c.Input, c.Output, c.Group, c.Interval = t.brokers, t.input, t.output, t.group, t.interval
		env, err := c.env()
		if err != nil {
			return invocation{}, err
		}
		self, err := os.Executable()
		if err != nil {
			return invocation{}, fmt.Errorf("find own executable: %w", err)
		}
		return invocation{argv: []string{self}, env: []string{env}}, nil
	}
	argv, err := expandCommand(a.Command, t.vars(), t.dir)
	if err != nil {
		return invocation{}, fmt.Errorf("arm %s: %w", a.Name, err)
	}
	return invocation{argv: argv}, nil
}
