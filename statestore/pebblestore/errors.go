package pebblestore

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
)

var (
	// ErrLayout is returned by [Open] for a directory that holds something else:
	// another application's state, another layout, or files of another program.
	// Nothing has been changed in it.
	ErrLayout = errors.New("directory is not this application's state")

	// ErrLocked is returned by [Open] if the directory is open already.
	ErrLocked = errors.New("state directory is in use")

	// ErrReadOnly is wrapped by errors about a directory that cannot be written.
	ErrReadOnly = errors.New("state directory is not writable")

	// ErrDiskFull is wrapped by errors about a full disk or quota.
	ErrDiskFull = errors.New("disk is full")

	// ErrCorrupt is wrapped by errors about bytes that cannot have been written.
	ErrCorrupt = errors.New("state is corrupt")

	// ErrInUse is returned when a task is opened twice, when an open task is
	// dropped, and when something is closed before what was opened from it.
	ErrInUse = errors.New("still in use")

	// ErrClosed is returned by calls after Close.
	ErrClosed = errors.New("state is closed")

	// ErrTooLarge is returned by [Task.Apply] for changes that do not fit a
	// batch: [MaxChanges] bytes, or 65 535 stores of a task. Nothing is applied.
	ErrTooLarge = errors.New("changes are too large")
)

// explain says what an error of the disk or of Pebble means and what to do.
func explain(dir string, err error) error {
	switch {
	case err == nil || known(err):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: free space for %s and start again, nothing committed is lost: %w", ErrDiskFull, dir, err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: make %s writable for this user: %w", ErrReadOnly, dir, err)
	case pebble.IsCorruptionError(err), errors.Is(err, fs.ErrNotExist):
		return corrupt(dir, err)
	}
	return fmt.Errorf("state directory %s: %w", dir, err)
}

func corrupt(dir string, err error) error {
	return fmt.Errorf("%w: move %s away and start again, the state is restored from the changelogs: %w", ErrCorrupt, dir, err)
}

func known(err error) bool {
	for _, e := range []error{ErrLayout, ErrLocked, ErrReadOnly, ErrDiskFull, ErrCorrupt, ErrInUse, ErrClosed, ErrTooLarge} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
