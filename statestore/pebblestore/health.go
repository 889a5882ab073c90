package pebblestore

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

// health remembers the first fault, which every later call returns.
type health struct {
	dir    string
	log    *slog.Logger
	fault  atomic.Pointer[error]
	jammed atomic.Bool
}

// err returns the first fault, or nil.
func (h *health) err() error {
	if p := h.fault.Load(); p != nil {
		return *p
	}
	return nil
}

// fail records a fault unless there is one already, and returns the first.
func (h *health) fail(err error) error {
	err = explain(h.dir, err)
	if h.fault.CompareAndSwap(nil, &err) {
		h.log.Error("state stopped", "dir", h.dir, "error", err)
	}
	return h.err()
}

// end makes later calls return ErrClosed.
func (h *health) end() {
	closed := ErrClosed
	h.fault.CompareAndSwap(nil, &closed)
}

// judge returns what a call that ended with err has to return: the fault, if there
// is one, else what err means.
func (h *health) judge(err error) error {
	if fault := h.err(); fault != nil {
		return fault
	}
	return explain(h.dir, err)
}

// caught turns a panic of Pebble into a fault. Pebble may have died holding
// locks, so it cannot be closed any more.
func (h *health) caught(err *error) {
	if p := recover(); p != nil {
		h.jammed.Store(true)
		h.log.Error("pebble panicked", "dir", h.dir, "panic", p, "stack", string(debug.Stack()))
		if cause, ok := p.(error); ok {
			*err = h.fail(cause)
		} else {
			*err = h.fail(fmt.Errorf("pebble: %v", p))
		}
	}
}
