package pebblestore

import (
	"errors"
	"io/fs"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// disk is the file system that Pebble sees. From the first failed write on it
// writes nothing and claims success, see the package's documentation. Reads and
// locks pass through.
type disk struct {
	vfs.FS
	health *health
}

// write performs a write, unless there is a fault. It reports whether it did.
func (h *health) write(do func() error) bool {
	if h.err() != nil {
		return false
	}
	if err := do(); err != nil {
		h.fail(err)
		return false
	}
	return true
}

// open opens a file for writing; one that cannot be opened is empty.
func (d *disk) open(do func() (vfs.File, error)) (vfs.File, error) {
	var f vfs.File
	if !d.health.write(func() (err error) { f, err = do(); return err }) {
		f = vfs.NewMemFile(nil)
	}
	return &diskFile{File: f, health: d.health}, nil
}

func (d *disk) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.open(func() (vfs.File, error) { return d.FS.Create(name, c) })
}

func (d *disk) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return d.open(func() (vfs.File, error) { return d.FS.OpenReadWrite(name, c, opts...) })
}

func (d *disk) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.open(func() (vfs.File, error) { return d.FS.ReuseForWrite(old, name, c) })
}

// OpenDir opens a directory to sync it.
func (d *disk) OpenDir(name string) (vfs.File, error) {
	f, err := d.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &diskFile{File: f, health: d.health}, nil
}

func (d *disk) Link(old, name string) error {
	d.health.write(func() error { return d.FS.Link(old, name) })
	return nil
}

func (d *disk) Rename(old, name string) error {
	d.health.write(func() error { return d.FS.Rename(old, name) })
	return nil
}

func (d *disk) MkdirAll(dir string, perm os.FileMode) error {
	d.health.write(func() error { return d.FS.MkdirAll(dir, perm) })
	return nil
}

// Remove passes on that there is nothing to remove, which is no fault.
func (d *disk) Remove(name string) error {
	var missing error
	d.health.write(func() error {
		err := d.FS.Remove(name)
		if errors.Is(err, fs.ErrNotExist) {
			missing = err
			return nil
		}
		return err
	})
	return missing
}

func (d *disk) RemoveAll(name string) error {
	d.health.write(func() error { return d.FS.RemoveAll(name) })
	return nil
}

func (d *disk) Unwrap() vfs.FS { return d.FS }

type diskFile struct {
	vfs.File
	health *health
}

func (f *diskFile) Write(p []byte) (int, error) {
	f.health.write(func() error { _, err := f.File.Write(p); return err })
	return len(p), nil
}

func (f *diskFile) WriteAt(p []byte, at int64) (int, error) {
	f.health.write(func() error { _, err := f.File.WriteAt(p, at); return err })
	return len(p), nil
}

func (f *diskFile) Sync() error {
	f.health.write(f.File.Sync)
	return nil
}

func (f *diskFile) SyncData() error {
	f.health.write(f.File.SyncData)
	return nil
}

func (f *diskFile) SyncTo(length int64) (full bool, err error) {
	f.health.write(func() (err error) { full, err = f.File.SyncTo(length); return err })
	return full, nil
}

// Preallocate is a hint that not every file system takes; a full disk shows when it is written.
func (f *diskFile) Preallocate(offset, length int64) error {
	if f.health.err() == nil {
		_ = f.File.Preallocate(offset, length)
	}
	return nil
}

// Close releases the file whether or not there is a fault.
func (f *diskFile) Close() error {
	if err := f.File.Close(); err != nil {
		f.health.fail(err)
	}
	return nil
}
