package pebblestore

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// logger is where Pebble reports. After a fault it is out of touch with the disk,
// and what it says about that is of no use.
type logger struct{ *health }

func (l logger) Infof(format string, args ...any) {
	l.log.Debug("pebble", "message", fmt.Sprintf(format, args...))
}

func (l logger) Errorf(format string, args ...any) {
	if l.err() == nil {
		l.log.Error("pebble", "message", fmt.Sprintf(format, args...))
	}
}

// Fatalf must stop the process in Pebble's eyes; here it stops the state.
func (l logger) Fatalf(format string, args ...any) {
	_ = l.fail(fmt.Errorf(format, args...))
}

func events(h *health) *pebble.EventListener {
	return &pebble.EventListener{
		// A job that failed is tried again at once, without end. Failed writes do
		// not get here, so it is damage, or a disk that cannot be read.
		BackgroundError: func(err error) { _ = h.fail(err) },
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			if h.err() == nil {
				_ = h.fail(corrupt(h.dir, fmt.Errorf("%s: %w", info.Path, info.Details)))
			}
		},
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) {
			h.log.Warn("state waits for the disk", "dir", h.dir, "reason", info.Reason)
		},
	}
}
