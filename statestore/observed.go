package statestore

// observed is the largest time that was put into a store: what Kafka's stores
// call observedStreamTime. It commits, aborts and rolls back with the store, and is
// not stored: what the base contains tells it once per run.
type observed struct {
	known                   bool
	open, sealed, committed int64 // ms, -1 if nothing was put yet
}

// observedTime returns the store's observed time. recovered finds it in the
// base, and is called before the first write that depends on it.
func (b *Bytes) observedTime(recovered func(*Bytes) (int64, error)) (int64, error) {
	if !b.observed.known {
		t, err := recovered(b)
		if err != nil {
			return 0, err
		}
		b.observed = observed{known: true, open: t, sealed: t, committed: t}
	}
	return b.observed.open, nil
}

// observe advances the observed time, which is known, to t.
func (b *Bytes) observe(t int64) {
	if t > b.observed.open {
		b.state.journal = append(b.state.journal, undo{store: b, what: undoObserved, observed: b.observed.open})
		b.observed.open = t
	}
}
