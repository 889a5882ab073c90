package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// stopGrace is how long an arm may take from SIGTERM to its end: more than a
// commit with a slow broker, less than anyone waits.
const stopGrace = 30 * time.Second

// Usage is what an arm's process has used from start to end.
type Usage struct {
	CPU     time.Duration `json:"cpu_ns"`         // user + system, of the process and the children it waited for
	PeakRSS int64         `json:"peak_rss_bytes"` // of the process itself; 0 where the system does not tell
}

// child is one running arm. Its owner calls stop or kill exactly once.
type child struct {
	name    string
	cmd     *exec.Cmd
	started time.Time
	log     string
	exited  chan struct{}
	waitErr error // valid after exited is closed
}

// startArm starts an arm as a child process. ctx's end kills it. What it
// prints goes to a file in the target's directory.
func startArm(ctx context.Context, a Arm, t target) (*child, error) {
	inv, err := a.invocation(t)
	if err != nil {
		return nil, err
	}
	c := &child{name: a.Name, log: filepath.Join(t.dir, "arm.log"), exited: make(chan struct{})}
	out, err := os.Create(c.log)
	if err != nil {
		return nil, fmt.Errorf("create arm log: %w", err)
	}
	defer out.Close() // the child has its own descriptor
	c.cmd = exec.CommandContext(ctx, inv.argv[0], inv.argv[1:]...)
	c.cmd.Env = append(os.Environ(), inv.env...)
	c.cmd.Stdout, c.cmd.Stderr = out, out
	c.started = time.Now()
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start arm %s: %w", a.Name, err)
	}
	go func() {
		c.waitErr = c.cmd.Wait()
		close(c.exited)
	}()
	return c, nil
}

// gone returns an error once the process has ended, nil while it runs.
func (c *child) gone() error {
	select {
	case <-c.exited:
		return c.exitError()
	default:
		return nil
	}
}

// stop ends the arm with SIGTERM and returns what it has used.
func (c *child) stop() (Usage, error) {
	// Read while it still runs. The kernel's figure at exit (ru_maxrss) is
	// no use: it survives exec, so it includes the pages of the benchmark
	// process that the child was forked from.
	rss := peakRSS(c.cmd.Process.Pid)
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.kill()
		return Usage{}, fmt.Errorf("stop arm %s: %w", c.name, err)
	}
	select {
	case <-c.exited:
	case <-time.After(stopGrace):
		c.kill()
		return Usage{}, fmt.Errorf("stop arm %s: %w: still running %v after SIGTERM%s", c.name, ErrTimeout, stopGrace, c.tail())
	}
	s := c.cmd.ProcessState
	if !endedBySIGTERM(s) {
		return Usage{}, fmt.Errorf("stop arm %s: %w", c.name, c.exitError())
	}
	return Usage{CPU: s.UserTime() + s.SystemTime(), PeakRSS: rss}, nil
}

// kill ends the arm at once and waits for it. It is safe after stop.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // fails only if the process has already ended
	<-c.exited
}

func (c *child) exitError() error {
	return fmt.Errorf("%w: %s%s", ErrArmExited, c.cmd.ProcessState, c.tail())
}

// tail returns the end of the arm's output, as a suffix for an error.
func (c *child) tail() string {
	b, err := os.ReadFile(c.log)
	if err != nil {
		return ""
	}
	const keep = 1000
	text := strings.TrimSpace(string(b[max(0, len(b)-keep):]))
	if text == "" {
		return ""
	}
	return "; it said: " + text
}

// endedBySIGTERM accepts a clean exit and the two ways of ending through the
// signal's default action: killed by it, or 128+15 as the JVM reports it.
func endedBySIGTERM(s *os.ProcessState) bool {
	if s.Success() || s.ExitCode() == 128+int(syscall.SIGTERM) {
		return true
	}
	status, ok := s.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGTERM
}
