package topology

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// panicked makes an error of a recovered panic that says where it happened: the
// line of the user's function. It must be called by the deferred function itself,
// while the frames of the panic are still on the stack.
func panicked(value any) error {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for below := false; ; {
		f, more := frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime.gopanic"), strings.HasPrefix(f.Function, "runtime.sigpanic"):
			below = true
		case below && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Errorf("%w at %s:%d: %v", ErrPanic, filepath.Base(f.File), f.Line, value)
		}
		if !more {
			return fmt.Errorf("%w: %v", ErrPanic, value)
		}
	}
}
