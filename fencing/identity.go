package fencing

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Identity says whose state a directory holds.
type Identity struct {
	// ApplicationID is application.id; it also names the directory.
	ApplicationID string `json:"application_id"`
	// ClusterID is Kafka's cluster id. Empty defers the check to
	// [Dir.BindCluster], for a caller that locks before it connects.
	ClusterID string `json:"cluster_id"`
	// Layout is a hash of everything that decides how the bytes in the
	// directory are to be read: stores, their formats, partition counts. Empty
	// means that the caller keeps no such hash, and is compared with nothing.
	Layout string `json:"layout"`
}

// maxIdentityField keeps the file below maxSealed however JSON escapes it.
const maxIdentityField = 256

func (id Identity) validate() error {
	if err := ValidateApplicationID(id.ApplicationID); err != nil {
		return err
	}
	for what, s := range map[string]string{"cluster id": id.ClusterID, "layout hash": id.Layout} {
		if len(s) > maxIdentityField || strings.ContainsFunc(s, unprintable) {
			return fmt.Errorf("%w: %s %q must be at most %d printable ASCII characters", ErrInvalidID, what, s, maxIdentityField)
		}
	}
	return nil
}

func unprintable(r rune) bool { return r < ' ' || r > '~' }

// merge compares the identity in the directory with the wanted one and returns
// what the file should say from now on: a part that was empty is filled in.
func (id Identity) merge(path string, want Identity) (Identity, error) {
	var faults []error
	compare := func(what string, have *string, want, remedy string) {
		switch {
		case want == "" || *have == want:
		case *have == "":
			*have = want
		default:
			faults = append(faults, fmt.Errorf("%w: %s belongs to %s %q, this process runs with %q; %s",
				ErrForeignDirectory, path, what, *have, want, remedy))
		}
	}
	compare("application", &id.ApplicationID, want.ApplicationID, "use another state.dir, or correct application.id")
	compare("cluster", &id.ClusterID, want.ClusterID, "use another state.dir, or correct bootstrap.servers")
	compare("layout", &id.Layout, want.Layout,
		"start the version that wrote it, or move the directory away and let the state be rebuilt from the changelogs")
	return id, errors.Join(faults...)
}

// bind checks the directory's identity against want, and writes it where the
// directory says nothing yet. The lock is held.
func (d *Dir) bind(want Identity) error {
	path := d.file(identityFile)
	var have Identity
	err := readSealed(path, &have)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := d.refuseStrangers(); err != nil {
			return err
		}
		if err := writeSealed(path, want); err != nil {
			return fmt.Errorf("write identity: %w", err)
		}
		d.identity = want
		return nil
	case errors.Is(err, ErrCorruptIdentity):
		return fmt.Errorf("read identity: %w; move the directory away and let the state be rebuilt from the changelogs", err)
	case err != nil:
		return fmt.Errorf("read identity: %w", err)
	}
	merged, err := have.merge(d.path, want)
	if err != nil {
		return err
	}
	if merged != have {
		if err := writeSealed(path, merged); err != nil {
			return fmt.Errorf("write identity: %w", err)
		}
	}
	d.identity = merged
	return nil
}

// BindCluster checks, or notes on first use, the id of the cluster that the
// directory's state came from. It errs with [ErrForeignDirectory] for another
// cluster. Safe for concurrent use.
func (d *Dir) BindCluster(clusterID string) error {
	if clusterID == "" {
		return fmt.Errorf("%w: the cluster id is empty", ErrInvalidID)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return fs.ErrClosed
	}
	want := d.identity
	want.ClusterID = clusterID
	if err := want.validate(); err != nil {
		return err
	}
	return d.bind(want)
}
