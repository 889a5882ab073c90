//go:build eosproc_seeded

package seeded

import "os"

var active = Fault(os.Getenv("EOSPROC_SEEDED"))

// Is reports whether a fault is active.
func Is(f Fault) bool { return f == active }
