package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eosproc/eosproc/fencing"
)

const (
	markerFile   = ".eosproc-demo"
	pipelineFile = "payments.yaml"
	reportFile   = "report.json"
	lockDir      = "supervisor"

	markerText = "This directory belongs to `eosproc demo`, which replaces its own files in it at every run.\n"
)

// directory is the only place that the demo writes to.
type directory struct {
	path string // absolute
	root *os.Root
	lock *fencing.Dir
}

// openDirectory makes the directory, or takes over one that an earlier demo made
// and removes what that one wrote. A directory with content and without the marker
// is left alone ([ErrForeignDirectory]); so is one that a demo is using ([fencing.ErrLocked]).
func openDirectory(path string) (*directory, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find directory: %w", err)
	}
	if err := claim(path); err != nil {
		return nil, err
	}
	d := &directory{path: path}
	if d.lock, err = fencing.OpenDir(path, fencing.Identity{ApplicationID: lockDir}); err != nil {
		return nil, fmt.Errorf("lock directory: %w", err)
	}
	if d.root, err = os.OpenRoot(path); err != nil {
		return nil, errors.Join(fmt.Errorf("open directory: %w", err), d.lock.Close())
	}
	for _, name := range ownNames() {
		if err := d.root.RemoveAll(name); err != nil {
			return nil, errors.Join(fmt.Errorf("remove what the last demo wrote: %w", err), d.close())
		}
	}
	if err := d.write(pipelineFile, pipelineYAML); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// claim makes sure that the directory exists and bears the marker.
func claim(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(path, 0o755); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	case err != nil:
		return fmt.Errorf("inspect directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%w: %s is not a directory; choose another one with --dir", ErrForeignDirectory, path)
	}
	marker := filepath.Join(path, markerFile)
	info, err = os.Lstat(marker)
	switch {
	case err == nil && info.Mode().IsRegular():
		return nil
	case err == nil || !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s is not a regular file; choose another directory with --dir", ErrForeignDirectory, marker)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("read directory: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%w: %s holds %s and no marker of an earlier demo; choose another directory with --dir", ErrForeignDirectory, path, entries[0].Name())
	}
	if err := os.WriteFile(marker, []byte(markerText), 0o644); err != nil {
		return fmt.Errorf("mark directory: %w", err)
	}
	return nil
}

// ownNames are the names that a run writes, besides the marker and the lock.
func ownNames() []string {
	names := []string{pipelineFile, reportFile}
	for n := range workers {
		names = append(names, workerName(n+1), logName(n+1))
	}
	return names
}

func workerName(n int) string { return fmt.Sprintf("worker-%d", n) }
func logName(n int) string    { return workerName(n) + ".log" }

// file returns the absolute path of a name in the directory.
func (d *directory) file(name string) string { return filepath.Join(d.path, name) }

func (d *directory) write(name string, data []byte) error {
	if err := d.root.WriteFile(name, data, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (d *directory) close() error { return errors.Join(d.root.Close(), d.lock.Close()) }
