package pebblestore

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/eosproc/eosproc/statestore"
)

// TaskInfo describes a task that is present.
type TaskInfo struct {
	ID       string
	Position statestore.Position
}

var errNumber = errors.New("malformed number")

// loadTasks reads the numbers of the tasks.
func (db *DB) loadTasks() error {
	db.next = 1
	return db.walk(appendPrefix(nil, 0, 0), func(id, value []byte) error {
		if len(value) != 4 {
			return corrupt(db.dir, fmt.Errorf("task %q: %w", id, errNumber))
		}
		n := binary.BigEndian.Uint32(value)
		db.ids[string(id)] = n
		db.next = max(db.next, n+1)
		return nil
	})
}

// Task opens a task, which is empty if it is not present. It can be open once at
// a time: a second call before [Task.Close] returns [ErrInUse].
func (db *DB) Task(id string) (*Task, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.health.err(); err != nil {
		return nil, fmt.Errorf("open task %s: %w", id, err)
	}
	if db.open[id] != nil {
		return nil, fmt.Errorf("open task %s: %w", id, ErrInUse)
	}
	number, ok := db.ids[id]
	if !ok {
		var err error
		if number, err = db.add(id); err != nil {
			return nil, fmt.Errorf("open task %s: %w", id, err)
		}
	}
	t := &Task{db: db, id: id, number: number}
	if err := t.loadStores(); err != nil {
		return nil, fmt.Errorf("open task %s: %w", id, err)
	}
	db.open[id] = t
	return t, nil
}

// add gives a task a number.
func (db *DB) add(id string) (uint32, error) {
	if db.next == math.MaxUint32 {
		return 0, fmt.Errorf("%w: no task number is left", ErrTooLarge)
	}
	b := db.pebble.NewBatch()
	if err := b.Set(appendKey(nil, 0, 0, []byte(id)), binary.BigEndian.AppendUint32(nil, db.next), nil); err != nil {
		return 0, db.health.fail(err)
	}
	if err := db.apply(b); err != nil {
		return 0, err
	}
	number := db.next
	db.next++
	db.ids[id] = number
	return number, nil
}

// DropTask removes everything of a task, for state that is too old or has moved
// away. A task that is not present is no error; one that is open is [ErrInUse].
func (db *DB) DropTask(id string) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.health.err(); err != nil {
		return fmt.Errorf("drop task %s: %w", id, err)
	}
	if db.open[id] != nil {
		return fmt.Errorf("drop task %s: %w", id, ErrInUse)
	}
	number, ok := db.ids[id]
	if !ok {
		return nil
	}
	b := db.pebble.NewBatch()
	err := errors.Join(
		b.DeleteRange(appendPrefix(nil, number, 0), appendPrefix(nil, number+1, 0), nil),
		b.Delete(appendKey(nil, 0, 0, []byte(id)), nil))
	if err != nil {
		return db.health.fail(err)
	}
	if err := db.apply(b); err != nil {
		return fmt.Errorf("drop task %s: %w", id, err)
	}
	delete(db.ids, id)
	return nil
}

// Tasks returns the tasks that are present, open or not, by id.
func (db *DB) Tasks() ([]TaskInfo, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.health.err(); err != nil {
		return nil, fmt.Errorf("list tasks: %w", err)
	}
	list := make([]TaskInfo, 0, len(db.ids))
	for id, number := range db.ids {
		p, err := db.position(number)
		if err != nil {
			return nil, fmt.Errorf("list tasks: %s: %w", id, err)
		}
		list = append(list, TaskInfo{ID: id, Position: p})
	}
	slices.SortFunc(list, func(a, b TaskInfo) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

func (db *DB) position(task uint32) (statestore.Position, error) {
	v, _, err := db.get(appendKey(nil, task, 0, []byte{positionKey}))
	if err != nil {
		return statestore.Position{}, err
	}
	p, err := parsePosition(v)
	if err != nil {
		return statestore.Position{}, db.health.fail(corrupt(db.dir, err))
	}
	return p, nil
}
