package statestore

// Base holds what is committed of the stores of one task. [NewMemory] and
// pebblestore are the two in this module; storetest is what both must pass.
//
// A Base belongs to the task's goroutine, with one exception: the methods that
// read may be called from others while no [Base.Apply] runs.
type Base interface {
	// Get returns the value of a key, or ok = false if there is none. The value is
	// never modified afterwards and may be kept; the key may be modified by the
	// caller after the call.
	Get(store string, key []byte) (value []byte, ok bool, err error)
	// Scan returns a cursor over the keys in [from, to) in the order of their
	// bytes, or from the last to the first if reverse. A nil from is the
	// beginning, a nil to the end. The cursor shows the store as it was when Scan was called.
	Scan(store string, from, to []byte, reverse bool) Cursor
	// Apply makes the changes of one committed transaction, together with the
	// position that they lead to, or nothing of them. It need not be durable when it
	// returns, but what is durable after a crash is always a prefix of what was applied.
	Apply(c *Changes) error
	// Position returns the position of the last applied changes.
	Position() (Position, error)
	// Close releases the base. No cursor may be open.
	Close() error
}

// Cursor walks over entries of a store.
type Cursor interface {
	// Next moves to the next entry, at first to the first one. It returns false at the
	// end or after an error, which Close returns.
	Next() bool
	// Key returns the entry's key, valid until Next or Close.
	Key() []byte
	// Value returns the entry's value, valid until Next or Close.
	Value() []byte
	// Close ends the walk and returns the error that ended it early, if any.
	Close() error
}

// Position says up to where the changelogs of a task are contained in its stores,
// and what else of the task is committed with them.
type Position struct {
	// Changelogs holds, by store, the offset of the first changelog record that is
	// not contained. A store that is missing has to be restored from the beginning.
	Changelogs map[string]int64
}

// Changes are what one transaction has changed in the stores of a task.
type Changes struct {
	// Drops are made before Writes.
	Drops    []Range
	Writes   []Write
	Position Position
}

// Range are the keys of a store in [From, To); nil is the beginning or the end.
type Range struct {
	Store    string
	From, To []byte
}

// Write sets a key, or removes it if Value is nil. An empty value is not nil. Key and
// Value are never modified after Apply and may be kept. Of several writes to one key
// the last counts.
type Write struct {
	Store      string
	Key, Value []byte
}
