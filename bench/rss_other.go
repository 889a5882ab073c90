//go:build !linux

package bench

// peakRSS returns 0, unknown: only Linux tells a running process's peak.
func peakRSS(int) int64 { return 0 }
