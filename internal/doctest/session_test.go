//go:build unix

package doctest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience bounds one command; the slowest builds the program.
const patience = 3 * time.Minute

// session is the terminal of one reader of one page.
type session struct {
	t          *testing.T
	dir, cwd   string
	here       here
	env        []string
	kafka      bool
	background []*process
}

func newSession(t *testing.T, bin, repository string) *session {
	t.Helper()
	tree, err := filepath.Abs(root)
	require.NoError(t, err)
	s := &session{t: t, dir: t.TempDir(), here: here{tree: tree, port: freePort(t), second: freePort(t)}}
	s.cwd = filepath.Join(s.dir, "reader")
	require.NoError(t, os.Mkdir(s.cwd, 0o755))
	// A state directory under /tmp is warned about, which would show in outputs.
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(cache, 0o700))
	state, err := os.MkdirTemp(cache, "eosproc-doctest-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(state)) })
	s.env = append(os.Environ(), gitEnv(repository)...)
	s.env = append(s.env,
		"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOBIN="+filepath.Join(s.dir, "gobin"),
		"XDG_STATE_HOME="+state, "KAFKA_BROKERS=127.0.0.1:"+s.here.port,
	)
	t.Cleanup(s.end)
	return s
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return port
}

// command makes a shell that begins where the last block has left the reader.
func (s *session) command(ctx context.Context, text string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", text)
	cmd.Dir, cmd.Env = s.cwd, s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// run executes text and returns what it has printed and its exit code.
func (s *session) run(text string) (output string, code int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	if strings.Contains(text, "make kafka-up") {
		s.stopKafka()
	}
	where := filepath.Join(s.dir, "cwd")
	cmd := s.command(ctx, "trap 'pwd >"+where+"' EXIT\n"+s.here.standins(text))
	out, err := cmd.CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		code = failed.ExitCode()
	} else {
		require.NoError(s.t, err, "%s", text)
	}
	if cwd, err := os.ReadFile(where); err == nil {
		s.cwd = strings.TrimSpace(string(cwd))
	}
	return string(out), code
}

// stopKafka makes sure that a real Kafka does not outlive a page that fails between
// kafka-up and kafka-down. It must be called before the former.
func (s *session) stopKafka() {
	s.t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(s.cwd, "Makefile")); err != nil {
			return // not even cloned
		}
		out, err := s.command(context.Background(), "make kafka-down").CombinedOutput()
		if err != nil {
			s.t.Errorf("stop Kafka: %v\n%s", err, out)
		}
	})
}

// process is a command in the background.
type process struct {
	cmd  *exec.Cmd
	text string
	out  *watched
	done chan error
}

// start runs text until it has printed until, and leaves it running.
func (s *session) start(text, until string) error {
	text = s.here.standins(text)
	p := &process{cmd: s.command(context.Background(), text), text: text, out: newWatched(s.here.standins(until)), done: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	select {
	case <-p.out.found:
		s.background = append(s.background, p)
		return nil
	case err := <-p.done:
		return fmt.Errorf("it ended before it printed %q: %w\n%s", until, errors.Join(err), p.out)
	case <-time.After(patience):
		return errors.Join(fmt.Errorf("it has not printed %q\n%s", until, p.out), p.cmd.Cancel(), <-p.done)
	}
}

// end interrupts what runs in the background, as the reader's Ctrl-C does, the
// latest first. Each must end in order.
func (s *session) end() {
	for i := len(s.background) - 1; i >= 0; i-- {
		p := s.background[i]
		if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
			s.t.Errorf("interrupt %q: %v", p.text, err)
		}
		select {
		case err := <-p.done:
			if err != nil {
				s.t.Errorf("%q has ended with: %v\n%s", p.text, err, p.out)
			}
		case <-time.After(40 * time.Second):
			s.t.Errorf("%q does not end\n%s", p.text, p.out)
			_ = p.cmd.Cancel() // it may have ended just now
			<-p.done
		}
	}
}

// needKafka starts a broker for a page that takes one for granted.
func (s *session) needKafka() error {
	if s.kafka {
		return nil
	}
	s.kafka = true
	return s.start("eosproc broker --topic orders:4 --topic payments:4", "9092")
}

// watched collects output and tells when a text has appeared in it.
type watched struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	until []byte
	once  sync.Once
	found chan struct{}
}

func newWatched(until string) *watched {
	return &watched{until: []byte(until), found: make(chan struct{})}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Write(p)
	if bytes.Contains(w.buf.Bytes(), w.until) {
		w.once.Do(func() { close(w.found) })
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// rightCode reports whether a block may end with an exit code: 0, or one that its
// annotation lists, as in "exit 0 or 1" of a measurement that a busy machine spoils.
func rightCode(b *block, code int) bool {
	rest, ok := b.note("exit")
	if !ok {
		return code == 0
	}
	return slices.Contains(strings.Split(rest, " or "), strconv.Itoa(code))
}

// TestBlocksFail shows that a wrong page is found.
func TestBlocksFail(t *testing.T) {
	empty := t.TempDir()
	for name, b := range map[string]block{
		"failing command":           {lang: "sh", text: "true\nfalse\ntrue\n"},
		"failing part of a pipe":    {lang: "sh", text: "false | cat\n"},
		"success where none is due": {lang: "sh", text: "true\n", notes: []note{{"exit", "2"}}},
		"other output":              {lang: "console", text: "$ echo a\nb\n"},
		"output without a command":  {lang: "console", text: "a\n"},
		"skipped for convenience":   {lang: "sh", text: "eosproc run a.yaml\n", notes: []note{{"skip because", "it is slow"}}},
		"skipped without a reason":  {lang: "sh", text: "docker compose up\n", notes: []note{{"skip because", ""}}},
		"background that ends":      {lang: "sh", text: "true\n", notes: []note{{"background until", "ready"}}},
	} {
		assert.Error(t, newSession(t, empty, empty).execute(&b), name)
	}
	s := newSession(t, empty, empty)
	for _, b := range []block{
		{lang: "sh", text: "mkdir there && cd there && exit 3\n", notes: []note{{"exit", "3"}}},
		{lang: "console", text: "$ basename $PWD\nthere\n$ echo one \\\n  two\none two\n"},
		{lang: "sh", text: "echo ready && exec sleep 60\n", notes: []note{{"background until", "ready"}}},
	} {
		assert.NoError(t, s.execute(&b), b.text)
	}
	p := s.background[0]
	s.background = nil
	require.NoError(t, p.cmd.Cancel())
	assert.Error(t, <-p.done)
}
