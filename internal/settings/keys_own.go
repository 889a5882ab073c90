package settings

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/eosproc/eosproc/fencing"
)

// ownKeys are eosproc's, beside those that stand with the keys they belong to.
func ownKeys() []key {
	return []key{
		{name: "eosproc.instance.id", note: "kept in the locked state directory",
			doc:   "This process's part of its transactional ids: the same after a restart, and different from every other living instance (a pod name of a StatefulSet).",
			value: text(func(s *Settings) *string { return &s.InstanceID }, fencing.ValidateInstanceID)},
		{name: "eosproc.transaction.max.records", byDefault: "200000",
			doc:   "Input records after which a transaction ends early; twice what a worker reads in 100 ms at its fastest, so that it binds only with longer intervals.",
			value: integer(1, maxInt32, func(s *Settings) *int { return &s.Transaction.MaxRecords })},
		{name: "eosproc.transaction.max.bytes", byDefault: "67108864",
			doc:   "Output bytes after which a transaction ends early; it bounds the memory and the time of the flush.",
			value: integer(1<<16, 1<<40, func(s *Settings) *int64 { return &s.Transaction.MaxBytes })},
		{name: "eosproc.producers.per.thread", byDefault: "2",
			doc:   "Transactional producers that a worker uses in turn; with one, each transaction waits for the markers of the one before.",
			value: integer(1, 4, func(s *Settings) *int { return &s.Transaction.Producers })},
		{name: "eosproc.shutdown.timeout.ms", byDefault: "30000",
			doc:   "Time for the orderly end; after it the open transaction is aborted.",
			value: millis(0, maxInt32, func(s *Settings) *time.Duration { return &s.ShutdownTimeout })},
		{name: "eosproc.http.address",
			doc:   "Where /metrics, /livez and /readyz listen, as host:port or :port; empty is nowhere.",
			value: text(func(s *Settings) *string { return &s.HTTPAddress }, listenAddress)},
		{name: "eosproc.provenance.headers", byDefault: "false",
			doc:   "Adds topic, partition and offset of the input to every output record.",
			value: boolean(func(s *Settings) *bool { return &s.ProvenanceHeaders })},
	}
}

func notEmpty(text string) error {
	if text == "" {
		return errors.New("must not be empty")
	}
	return nil
}

func listenAddress(address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s is not host:port or :port", quote(address))
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%s has no port from 0 to 65535", quote(address))
	}
	return nil
}
