package statestore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// State holds the stores of one task, and their transactions: one that is open
// and at most one that is sealed, which waits for the outcome of its Kafka
// transaction. It belongs to the task's goroutine.
type State struct {
	base     Base
	stores   []*Bytes // by name, so that Seal has one order
	journal  []undo   // since Mark
	inDoubt  bool     // there is a sealed transaction
	now      int64    // ms
	position *Position
}

// Opener is what stores are opened in: a context, or a test's driver.
type Opener interface{ State() *State }

// NewState returns the state over a base, without stores. The State closes the base.
func NewState(base Base) *State { return &State{base: base} }

// State returns s, which is thus an Opener itself.
func (s *State) State() *State { return s }

// Declare registers a store. Declaring it again is without effect, except that
// another kind under the same name is [ErrDeclared].
func (s *State) Declare(spec Spec) error {
	if d, ok := spec.(declared); ok && d.check() != nil {
		return fmt.Errorf("declare store %q: %w", spec.Name(), d.check())
	}
	at, found := s.search(spec.Name())
	if !found {
		b := &Bytes{state: s, spec: spec, name: spec.Name(), open: newOverlay(), sealed: newOverlay()}
		s.stores = slices.Insert(s.stores, at, b)
		return nil
	}
	if have := s.stores[at].spec.Kind(); have != spec.Kind() {
		return fmt.Errorf("declare %v %q: %w: the name is taken by a %v", spec.Kind(), spec.Name(), ErrDeclared, have)
	}
	return nil
}

// Bytes returns a declared store as the open transaction sees it.
func (s *State) Bytes(store string) (*Bytes, error) {
	at, found := s.search(store)
	if !found {
		return nil, fmt.Errorf("open store %q: %w", store, ErrUndeclared)
	}
	return s.stores[at], nil
}

func (s *State) search(store string) (int, bool) {
	return slices.BinarySearchFunc(s.stores, store, func(b *Bytes, name string) int { return strings.Compare(b.name, name) })
}

// SetTime sets the clock, in ms, against which [TTL] counts.
func (s *State) SetTime(ms int64) { s.now = ms }

// Moved reports whether the open transaction has changed something.
func (s *State) Moved() bool {
	return slices.ContainsFunc(s.stores, func(b *Bytes) bool { return b.open.changed() })
}

// UncommittedBytes returns the size of the keys and values that the open and the
// sealed transaction hold in memory.
func (s *State) UncommittedBytes() int64 {
	var n int64
	for _, b := range s.stores {
		n += b.open.bytes + b.sealed.bytes
	}
	return n
}

// Position returns up to where the changelogs are contained in the base.
func (s *State) Position() (Position, error) {
	if s.position == nil {
		p, err := s.base.Position()
		if err != nil {
			return Position{}, fmt.Errorf("read position: %w", err)
		}
		s.position = &p
	}
	return Position{Changelogs: maps.Clone(s.position.Changelogs)}, nil
}

// Restore applies records of a store's changelog to the base, in their order,
// and sets the store's position to next. Uncommitted changes must not exist.
func (s *State) Restore(store string, records []ChangelogRecord, next int64) error {
	b, err := s.Bytes(store)
	if err != nil {
		return err
	}
	if s.inDoubt || s.Moved() {
		return fmt.Errorf("restore store %q: %w: there are uncommitted changes", store, ErrTransaction)
	}
	writes := make([]Write, 0, len(records))
	for _, r := range records {
		key, value, err := b.spec.FromChangelog(r)
		if err != nil {
			return fmt.Errorf("restore store %q: %w", store, err)
		}
		writes = append(writes, Write{Store: store, Key: key, Value: value})
	}
	b.observed.known = false
	return s.apply(&Changes{Writes: writes}, map[string]int64{store: next})
}

// apply hands changes to the base, with the position that results from what is given.
func (s *State) apply(c *Changes, changelogs map[string]int64) error {
	var err error
	if c.Position, err = s.Position(); err != nil {
		return err
	}
	if c.Position.Changelogs == nil {
		c.Position.Changelogs = map[string]int64{}
	}
	maps.Copy(c.Position.Changelogs, changelogs)
	if err := s.base.Apply(c); err != nil {
		return fmt.Errorf("apply changes: %w", err)
	}
	s.position = &Position{Changelogs: maps.Clone(c.Position.Changelogs)}
	return nil
}

// Close drops what is uncommitted and closes the base.
func (s *State) Close() error {
	s.Abort()
	if err := s.base.Close(); err != nil {
		return fmt.Errorf("close base: %w", err)
	}
	return nil
}
