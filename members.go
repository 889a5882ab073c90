package eosproc

import (
	"fmt"

	"github.com/eosproc/eosproc/fencing"
)

// members keeps the group members of the workers in the locked state directory.
type members struct{ dir *fencing.Dir }

// LastMember implements [worker.Memory].
func (m *members) LastMember(worker int) string { return m.dir.Note(memberNote(worker)) }

// Remember implements [worker.Memory].
func (m *members) Remember(worker int, memberID string) error {
	return m.dir.SetNote(memberNote(worker), memberID)
}

func memberNote(worker int) string { return fmt.Sprintf("member-%d", worker) }
