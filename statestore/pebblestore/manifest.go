package pebblestore

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// pageSize is what disks write at once: a crash cuts a file off, or leaves
// zeros in it, at a multiple of it.
const pageSize = 4096

// checkManifest looks for damage in Pebble's list of its files. Pebble takes any
// record that it cannot read for the end of the list, as after a crash; but one
// that was synced and has rotted would then hide tables whose log is gone already: a
// hole instead of a prefix. So what a crash does not leave is damage.
func checkManifest(fsys vfs.FS, dir string) error {
	desc, err := pebble.Peek(dir, fsys)
	if err != nil || !desc.Exists {
		return err
	}
	f, err := fsys.Open(desc.ManifestFilename)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	r := record.NewReader(bytes.NewReader(data), 0)
	for err == nil {
		var rec io.Reader
		if rec, err = r.Next(); err == nil {
			_, err = io.Copy(io.Discard, rec)
		}
	}
	if err == io.EOF || err == record.ErrZeroedChunk || cutOff(data) {
		return nil
	}
	return corrupt(dir, fmt.Errorf("%s: %w", desc.ManifestFilename, err))
}

// cutOff reports whether a file ends as after a crash.
func cutOff(data []byte) bool {
	return len(bytes.Trim(data[len(data)/pageSize*pageSize:], "\x00")) == 0
}
