//go:build !unix

package localkafka

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

// supported is false: without SIGTERM and SIGSTOP a broker can be neither
// stopped in order nor frozen.
const supported = false

var (
	sigTerm = os.Kill
	sigStop = os.Kill
	sigCont = os.Kill
)

func setChildAttributes(*exec.Cmd, bool) {}

func lockFile(context.Context, string) (func(), error) { return nil, errors.ErrUnsupported }

func alive(int, string) bool { return false }

func signalPID(int, os.Signal) error { return errors.ErrUnsupported }
