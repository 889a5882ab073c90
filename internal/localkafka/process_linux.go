package localkafka

import (
	"os/exec"
	"syscall"
)

// setChildAttributes gives the child a session of its own, so that a Ctrl-C
// meant for the parent leaves the order of shutdown to the parent, and ties
// its life to the parent's unless it is detached.
func setChildAttributes(cmd *exec.Cmd, detached bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if !detached {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
}
