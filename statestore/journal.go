package statestore

// undo is one step back: how something in a store was before it was changed. It
// is one flat struct for the three kinds, since most records append some of them.
type undo struct {
	store *Bytes
	what  undoKind

	at       int // undoEntry: position in the open overlay
	value    []byte
	presence presence

	drops    []keyRange // undoDrop
	observed int64      // undoObserved
}

type undoKind uint8

const (
	undoEntry undoKind = iota
	undoDrop
	undoObserved
)

func (u *undo) apply() {
	switch u.what {
	case undoEntry:
		u.store.open.set(u.at, u.value, u.presence)
	case undoDrop:
		u.store.open.drops = u.drops
	case undoObserved:
		u.store.observed.open = u.observed
	}
}

// Mark begins a record: [State.Rollback] comes back to here.
func (s *State) Mark() {
	clear(s.journal)
	s.journal = s.journal[:0]
}

// Rollback undoes all changes since Mark, or since the open transaction began if
// that is later, so that a record that fails leaves nothing.
func (s *State) Rollback() {
	for i := len(s.journal) - 1; i >= 0; i-- {
		s.journal[i].apply()
	}
	s.Mark()
}
