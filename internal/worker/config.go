package worker

import (
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
	"github.com/eosproc/eosproc/txn"
)

// Config is what a worker needs.
type Config struct {
	// Index counts the workers of a process from 1.
	Index      int
	InstanceID string
	Settings   settings.Settings
	Topology   *topology.Topology
	// Client are the options by which to connect.
	Client []kgo.Opt
	// Dial is how Client opens connections; nil means that fetches are not paced.
	Dial Dial
	// MaxRecordBytes returns how large a record a topic takes; nil means no limit.
	MaxRecordBytes func(topic string) int
	// Memory keeps the id of the worker's group member between runs; nil if there
	// is no directory for it.
	Memory Memory
	// Observer is told what happens; nil means that no one asks.
	Observer Observer
	Log      *slog.Logger
}

// Memory keeps the member id of a worker, so that the next run of this process
// can take a killed predecessor out of the group at once.
type Memory interface {
	// LastMember returns the member id of the predecessor, empty if unknown.
	LastMember(worker int) string
	// Remember keeps the member id.
	Remember(worker int, memberID string) error
}

// transactionalIDs returns the ids of the rotation (R10).
func (c *Config) transactionalIDs() ([]fencing.TransactionalID, error) {
	ids := make([]fencing.TransactionalID, c.Settings.Transaction.Producers)
	for slot := range ids {
		id, err := fencing.NewTransactionalID(c.Settings.ApplicationID, c.InstanceID, c.Index, slot)
		if err != nil {
			return nil, err
		}
		ids[slot] = id
	}
	return ids, nil
}

func (c *Config) mode() txn.Mode {
	if c.Settings.Guarantee == settings.ExactlyOnceV2 {
		return txn.Transactional
	}
	return txn.Idempotent
}

func (c *Config) tasks(observe task.Observer) *task.Config {
	e := c.Settings.Errors
	return &task.Config{
		ApplicationID: c.Settings.ApplicationID,
		MaxIdle:       c.Settings.Tasks.MaxIdle,
		Timeout:       c.Settings.Tasks.Timeout,
		Handlers: task.Handlers{
			Deserialization: action(e.Deserialization), Processing: action(e.Processing), Production: action(e.Production),
			DeadLetterTopic: e.DeadLetterTopic,
			Retries:         e.RetryAttempts, Backoff: e.RetryBackoff, MaxBackoff: e.RetryBackoffMax,
		},
		MaxRecordBytes: c.MaxRecordBytes,
		Now:            time.Now,
		Observe:        observe,
	}
}

func action(h settings.Handler) task.Action {
	switch h {
	case settings.HandlerContinue:
		return task.Continue
	case settings.HandlerDeadLetter:
		return task.DeadLetter
	default:
		return task.Fail
	}
}
