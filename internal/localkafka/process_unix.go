//go:build unix && !linux

package localkafka

import (
	"os/exec"
	"syscall"
)

// setChildAttributes gives a detached child a session of its own. Others stay
// in the parent's process group: without a parent-death signal, a Ctrl-C that
// reaches both is what ends them.
func setChildAttributes(cmd *exec.Cmd, detached bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: detached}
}
