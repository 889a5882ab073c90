package restore

import (
	"errors"

	"github.com/eosproc/eosproc/statestore"
)

var (
	// ErrAhead is returned if a store contains more than its changelog: the topic was
	// truncated or made anew.
	ErrAhead = errors.New("the store is ahead of its changelog, which was truncated or made anew: restore the topic, or delete the task's state to build it from what the topic holds")
	// ErrMissing is returned if a changelog does not exist.
	ErrMissing = errors.New("the changelog topic does not exist")
)

// Changelog is a partition of a changelog topic and the store that it restores.
type Changelog struct {
	Topic     string
	Partition int32
	// Position is the offset of the first record that the store does not contain;
	// negative if it contains none.
	Position int64
	// Apply puts committed records into the store and sets its position to next. What
	// it is given may be kept.
	Apply func(records []statestore.ChangelogRecord, next int64) error
	// Wipe empties the store, because the changelog no longer holds what follows its position.
	Wipe func() error
}

// Listener is told of the progress, from the goroutines of [Run]. Functions may be nil.
type Listener struct {
	// Began says that the changelog will be read from one offset up to another.
	Began func(c *Changelog, from, to int64)
	// Restored says how many records were applied, and up to which offset.
	Restored func(c *Changelog, records int, next int64)
	// Ended says that the store is complete.
	Ended func(c *Changelog)
}

func (l *Listener) began(c *Changelog, from, to int64) {
	if l.Began != nil {
		l.Began(c, from, to)
	}
}

func (l *Listener) restored(c *Changelog, records int, next int64) {
	if l.Restored != nil {
		l.Restored(c, records, next)
	}
}

func (l *Listener) ended(c *Changelog) {
	if l.Ended != nil {
		l.Ended(c)
	}
}
