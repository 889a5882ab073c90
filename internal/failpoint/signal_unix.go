//go:build unix

package failpoint

import (
	"os"
	"syscall"
)

// kill waits for the signal to take effect: nothing may happen after it.
func kill() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err == nil {
		select {}
	}
}

func stop() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		panic("failpoint: SIGSTOP: " + err.Error())
	}
}
