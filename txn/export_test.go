package txn

import "time"

// Outlive makes every transaction count as older than its timeout.
func (s *Session) Outlive() { s.cfg.Timeout = time.Nanosecond }

// StampOf returns the stamp of a commit.
func (s *Session) StampOf(number uint64) Stamp { return s.stamp(&Sealed{Number: number}) }
