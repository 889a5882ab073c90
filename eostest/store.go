package eostest

import "github.com/eosproc/eosproc/statestore"

// Opener returns where a store of the topology is opened, to look into it or
// to fill it:
//
//	balance, ok, err := balances.Open(d.Opener(balances)).Get("ann")
//
// The test fails if no operator has the store.
func (d *Driver) Opener(store statestore.Spec) statestore.Opener {
	d.t.Helper()
	state, ok := d.states[store.Name()]
	if !ok {
		d.t.Fatalf("eostest: the topology has no store %q", store.Name())
	}
	return state
}
