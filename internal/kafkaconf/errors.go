package kafkaconf

import "errors"

var (
	// ErrInvalid marks a setting whose value cannot be used.
	ErrInvalid = errors.New("invalid setting")
	// ErrUnsupported marks a setting that Kafka's clients know and eosproc does not
	// offer; the message names what to use in its place.
	ErrUnsupported = errors.New("unsupported setting")
	// ErrInsecure marks a combination that would send credentials readable for
	// anyone on the network, or leave them readable on the disk.
	ErrInsecure = errors.New("insecure setting")
)
