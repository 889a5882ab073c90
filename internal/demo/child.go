package demo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// note is something that a child did, as seen from outside.
type note struct {
	worker int
	at     time.Time
	kind   noteKind
	line   logLine // of noteLog
	exit   string  // of noteExit: how it ended, and its own last word
	killed bool    // of noteExit: by SIGKILL
}

type noteKind uint8

const (
	noteLog noteKind = iota
	noteStopped
	noteExit
)

// child is one life of a worker process.
type child struct {
	worker int
	cmd    *exec.Cmd
	stdin  *os.File // its end tells the child that the demo is gone
	notes  chan<- note
	done   <-chan struct{} // of the demo: nobody takes notes any more
	gone   chan struct{}   // closed when the process has ended
	wait   sync.WaitGroup
	error  string // what a program prints last when it fails; of the reading goroutine until that has ended
}

// startChild starts a worker whose log goes to log, line by line, and to notes.
func startChild(worker int, cmd *exec.Cmd, log io.Writer, notes chan<- note, done <-chan struct{}) (*child, error) {
	stdin, hold, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	defer stdin.Close()
	lines, stderr, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make pipe: %w", err), hold.Close())
	}
	defer stderr.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stderr, stderr
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start worker %d: %w", worker, err), hold.Close(), lines.Close())
	}
	c := &child{worker: worker, cmd: cmd, stdin: hold, notes: notes, done: done, gone: make(chan struct{})}
	logged := make(chan struct{})
	c.wait.Go(func() {
		defer close(logged)
		defer lines.Close()
		c.read(lines, log)
	})
	c.wait.Go(func() {
		exit, killed := c.watch()
		close(c.gone)
		<-logged // what it said last comes before its end
		if c.error != "" {
			exit += ": " + c.error
		}
		c.tell(note{kind: noteExit, exit: exit, killed: killed})
	})
	return c, nil
}

// maxLine is longer than any line that a worker logs; a longer one is cut.
const maxLine = 64 << 10

func (c *child) read(lines io.Reader, log io.Writer) {
	r := bufio.NewReaderSize(lines, maxLine)
	for {
		line, err := r.ReadSlice('\n')
		if len(line) > 0 {
			// A log that cannot be written must not stop the worker that writes it.
			_, _ = log.Write(line)
			if parsed, ok := parseLog(line); ok {
				c.tell(note{kind: noteLog, line: parsed})
			} else if text, ok := strings.CutPrefix(string(line), "Error: "); ok {
				c.error = strings.TrimSpace(text)
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (c *child) tell(n note) {
	n.worker, n.at = c.worker, time.Now()
	select {
	case c.notes <- n:
	case <-c.done:
	}
}

// end makes sure that the process has ended, and frees what it held. Notes must no
// longer be wanted.
func (c *child) end() {
	select {
	case <-c.gone: // its number may be another process's by now
	default:
		_ = c.cmd.Process.Kill() // it fails for a process that has just ended
	}
	c.wait.Wait()
	_ = c.stdin.Close() // nothing was written to it
	_ = c.cmd.Process.Release()
}
