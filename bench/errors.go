package bench

import "errors"

var (
	// ErrInvalidConfig is wrapped by every error about a setting that the
	// caller gave: an unusable workload, arm, rate or template.
	ErrInvalidConfig = errors.New("invalid benchmark configuration")

	// ErrArmExited is wrapped when an arm's process ended before its work was
	// done, or ended with a failure after it was told to stop.
	ErrArmExited = errors.New("arm exited")

	// ErrTimeout is wrapped when an arm did not finish within the run's
	// timeout.
	ErrTimeout = errors.New("arm did not finish in time")
)
