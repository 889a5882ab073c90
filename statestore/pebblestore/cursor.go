package pebblestore

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/eosproc/eosproc/statestore"
)

// cursor walks over an iterator of Pebble; without one there is nothing to walk over.
type cursor struct {
	db      *DB
	iter    *pebble.Iterator
	task    *atomic.Int64 // the task's count of open cursors, or nil
	prefix  int           // the length of what is cut off the keys
	reverse bool
	state   walkState
	value   []byte
	err     error
}

type walkState int

const (
	fresh walkState = iota
	walking
	ended
)

var _ statestore.Cursor = (*cursor)(nil)

// scan opens a cursor over [lower, upper).
func (db *DB) scan(lower, upper []byte, prefix int, reverse bool, task *atomic.Int64) (c *cursor) {
	c = &cursor{prefix: prefix, reverse: reverse}
	if c.err = db.health.err(); c.err != nil || string(lower) >= string(upper) {
		return c
	}
	defer db.health.caught(&c.err)
	iter, err := db.pebble.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		c.err = db.health.judge(err)
		return c
	}
	c.db, c.iter, c.task = db, iter, task
	c.count(1)
	return c
}

func (c *cursor) count(n int64) {
	c.db.cursors.Add(n)
	if c.task != nil {
		c.task.Add(n)
	}
}

func (c *cursor) Next() (ok bool) {
	if c.iter == nil || c.state == ended || c.err != nil {
		return false
	}
	defer c.db.health.caught(&c.err)
	if c.step() {
		c.value, c.err = c.iter.ValueAndErr()
		if c.err = c.db.health.judge(c.err); c.err == nil {
			return true
		}
	}
	c.state = ended
	return false
}

func (c *cursor) step() bool {
	begun := c.state == walking
	c.state = walking
	switch {
	case !begun && c.reverse:
		return c.iter.Last()
	case !begun:
		return c.iter.First()
	case c.reverse:
		return c.iter.Prev()
	}
	return c.iter.Next()
}

func (c *cursor) Key() []byte   { return c.iter.Key()[c.prefix:] }
func (c *cursor) Value() []byte { return c.value }

func (c *cursor) Close() (err error) {
	if c.iter == nil {
		return c.err
	}
	defer c.db.health.caught(&err)
	iter := c.iter
	c.iter = nil
	c.count(-1)
	if err := iter.Close(); c.err == nil {
		c.err = c.db.health.judge(err)
	}
	return c.err
}
