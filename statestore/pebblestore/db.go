package pebblestore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// DB is the state of all tasks of a process. Its methods may be called by several
// goroutines; Close must be the last call.
type DB struct {
	dir     string
	pebble  *pebble.DB
	lock    *pebble.Lock
	health  *health
	cursors atomic.Int64

	mu    sync.Mutex
	ids   map[string]uint32 // tasks that are present, with their numbers
	open  map[string]*Task
	next  uint32
	ended bool
}

// Open opens the state in a directory, or begins an empty one there. Errors wrap
// [ErrLayout], [ErrLocked], [ErrReadOnly], [ErrDiskFull] or [ErrCorrupt] and say what to do.
func Open(dir string, opts Options) (*DB, error) {
	opts = opts.withDefaults()
	h := &health{dir: dir, log: opts.Log}
	d := &disk{FS: opts.FS, health: h}

	// Before anything is written, so that a wrong directory stays as it was.
	if _, err := checkLayout(opts.FS, dir, opts.Owner); err != nil {
		return nil, err
	}
	held, err := lockDir(d, dir)
	if err != nil {
		return nil, err
	}
	db := &DB{dir: dir, lock: held, health: h, ids: map[string]uint32{}, open: map[string]*Task{}}
	if err := h.judge(db.load(d, opts)); err != nil {
		_ = db.release() // The first error is the cause.
		return nil, err
	}
	return db, nil
}

func lockDir(d *disk, dir string) (*pebble.Lock, error) {
	// State is as private as the records that it is made of. The error is d's
	// first fault, told below with its remedy.
	_ = d.MkdirAll(dir, 0o700)
	if err := d.health.err(); err != nil {
		return nil, err
	}
	held, err := pebble.LockDirectory(dir, d)
	var path *fs.PathError
	switch {
	case err == nil:
		return held, nil
	case errors.As(err, &path):
		return nil, explain(dir, err) // The file could not even be created.
	}
	return nil, fmt.Errorf("%w: %s: stop the other process, or give each its own directory: %w", ErrLocked, dir, err)
}

func (db *DB) load(d *disk, opts Options) (err error) {
	defer db.health.caught(&err)
	marked, err := checkLayout(opts.FS, db.dir, opts.Owner)
	if err != nil {
		return err
	}
	if !marked {
		if err := d.health.judge(writeMarker(d, db.dir, opts.Owner)); err != nil {
			return err
		}
	}
	if err := checkManifest(opts.FS, db.dir); err != nil {
		return err
	}
	if db.pebble, err = pebble.Open(db.dir, opts.pebble(d, db.lock)); err != nil {
		return err
	}
	return db.loadTasks()
}

// Err returns the fault that stopped the state, or nil.
func (db *DB) Err() error { return db.health.err() }

// Flush makes all that was applied durable, and lets the next Open start without
// replaying a log.
func (db *DB) Flush() (err error) {
	if err := db.health.err(); err != nil {
		return err
	}
	defer db.health.caught(&err)
	return db.health.judge(db.pebble.Flush())
}

// Close makes all that was applied durable and gives the directory free. With
// tasks open it returns [ErrInUse] and does nothing. After a fault it returns the
// fault, and what is on the disk is what was there when it happened. A second call returns nil.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.ended {
		return nil
	}
	for id := range db.open {
		return fmt.Errorf("close state: %w: task %s", ErrInUse, id)
	}
	db.ended = true
	err := db.release()
	db.health.end()
	return err
}

// release closes Pebble and gives up the lock.
func (db *DB) release() (err error) {
	defer db.health.caught(&err)
	if db.pebble != nil && !db.health.jammed.Load() {
		err = db.pebble.Close()
	}
	return db.health.judge(errors.Join(err, db.lock.Close()))
}

// get returns a copy of the value of one of Pebble's keys.
func (db *DB) get(key []byte) (value []byte, ok bool, err error) {
	if err := db.health.err(); err != nil {
		return nil, false, err
	}
	defer db.health.caught(&err)
	v, closer, err := db.pebble.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, db.health.judge(err)
	}
	value = make([]byte, len(v))
	copy(value, v)
	return value, true, db.health.judge(closer.Close())
}

// apply commits a batch and releases it.
func (db *DB) apply(b *pebble.Batch) (err error) {
	defer db.health.caught(&err)
	if err := db.pebble.Apply(b, pebble.NoSync); err != nil {
		return db.health.fail(err)
	}
	return db.health.judge(b.Close())
}

// walk gives entries with a prefix, which must not end in 0xff, to each, until it
// returns an error. Keys are without the prefix.
func (db *DB) walk(prefix []byte, each func(key, value []byte) error) error {
	upper := bytes.Clone(prefix)
	upper[len(upper)-1]++
	c := db.scan(prefix, upper, len(prefix), false, nil)
	for c.Next() {
		if err := each(c.Key(), c.Value()); err != nil {
			return errors.Join(err, c.Close())
		}
	}
	return c.Close()
}
