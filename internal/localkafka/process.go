package localkafka

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// process is a running child with one goroutine that waits for it.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed once the child was reaped
	err  error         // of Wait; valid after done
}

// spawn starts cmd with its output appended to the file logPath.
//
// The goroutine stays on one thread for the child's whole life: Linux sends
// the parent-death signal when the *thread* that forked ends, and Go ends idle
// or tainted threads at will, which would kill brokers at random.
func spawn(cmd *exec.Cmd, logPath string, detached bool) (*process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open broker log: %w", err)
	}
	defer log.Close()
	// A plain file, not a pipe: a detached broker must outlive its reader.
	cmd.Stdout, cmd.Stderr = log, log
	setChildAttributes(cmd, detached)
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		p.err = cmd.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// wait returns when the child has ended, or with ctx's error.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
