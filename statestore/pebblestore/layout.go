package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	marker   = "EOSPROC"
	unmarked = marker + ".new"
	lock     = "LOCK"

	// The layout of keys and values; another number is another layout.
	layout = "1"

	// A marker is short; what is longer was not written here.
	maxMarker = 64 << 10
)

func markerText(owner string) string {
	return fmt.Sprintf("eosproc state\nlayout %s\nowner %q\n", layout, owner)
}

// checkLayout says whether a directory is this owner's state, without changing
// anything. It returns false if it is empty or does not exist.
func checkLayout(fsys vfs.FS, dir, owner string) (bool, error) {
	f, err := fsys.Open(fsys.PathJoin(dir, marker))
	if errors.Is(err, fs.ErrNotExist) {
		return false, checkEmpty(fsys, dir)
	}
	if err != nil {
		return false, explain(dir, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxMarker))
	if err := errors.Join(err, f.Close()); err != nil {
		return false, explain(dir, err)
	}
	want := markerText(owner)
	if string(text) == want {
		return true, nil
	}
	return false, fmt.Errorf("%w: %s says %q, expected %q: give each application and version of the layout its own directory; "+
		"an empty one is filled from the changelogs", ErrLayout, fsys.PathJoin(dir, marker), oneLine(string(text)), oneLine(want))
}

func checkEmpty(fsys vfs.FS, dir string) error {
	names, err := fsys.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explain(dir, err)
	}
	for _, n := range names {
		if n != lock && n != unmarked {
			return fmt.Errorf("%w: %s has no file %s but holds %q: name an empty directory, or one that does not exist", ErrLayout, dir, marker, n)
		}
	}
	return nil
}

func oneLine(s string) string {
	return strings.ReplaceAll(strings.TrimSpace(s), "\n", ", ")
}

// writeMarker makes an empty directory ours. The name appears after the text is on the disk.
func writeMarker(d *disk, dir, owner string) error {
	name := d.PathJoin(dir, unmarked)
	f, err := d.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, markerText(owner))
	if err := errors.Join(err, f.Sync(), f.Close(), d.Rename(name, d.PathJoin(dir, marker))); err != nil {
		return err
	}
	parent, err := d.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}
