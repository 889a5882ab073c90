package fencing

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const noFollow = 0

// errHeld means that somebody else holds the lock.
var errHeld = errors.New("held")

// errorSharingViolation is ERROR_SHARING_VIOLATION, which syscall does not name.
const errorSharingViolation = syscall.Errno(32)

// lock opens the file for writing and shares it for reading only: Windows then
// refuses a second writer until the handle is closed, by whatever end of the
// process. Readers still see who holds it.
func lock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, errHeld
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), path), nil
}

// whereabouts returns the file index and volume serial number of path.
func whereabouts(path string) (inode, fileSystem uint64, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0, err
	}
	const share = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE
	h, err := syscall.CreateFile(name, 0, share, nil, syscall.OPEN_EXISTING, syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return 0, 0, err
	}
	var info syscall.ByHandleFileInformation
	err = errors.Join(syscall.GetFileInformationByHandle(h, &info), syscall.CloseHandle(h))
	return uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow), uint64(info.VolumeSerialNumber), err
}

// flushDir does nothing: Windows has no sync of a directory, and orders the
// rename in its own journal.
func flushDir(*os.File) error { return nil }

// worldWritable is always false: the mode says nothing about Windows' ACLs.
func worldWritable(fs.FileMode) bool { return false }
