package fencing

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// instance is what the instance file holds. Inode and FileSystem tell which
// directory the id was made in: a copy of the directory (a backup, a volume
// cloned for a second host) has other ones and must not take the id along, or
// two living processes would fence each other for ever. Too strict a comparison
// costs little: a new id leaves the predecessor's open transaction to its
// timeout. A modification or change time would not do, since copies keep the
// one and every chown of a volume moves the other.
type instance struct {
	ID         string `json:"instance_id"`
	Inode      uint64 `json:"inode"`
	FileSystem uint64 `json:"file_system"`
}

// InstanceID returns the configured id after validation. With none configured
// it returns the random one that is kept in the directory, and makes it on
// first use or when the directory turns out to be a copy: stable over restarts,
// and unique, because the directory is locked. Errors match [ErrInvalidID] or
// [ErrCorruptIdentity], or come from the file system. Safe for concurrent use.
func (d *Dir) InstanceID(configured string) (string, error) {
	if configured != "" {
		return configured, ValidateInstanceID(configured)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return "", fs.ErrClosed
	}
	inode, fileSystem, err := whereabouts(d.path)
	if err != nil {
		return "", fmt.Errorf("inspect %s: %w", d.path, err)
	}
	path := d.file(instanceFile)
	var have instance
	err = readSealed(path, &have)
	switch {
	case errors.Is(err, ErrCorruptIdentity):
		return "", fmt.Errorf("read instance id: %w; delete the file, a new id will be made", err)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read instance id: %w", err)
	case err == nil && have.Inode == inode && have.FileSystem == fileSystem:
		if err := ValidateInstanceID(have.ID); err != nil {
			return "", fmt.Errorf("%w: %s: %w", ErrCorruptIdentity, path, err)
		}
		return have.ID, nil
	}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("make instance id: %w", err)
	}
	fresh := instance{ID: hex.EncodeToString(random[:]), Inode: inode, FileSystem: fileSystem}
	if err := writeSealed(path, fresh); err != nil {
		return "", fmt.Errorf("write instance id: %w", err)
	}
	return fresh.ID, nil
}

// syncDir makes a rename in the directory durable.
func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if err := errors.Join(flushDir(f), f.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}
