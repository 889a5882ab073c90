package statestore_test

import (
	"testing"

	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/statestore/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Exercise(t, func(*testing.T) statestore.Base { return statestore.NewMemory() })
}
