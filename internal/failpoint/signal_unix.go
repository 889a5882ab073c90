//go:build unix

package failpoint

import (
	"os"
	"syscall"
	"time"
)

// kill waits for the signal to take effect: nothing may happen after it.
func kill() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err == nil {
		select {}
	}
}

// stop waits too: the signal may reach another thread first, and this one would
// run past the step before all are stopped.
func stop() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		panic("failpoint: SIGSTOP: " + err.Error())
	}
	time.Sleep(stopGrace)
}

const stopGrace = 50 * time.Millisecond
