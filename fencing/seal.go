package fencing

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// sealVersion is the version of the files in this package's format.
	sealVersion = 1
	// maxSealed bounds what is read back: a real file has a few hundred bytes.
	maxSealed = 4 << 10
)

// errNewer tells a file of a later eosproc from a damaged one.
var errNewer = errors.New("written by a newer eosproc")

// sealed is the envelope of the small JSON files in a state directory. The body
// is kept as raw bytes, so that the checksum covers exactly what was written.
type sealed struct {
	Version  int             `json:"version"`
	Body     json.RawMessage `json:"body"`
	Checksum string          `json:"checksum"`
}

func checksum(version int, body []byte) string {
	sum := sha256.Sum256(append(fmt.Appendf(nil, "eosproc %d\n", version), body...))
	return hex.EncodeToString(sum[:])
}

// seal encodes v with version and checksum.
func seal(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode body: %w", err)
	}
	b, err := json.Marshal(sealed{Version: sealVersion, Body: body, Checksum: checksum(sealVersion, body)})
	if err != nil {
		return nil, fmt.Errorf("encode envelope: %w", err)
	}
	return append(b, '\n'), nil
}

// unseal decodes what seal wrote. The version is looked at before the checksum,
// because a later version may compute it in another way.
func unseal(b []byte, v any) error {
	if len(b) > maxSealed {
		return fmt.Errorf("%d bytes are more than the %d that such a file can have", len(b), maxSealed)
	}
	var s sealed
	if err := strict(b, &s); err != nil {
		// A later version may have more fields than this one knows.
		var peek struct {
			Version int `json:"version"`
		}
		if json.Unmarshal(b, &peek) == nil && peek.Version > sealVersion {
			return fmt.Errorf("%w: version %d, this one reads %d", errNewer, peek.Version, sealVersion)
		}
		return fmt.Errorf("decode envelope: %w", err)
	}
	if s.Version > sealVersion {
		return fmt.Errorf("%w: version %d, this one reads %d", errNewer, s.Version, sealVersion)
	}
	if s.Version != sealVersion {
		return fmt.Errorf("version %d does not exist", s.Version)
	}
	if s.Checksum != checksum(s.Version, s.Body) {
		return errors.New("the checksum does not match")
	}
	if err := strict(s.Body, v); err != nil {
		return fmt.Errorf("decode body: %w", err)
	}
	return nil
}

// strict decodes one JSON value with no unknown field and nothing after it.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the value")
	}
	return nil
}

// readSealed reads the file at path into v. It reports fs.ErrNotExist as it is;
// every other fault names the file.
func readSealed(path string, v any) error {
	info, err := os.Lstat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fs.ErrNotExist
		}
		return fmt.Errorf("inspect %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is no regular file", ErrUnsafeDirectory, path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	// One byte more than allowed, so that a file that is too long shows.
	b, err := io.ReadAll(io.LimitReader(f, maxSealed+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	switch err := unseal(b, v); {
	case errors.Is(err, errNewer):
		return fmt.Errorf("%w: %s was %w; start that version, or use another state.dir", ErrForeignDirectory, path, err)
	case err != nil:
		return fmt.Errorf("%w: %s: %w", ErrCorruptIdentity, path, err)
	}
	return nil
}

// writeSealed writes v to path so that a crash leaves the old file or the new
// one: the directory is synced too, or the rename could be lost.
func writeSealed(path string, v any) error {
	b, err := seal(v)
	if err != nil {
		return err
	}
	tmp := path + tmpSuffix
	// A leftover of a crash is replaced; O_EXCL keeps us from writing through
	// whatever else could stand there.
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", tmp, err)
	}
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("create %s: %w", tmp, err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", tmp, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("rename %s: %w", tmp, err)
	}
	return syncDir(filepath.Dir(path))
}
