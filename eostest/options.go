package eostest

import "time"

// Option changes how a [Driver] works.
type Option func(*Driver)

// WallClock sets the wall clock at the start, which is otherwise 0 ms after the
// Unix epoch. Its precision is a millisecond.
func WallClock(at time.Time) Option { return func(d *Driver) { d.now = at.UnixMilli() } }

// Errors collects failing records and failing punctuations for [Driver.Errors]
// instead of failing the test. The record is skipped, as the exception handler
// "continue" does.
func Errors() Option { return func(d *Driver) { d.collect = true } }
