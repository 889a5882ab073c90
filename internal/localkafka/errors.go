package localkafka

import "errors"

var (
	// ErrUnavailable says that no Kafka can be started on this machine; the
	// wrapping text names what is missing.
	ErrUnavailable = errors.New("real Kafka is unavailable")
	// ErrRunning is returned by [Broker.Start] for a broker that already runs.
	ErrRunning = errors.New("broker is already running")
	// ErrNotRunning is returned when a signal is meant for a broker that does
	// not run, and by [Down] for a directory without a running cluster.
	ErrNotRunning = errors.New("broker is not running")
	// ErrLayout is returned for a directory that was formatted with another
	// number of brokers or another transaction.version.
	ErrLayout = errors.New("directory holds a cluster of another layout")
)
