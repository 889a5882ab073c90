//go:build unix

package localkafka

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// supported says that broker processes can be controlled on this system.
const supported = true

var (
	sigTerm = os.Signal(syscall.SIGTERM)
	sigStop = os.Signal(syscall.SIGSTOP)
	sigCont = os.Signal(syscall.SIGCONT)
)

// lockFile takes an exclusive lock that the kernel releases when the process
// ends. It polls, because a blocking flock cannot be given up when ctx ends.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		}
	}
}

// alive says whether pid is a process whose command line holds mark. A zombie
// and a stranger that got the number later have another command line.
func alive(pid int, mark string) bool {
	if pid <= 0 || syscall.Kill(pid, 0) != nil {
		return false
	}
	line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		line, err = exec.CommandContext(context.Background(), "ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	}
	return err == nil && strings.Contains(string(line), mark)
}

// signalPID is for processes that are not this one's children.
func signalPID(pid int, s os.Signal) error {
	sig, ok := s.(syscall.Signal)
	if !ok {
		return fmt.Errorf("signal %v: not a Unix signal", s)
	}
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal process %d: %w", pid, err)
	}
	return nil
}
