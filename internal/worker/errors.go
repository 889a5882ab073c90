package worker

import "errors"

// Errors of this package.
var (
	// ErrNoOffset means that a partition has no committed offset and that the
	// configuration (auto.offset.reset=none) leaves the choice to a person.
	ErrNoOffset = errors.New("no committed offset, and auto.offset.reset is none: commit one for the group or choose earliest or latest")
	// ErrOutOfRange means that the committed offset is no longer, or not yet, in the log.
	ErrOutOfRange = errors.New("committed offset is outside of the log: records were deleted, or the topic was truncated or recreated; reset the group's offsets to go on")
	// ErrOffsetVanished means that a partition that had a committed offset has none any more.
	ErrOffsetVanished = errors.New("the committed offset is gone: the group's offsets were deleted or have expired while it was running")
	errEstranged      = errors.New("the group has removed this member, which joins anew")
	errLost           = errors.New("partitions were lost")
	// ErrAborted means that the worker was told to stop at once.
	ErrAborted = errors.New("aborted")
)
