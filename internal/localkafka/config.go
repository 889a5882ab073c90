package localkafka

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Version is the Kafka release that is started.
const Version = "4.4.0"

// Config describes a cluster. The zero value is one broker on a free port with
// transaction.version 2 in a temporary directory.
type Config struct {
	// Brokers is 1 or 3; 0 means 1.
	Brokers int
	// TransactionVersion is the level (0, 1 or 2) of the feature
	// transaction.version at format time; nil means 2.
	TransactionVersion *int
	// Properties override single keys of every broker's server.properties.
	Properties map[string]string
	// Dir holds configuration, logs and data, and is kept when the cluster
	// stops; a later Start continues with its data. Empty means a temporary
	// directory that Stop removes.
	Dir string
	// HeapMB is the maximum heap of each broker in MiB; 0 means 512.
	HeapMB int
	// Port is the first broker's client port; the others follow it. 0 means
	// free ports outside of the kernel's ephemeral range, so that an outgoing
	// connection cannot take a stopped broker's port.
	Port int
	// JVMArgs are added to each broker's command line.
	JVMArgs []string
	// Advertised is called once for each broker before any is started, with
	// its id (from 1) and the address it listens on; it returns the host:port
	// that clients are told, e.g. a proxy's. Brokers talk to each other over a
	// listener of their own and never pass through it. Nil advertises real.
	Advertised func(broker int, real string) (string, error)
	// Detached lets the brokers live on after this process; [Down] ends them.
	// It needs Dir.
	Detached bool
}

// featureLevel is the level given to the storage tool.
func (c Config) featureLevel() int {
	if c.TransactionVersion == nil {
		return 2
	}
	return *c.TransactionVersion
}

func (c Config) withDefaults() Config {
	if c.Brokers == 0 {
		c.Brokers = 1
	}
	if c.HeapMB == 0 {
		c.HeapMB = 512
	}
	if c.Advertised == nil {
		c.Advertised = func(_ int, real string) (string, error) { return real, nil }
	}
	c.Properties = maps.Clone(c.Properties)
	c.JVMArgs = slices.Clone(c.JVMArgs)
	return c
}

// validate returns all faults joined.
func (c Config) validate() error {
	var errs []error
	if c.Brokers != 1 && c.Brokers != 3 {
		errs = append(errs, fmt.Errorf("brokers: want 1 or 3, have %d", c.Brokers))
	}
	if l := c.featureLevel(); l < 0 || l > 2 {
		errs = append(errs, fmt.Errorf("transaction version: want 0, 1 or 2, have %d", l))
	}
	if c.HeapMB < 128 {
		errs = append(errs, fmt.Errorf("heap: want at least 128 MiB, have %d", c.HeapMB))
	}
	if c.Port < 0 || c.Port+c.Brokers > 65536 {
		errs = append(errs, fmt.Errorf("port: want 0 to 65535, have %d", c.Port))
	}
	if c.Detached && c.Dir == "" {
		errs = append(errs, errors.New("detached: needs a directory, or nothing could find the brokers again"))
	}
	for k, v := range c.Properties {
		if strings.ContainsAny(k, "=\r\n ") || strings.ContainsAny(v, "\r\n") {
			errs = append(errs, fmt.Errorf("property %q: a key or value may not hold a line break", k))
		}
	}
	return errors.Join(errs...)
}
