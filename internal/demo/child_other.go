//go:build !unix

package demo

import (
	"errors"
	"os/exec"
)

const canFreeze = false

func detach(*exec.Cmd) {}

func (c *child) watch() (exit string, killed bool) {
	err := c.cmd.Wait()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		// What package failpoint does here in place of SIGKILL.
		return failed.Error(), failed.ExitCode() == 137
	}
	return "exit status 0", false
}

func (c *child) thaw() error { return errors.ErrUnsupported }

// terminate has no signal to ask with on this system; the end of standard input does.
func (c *child) terminate() { _ = c.stdin.Close() }
