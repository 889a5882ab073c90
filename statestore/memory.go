package statestore

import (
	"bytes"
	"maps"

	"github.com/tidwall/btree"
)

// NewMemory returns an empty Base that is kept in memory, for tests and for
// tasks whose state can always be restored.
func NewMemory() Base { return &memory{stores: map[string]*btree.Map[string, []byte]{}} }

// memory keeps trees that are never modified once Apply has returned: Apply
// changes copies, which share what they can. So a cursor is a snapshot for free,
// and reading needs no lock.
type memory struct {
	stores   map[string]*btree.Map[string, []byte]
	position Position
}

func (m *memory) Get(store string, key []byte) ([]byte, bool, error) {
	tree := m.stores[store]
	if tree == nil {
		return nil, false, nil
	}
	v, ok := tree.Get(text(key))
	return v, ok, nil
}

func (m *memory) Scan(store string, from, to []byte, reverse bool) Cursor {
	tree := m.stores[store]
	if tree == nil {
		tree = new(btree.Map[string, []byte])
	}
	return &memoryCursor{walk: newWalk(tree, keyRange{from: bytes.Clone(from), to: bytes.Clone(to)}, reverse)}
}

func (m *memory) Apply(c *Changes) error {
	changed := map[string]*btree.Map[string, []byte]{}
	tree := func(store string) *btree.Map[string, []byte] {
		t := changed[store]
		if t == nil {
			if t = m.stores[store]; t == nil {
				t = new(btree.Map[string, []byte])
			}
			t = t.Copy()
			changed[store] = t
		}
		return t
	}
	for _, d := range c.Drops {
		t := tree(d.Store)
		var keys []string
		for w := newWalk(t, keyRange{from: d.From, to: d.To}, false); w.ok; w.next() {
			keys = append(keys, w.key())
		}
		for _, k := range keys {
			t.Delete(k)
		}
	}
	for _, w := range c.Writes {
		if w.Value == nil {
			tree(w.Store).Delete(text(w.Key))
		} else {
			tree(w.Store).Set(text(w.Key), w.Value)
		}
	}
	maps.Copy(m.stores, changed)
	m.position = Position{Changelogs: maps.Clone(c.Position.Changelogs)}
	return nil
}

func (m *memory) Position() (Position, error) {
	return Position{Changelogs: maps.Clone(m.position.Changelogs)}, nil
}

func (m *memory) Close() error { return nil }

type memoryCursor struct {
	walk    walk[[]byte]
	started bool
}

func (c *memoryCursor) Next() bool {
	if c.started && c.walk.ok {
		c.walk.next()
	}
	c.started = true
	return c.walk.ok
}

func (c *memoryCursor) Key() []byte   { return []byte(c.walk.key()) }
func (c *memoryCursor) Value() []byte { return c.walk.value() }
func (c *memoryCursor) Close() error  { return nil }
