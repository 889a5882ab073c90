package statestore

import (
	"bytes"
	"fmt"
	"slices"
)

// Seal closes the open transaction, which becomes the sealed one, and opens the
// next. It gives every key that the transaction has changed to log, once and in
// its final form, in the order of store and key, for stores that have a
// changelog. A key that ends as it began is given as well.
//
// A second Seal before Commit or Abort is [ErrTransaction]. After an error of
// log the transaction is sealed nevertheless, and only Abort makes sense.
func (s *State) Seal(log func(ChangelogRecord) error) error {
	if s.inDoubt {
		return fmt.Errorf("seal transaction: %w: the last one is still sealed", ErrTransaction)
	}
	s.inDoubt = true
	s.Mark()
	for _, b := range s.stores {
		b.open, b.sealed = b.sealed, b.open
		b.observed.sealed = b.observed.open
	}
	for _, b := range s.stores {
		if !b.spec.Logging().Enabled {
			continue
		}
		for _, e := range b.sealed.toLog() {
			r := b.spec.ToChangelog(e.key, e.value)
			r.Store = b.name
			if err := log(r); err != nil {
				return fmt.Errorf("log changes of store %q: %w", b.name, err)
			}
		}
	}
	return nil
}

// toLog returns the entries that the changelog is told, in the order of their keys.
func (o *overlay) toLog() []*entry {
	list := make([]*entry, 0, o.live)
	for i := range o.entries {
		if e := &o.entries[i]; e.presence == written || e.presence == deleted {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *entry) int { return bytes.Compare(a.key, b.key) })
	return list
}

// Commit hands the sealed changes to the base. changelogs holds, by store, the
// offset after the last changelog record of the transaction; stores that are
// missing keep their position. After an error the changes are still sealed.
func (s *State) Commit(changelogs map[string]int64) error {
	if !s.inDoubt {
		return fmt.Errorf("commit transaction: %w: nothing is sealed", ErrTransaction)
	}
	var c Changes
	for _, b := range s.stores {
		for _, r := range b.sealed.drops {
			c.Drops = append(c.Drops, Range{Store: b.name, From: r.from, To: r.to})
		}
		c.Writes = slices.Grow(c.Writes, b.sealed.live)
		for i := range b.sealed.entries {
			if e := &b.sealed.entries[i]; e.presence != absent {
				c.Writes = append(c.Writes, Write{Store: b.name, Key: e.key, Value: e.value})
			}
		}
	}
	if err := s.apply(&c, changelogs); err != nil {
		return fmt.Errorf("commit transaction: %w", err)
	}
	for _, b := range s.stores {
		b.sealed.reset()
		b.observed.committed = b.observed.sealed
	}
	s.inDoubt = false
	return nil
}

// Abort drops the open and the sealed transaction: the stores are as the last
// Commit left them.
func (s *State) Abort() {
	for _, b := range s.stores {
		b.open.reset()
		b.sealed.reset()
		b.observed.open, b.observed.sealed = b.observed.committed, b.observed.committed
	}
	s.inDoubt = false
	s.Mark()
}
