//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package fencing

import (
	"errors"
	"io/fs"
	"os"
)

const noFollow = 0

// errHeld means that somebody else holds the lock.
var errHeld = errors.New("held")

// lock refuses: a directory that cannot be locked could have two owners.
func lock(string) (*os.File, error) {
	return nil, errors.New("this platform has no file lock that ends with its process")
}

func whereabouts(string) (inode, fileSystem uint64, err error) { return 0, 0, errors.ErrUnsupported }

func flushDir(f *os.File) error { return f.Sync() }

func worldWritable(fs.FileMode) bool { return false }
