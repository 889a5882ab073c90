package eosproc

import (
	"fmt"
	"log/slog"
	"maps"
	"strings"

	"github.com/eosproc/eosproc/internal/settings"
)

// Config says how an application runs. The zero value of every field is its default.
type Config struct {
	// ApplicationID is required: the consumer group, the prefix of transactional
	// ids and of internal topics.
	ApplicationID string
	// BootstrapServers is required: brokers to ask first, as host:port.
	BootstrapServers []string
	// Guarantee defaults to [ExactlyOnce].
	Guarantee Guarantee
	// Threads is the number of workers of this process; 0 means 1.
	Threads int
	// StateDir is where the process keeps its identity and its stores.
	StateDir string
	// Properties are Kafka Streams' configuration keys and their values as they
	// would stand in a .properties file, for everything that has no field here.
	// Setting one thing in both places is an error.
	Properties map[string]string
	// Log takes what happens; nil means slog.Default.
	Log *slog.Logger
	// OnState is called when the application's state changes; it must be quick. Nil means no one asks.
	OnState func(from, to State)
}

// Guarantee is processing.guarantee.
type Guarantee string

// The guarantees.
const (
	// ExactlyOnce commits outputs and offsets in one transaction.
	ExactlyOnce Guarantee = Guarantee(settings.ExactlyOnceV2)
	// AtLeastOnce commits offsets after the outputs; a failure repeats outputs.
	AtLeastOnce Guarantee = Guarantee(settings.AtLeastOnce)
	// AtMostOnce commits offsets before processing; a failure loses outputs.
	AtMostOnce Guarantee = Guarantee(settings.AtMostOnce)
)

// settings merges the fields into the properties and parses the whole.
func (c *Config) settings() (settings.Settings, error) {
	props := maps.Clone(c.Properties)
	if props == nil {
		props = map[string]string{}
	}
	var err error
	set := func(key, value string) {
		if value == "" {
			return
		}
		if old, ok := props[key]; ok && old != value {
			err = fmt.Errorf("%s is set twice: %q in a field of Config, %q in Properties", key, value, old)
		}
		props[key] = value
	}
	set("application.id", c.ApplicationID)
	set("bootstrap.servers", strings.Join(c.BootstrapServers, ","))
	set("processing.guarantee", string(c.Guarantee))
	set("state.dir", c.StateDir)
	if c.Threads != 0 {
		set("num.stream.threads", fmt.Sprint(c.Threads))
	}
	if err != nil {
		return settings.Settings{}, err
	}
	s, problems := settings.Parse(props)
	return s, problems.Err()
}
