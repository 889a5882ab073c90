//go:build linux

package faulttest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long anything may take that a working program does in
// seconds on an idle machine.
const patience = 90 * time.Second

// logged is a line of a worker's log.
type logged struct {
	Time    time.Time `json:"time"`
	Level   string    `json:"level"`
	Message string    `json:"msg"`
	Error   string    `json:"error"`
	Cause   string    `json:"cause"`

	Generation int32 `json:"generation"`
}

// process is one run of a worker process.
type process struct {
	name    string
	failure string // what it was told to do at which step
	cmd     *exec.Cmd
	stdin   io.Closer
	started time.Time
	gone    chan struct{}

	mu    sync.Mutex
	lines []logged
}

// spawn starts a worker process. environment is added to that of the test.
func spawn(t *testing.T, name, binary string, j job, environment ...string) *process {
	t.Helper()
	text, err := json.Marshal(j)
	require.NoError(t, err)
	p := &process{name: name, cmd: exec.Command(binary), gone: make(chan struct{}), started: time.Now()}
	p.cmd.Env = append(append(os.Environ(), jobEnv+"="+string(text)), environment...)
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.gone)
		p.read(stderr)
		// The exit is read from ProcessState; a death by signal is what is wanted.
		_ = p.cmd.Wait()
	}()
	t.Cleanup(p.kill)
	p.failure = strings.Join(environment, " ")
	return p
}

func (p *process) read(r io.Reader) {
	keep, err := os.OpenFile(filepath.Join(os.TempDir(), "eosproc-faulttest.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil || os.Getenv("EOSPROC_FAULT_LOG") == "" {
		keep = nil
	} else {
		defer keep.Close()
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if keep != nil {
			fmt.Fprintf(keep, "%s[%d] %s\n", p.name, p.cmd.Process.Pid, s.Text())
		}
		var l logged
		if json.Unmarshal(s.Bytes(), &l) != nil {
			l = logged{Time: time.Now(), Level: "TEXT", Message: s.Text()}
		}
		p.mu.Lock()
		p.lines = append(p.lines, l)
		p.mu.Unlock()
	}
}

// matching returns the lines of the log that a condition holds for.
func (p *process) matching(holds func(logged) bool) []logged {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []logged
	for _, l := range p.lines {
		if holds(l) {
			out = append(out, l)
		}
	}
	return out
}

func (p *process) said(message string) []logged {
	return p.matching(func(l logged) bool { return l.Message == message })
}

// troubles returns what the log says of aborts and fences, for the test's own log.
func (p *process) troubles() string {
	var b strings.Builder
	for _, l := range p.matching(func(l logged) bool { return l.Level != "DEBUG" && l.Level != "INFO" }) {
		fmt.Fprintf(&b, "\n\t%s %s[%d] %s error=%q cause=%q", l.Time.Format("15:04:05.000"), p.name, p.cmd.Process.Pid, l.Message, l.Error, l.Cause)
	}
	return b.String()
}

// firstCommit returns how long after the start the first commit was made.
func (p *process) firstCommit() (d time.Duration, ok bool) {
	if commits := p.said("committed"); len(commits) > 0 {
		return commits[0].Time.Sub(p.started), true
	}
	return 0, false
}

func (p *process) ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// awaitDeath waits until the process is gone, and requires that it died by SIGKILL.
func (p *process) awaitDeath(t *testing.T) {
	t.Helper()
	select {
	case <-p.gone:
	case <-time.After(patience):
		t.Fatalf("%s did not come to its failpoint%s", p.name, p.troubles())
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	require.True(t, status.Signaled() && status.Signal() == syscall.SIGKILL, "%s ended by itself: %s%s", p.name, p.cmd.ProcessState, p.troubles())
}

// stopped reports whether the process is stopped by SIGSTOP.
func (p *process) stopped() bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return false
	}
	// The state follows the name, which may contain anything but ends with the last parenthesis.
	_, rest, ok := strings.Cut(string(text[strings.LastIndexByte(string(text), ')'):]), " ")
	return ok && strings.HasPrefix(rest, "T")
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(s), "signal %s", p.name)
}

// terminate ends the process in order and returns its exit code.
func (p *process) terminate(t *testing.T) int {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	select {
	case <-p.gone:
	case <-time.After(patience):
		t.Fatalf("%s did not end after SIGTERM%s", p.name, p.troubles())
	}
	return p.cmd.ProcessState.ExitCode()
}

// kill ends the process if it still runs; only then is there anything to do.
func (p *process) kill() {
	if !p.ended() {
		// The only error is that it has ended by now.
		_ = p.cmd.Process.Kill()
		<-p.gone
	}
}

// await polls a condition that comes true by what other processes do.
func await(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("waited %s in vain until %s", limit, what)
		}
	}
}

// messages counts what the log says of aborts and fences.
func (p *process) messages() map[string]int {
	out := map[string]int{}
	for _, l := range p.matching(func(l logged) bool { return l.Level != "DEBUG" && l.Level != "INFO" }) {
		out[l.Message+" "+l.Cause+l.Error]++
	}
	return out
}
