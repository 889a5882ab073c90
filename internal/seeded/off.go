//go:build !eosproc_seeded

package seeded

// Is reports whether a fault is active; it never is in this build.
func Is(Fault) bool { return false }
