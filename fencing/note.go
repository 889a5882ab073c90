package fencing

import (
	"fmt"
	"io/fs"
	"unicode/utf8"
)

const (
	maxNoteName = 64
	// maxNote keeps the file below maxSealed however JSON escapes the value.
	maxNote = 512
)

// note is what a note's file holds. Inode and FileSystem are those of the
// directory, for the same reason as in [instance]: what is noted about this
// process is wrong, and may harm a living one, in a copy of the directory.
type note struct {
	Value      string `json:"value"`
	Inode      uint64 `json:"inode"`
	FileSystem uint64 `json:"file_system"`
}

// Note returns the value that [Dir.SetNote] has kept under the name. It is empty
// when there is none, when the file cannot be read back, and in a copy of the
// directory: a note is a hint from the last run, and a lost hint is not a
// fault. Safe for concurrent use.
func (d *Dir) Note(name string) string {
	if validate("note name", name, maxNoteName) != nil {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return ""
	}
	inode, fileSystem, err := whereabouts(d.path)
	if err != nil {
		return ""
	}
	var n note
	if readSealed(d.noteFile(name), &n) != nil || n.Inode != inode || n.FileSystem != fileSystem {
		return ""
	}
	return n.Value
}

// SetNote keeps a small value under a name in the directory, in place of the one
// before; a crash leaves the old value or the new one. Names are like instance
// ids with at most 64 characters, values are UTF-8 of at most 512 bytes; other
// ones err with [ErrInvalidID], and a closed Dir with [fs.ErrClosed]. Safe for
// concurrent use.
func (d *Dir) SetNote(name, value string) error {
	if err := validate("note name", name, maxNoteName); err != nil {
		return err
	}
	if len(value) > maxNote || !utf8.ValidString(value) {
		return fmt.Errorf("%w: the value of note %q must be UTF-8 of at most %d bytes, it has %d", ErrInvalidID, name, maxNote, len(value))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return fs.ErrClosed
	}
	inode, fileSystem, err := whereabouts(d.path)
	if err != nil {
		return fmt.Errorf("inspect %s: %w", d.path, err)
	}
	if err := writeSealed(d.noteFile(name), note{value, inode, fileSystem}); err != nil {
		return fmt.Errorf("write note %q: %w", name, err)
	}
	return nil
}

// noteFile has a prefix, so that no name meets a file of another kind.
func (d *Dir) noteFile(name string) string { return d.file("note-" + name + ".json") }
