//go:build unix

package demo

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
)

// canFreeze tells whether a process can be stopped and continued.
const canFreeze = true

// detach keeps a Ctrl-C at the terminal from the children: they are ended in order.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// watch waits for the process's end and tells of each stop before it. os.Process
// does not report stops, so that the waiting is done here.
func (c *child) watch() (exit string, killed bool) {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return fmt.Sprintf("wait: %v", err), false
		case status.Stopped():
			c.tell(note{kind: noteStopped})
		case status.Signaled():
			return "signal: " + status.Signal().String(), status.Signal() == syscall.SIGKILL
		case status.Exited():
			return fmt.Sprintf("exit status %d", status.ExitStatus()), false
		}
	}
}

// thaw lets a stopped process go on.
func (c *child) thaw() error {
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return fmt.Errorf("continue worker %d: %w", c.worker, err)
	}
	return nil
}

// terminate asks for an orderly end; it fails only for a process that has ended.
func (c *child) terminate() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	_ = c.cmd.Process.Signal(syscall.SIGCONT) // a stopped one would not hear it
}
