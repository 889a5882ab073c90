package demo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// note is something that a child did, as seen from outside.
type note struct {
	worker int
	at     time.Time
	kind   noteKind
	line   logLine // of noteLog
	exit   string  // of noteExit: how it ended
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
	wait   sync.WaitGroup
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
	c := &child{worker: worker, cmd: cmd, stdin: hold, notes: notes, done: done}
	logged := make(chan struct{})
	c.wait.Go(func() {
		defer close(logged)
		defer lines.Close()
		c.read(lines, log)
	})
	c.wait.Go(func() {
		exit, killed := c.watch()
		<-logged // what it said last comes before its end
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
	// It fails for a process that has ended, which is what is wanted.
	_ = c.cmd.Process.Kill()
	c.wait.Wait()
	_ = c.stdin.Close() // nothing was written to it
	_ = c.cmd.Process.Release()
}
