package fencing

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The files that this package owns in a state directory.
const (
	lockFile     = ".lock"
	identityFile = "identity.json"
	instanceFile = "instance.json"
	tmpSuffix    = ".tmp"
)

// Dir is a locked state directory: <root>/<application.id>. The lock is the
// operating system's lock on an open file, so it ends with the process however
// that ends, and the file that stays behind is no obstacle. Methods are safe
// for concurrent use.
type Dir struct {
	path string

	mu       sync.Mutex
	lock     *os.File // nil once closed
	identity Identity
}

// OpenDir makes (mode 0700) or opens the state directory of the application
// below root, locks it and checks that it belongs to id. It touches no network,
// so that a second process is refused before it disturbs the first one's group
// or transactions.
//
// Errors: [ErrLocked] while another process, or another Dir of this one, has
// it; [ErrForeignDirectory] when it belongs to another application, cluster or
// layout, or is not empty and bears no identity; [ErrUnsafeDirectory] when root
// is the file system's root, the home directory, or a symlink;
// [ErrCorruptIdentity] when the identity cannot be read back; [ErrInvalidID].
// When it errs, nothing that was there has been changed.
func OpenDir(root string, id Identity) (*Dir, error) {
	if err := id.validate(); err != nil {
		return nil, err
	}
	root, err := checkRoot(root)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: filepath.Join(root, id.ApplicationID)}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("make state.dir: %w", err)
	}
	if err := os.Mkdir(d.path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	if err := checkDir(d.path); err != nil {
		return nil, err
	}
	// A stranger's directory is to stay as it is, so it is recognised before the
	// lock file is made. Where there is a lock file, bind decides under the
	// lock: a rival's first start makes that file before all others, and is not
	// to be taken for a stranger.
	if err := d.refuseStrangers(); err != nil {
		_, absent := os.Lstat(d.file(lockFile))
		_, anonymous := os.Lstat(d.file(identityFile))
		if errors.Is(absent, fs.ErrNotExist) && errors.Is(anonymous, fs.ErrNotExist) {
			return nil, err
		}
	}
	if d.lock, err = acquire(d.file(lockFile)); err != nil {
		return nil, err
	}
	err = d.bind(id)
	if err == nil {
		// Not before the directory is known to be ours: the lock file could be
		// a stranger's too.
		err = noteHolder(d.lock)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Path returns the directory.
func (d *Dir) Path() string { return d.path }

// Remote names the network file system that the directory is on, "" for a local
// one or when that cannot be told. Locks of a network file system hold only as
// long as its server and every client agree, so a caller should warn.
func (d *Dir) Remote() string { return remoteFileSystem(d.path) }

// Close releases the lock and leaves every file in place: removing the lock
// file would let a third process lock a file that a second one is waiting for.
// Closing twice is harmless.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return nil
	}
	err := d.lock.Close()
	d.lock = nil
	if err != nil {
		return fmt.Errorf("release state directory: %w", err)
	}
	return nil
}

func (d *Dir) file(name string) string { return filepath.Join(d.path, name) }

// refuseStrangers errs when the directory has entries other than those that a
// first start leaves behind when it is killed before the identity is written.
func (d *Dir) refuseStrangers() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("list state directory: %w", err)
	}
	for _, e := range entries {
		if e.Name() != lockFile && e.Name() != identityFile+tmpSuffix {
			return fmt.Errorf("%w: %s is not empty (%q) and was not made by eosproc; use another state.dir, or move its content away",
				ErrForeignDirectory, d.path, e.Name())
		}
	}
	return nil
}

// checkRoot makes root absolute and refuses places that a person cannot have
// meant. Symlinks further up the path are the operator's business.
func checkRoot(root string) (string, error) {
	if root == "" {
		return "", fmt.Errorf("%w: state.dir is empty", ErrUnsafeDirectory)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("resolve state.dir: %w", err)
	}
	if filepath.Dir(root) == root {
		return "", fmt.Errorf("%w: state.dir %s is the root of the file system; use a directory below it", ErrUnsafeDirectory, root)
	}
	info, err := os.Lstat(root)
	if errors.Is(err, fs.ErrNotExist) {
		return root, nil
	}
	if err != nil {
		return "", fmt.Errorf("inspect state.dir: %w", err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "", fmt.Errorf("%w: state.dir %s is a symlink; name the directory it points to", ErrUnsafeDirectory, root)
	case !info.IsDir():
		return "", fmt.Errorf("%w: state.dir %s is no directory", ErrUnsafeDirectory, root)
	}
	if home, err := os.UserHomeDir(); err == nil {
		if at, err := os.Stat(home); err == nil && os.SameFile(at, info) {
			return "", fmt.Errorf("%w: state.dir %s is the home directory; use a directory below it", ErrUnsafeDirectory, root)
		}
	}
	return root, nil
}

// checkDir refuses a state directory that somebody else could have planted.
// Writable by the group is allowed: Kubernetes sets that on every volume with
// an fsGroup.
func checkDir(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("inspect state directory: %w", err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %s is a symlink; put a directory in its place", ErrUnsafeDirectory, path)
	case !info.IsDir():
		return fmt.Errorf("%w: %s is no directory", ErrUnsafeDirectory, path)
	case worldWritable(info.Mode()):
		return fmt.Errorf("%w: everybody may write to %s; run chmod 700 on it", ErrUnsafeDirectory, path)
	}
	return nil
}

// acquire locks the file at path, making it if needed.
func acquire(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no regular file", ErrUnsafeDirectory, path)
	}
	f, err := lock(path)
	if errors.Is(err, errHeld) {
		return nil, fmt.Errorf("%w: %s is held by %s; stop that process, or use another state.dir",
			ErrLocked, filepath.Dir(path), holder(path))
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}

// noteHolder writes into the lock file who holds it, for holder to read.
func noteHolder(f *os.File) error {
	note := fmt.Sprintf("process %d since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	err := f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(note), 0)
	}
	if err != nil {
		return fmt.Errorf("note the holder in %s: %w", f.Name(), err)
	}
	return nil
}

// holder reads who noted itself in the lock file. It informs a person and
// decides nothing.
func holder(path string) string {
	const nobody = "a process that did not note its number"
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nobody
	}
	b, err := io.ReadAll(io.LimitReader(f, 128))
	if errors.Join(err, f.Close()) != nil {
		return nobody
	}
	note := strings.TrimSpace(string(b))
	if !strings.HasPrefix(note, "process ") || strings.ContainsFunc(note, unprintable) {
		return nobody
	}
	return note
}
