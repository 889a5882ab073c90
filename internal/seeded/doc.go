// Package seeded holds faults that are put in on purpose, to prove that the
// checks of package faulttest would catch them: a check that passes a broken
// build is worthless.
//
// Without the build tag eosproc_seeded, [Is] is false and the compiler leaves
// nothing of the faults in the program. With it, the environment variable
// EOSPROC_SEEDED names the fault that is active. It must not be used for
// anything but that.
package seeded

// Fault is the name of a fault.
type Fault string

// The faults.
const (
	// GenerationLeftOut sends offsets without proof of membership.
	GenerationLeftOut Fault = "generation_left_out"
	// AbortIgnored commits a transaction although a record of it failed.
	AbortIgnored Fault = "abort_ignored"
	// UnknownCommitted takes an EndTxn without an answer for a commit.
	UnknownCommitted Fault = "unknown_committed"
	// WrongRewind reads on behind the committed offset after an abort.
	WrongRewind Fault = "wrong_rewind"
)
