//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fencing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// errHeld means that somebody else holds the lock.
var errHeld = errors.New("held")

// lock takes the flock of the file. A flock belongs to the open file, not to
// the process as a POSIX record lock does: it also excludes a second Dir in the
// same process, and is not lost when the file is read and closed elsewhere.
func lock(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
		if err != nil {
			return nil, err
		}
		if err := flock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		// A lock on a file that was removed or replaced meanwhile excludes
		// nobody: try again on the one that is there now.
		same, err := stillAt(path, f)
		if err == nil && same {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP):
			return fmt.Errorf("the file system does not support locks, use a local disk: %w", err)
		default:
			return err
		}
	}
}

func stillAt(path string, f *os.File) (bool, error) {
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(opened, there), nil
}

// whereabouts returns the inode of path and the id of its file system.
func whereabouts(path string) (inode, fileSystem uint64, err error) {
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return 0, 0, err
	}
	fileSystem, err = fileSystemID(path)
	return uint64(st.Ino), fileSystem, err
}

func flushDir(f *os.File) error { return f.Sync() }

func worldWritable(m fs.FileMode) bool { return m.Perm()&0o002 != 0 }
