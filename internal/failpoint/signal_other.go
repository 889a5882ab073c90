//go:build !unix

package failpoint

import "os"

func kill() { os.Exit(137) }

// stop cannot freeze a process here, so it ends it rather than pretend.
func stop() { os.Exit(137) }
