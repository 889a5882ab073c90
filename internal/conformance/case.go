package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Case is one topology with an input and the output that Kafka Streams gives.
type Case struct {
	Name   string `json:"name"`
	Family string `json:"family"`
	About  string `json:"about"`
	// Compare is "sequence" or "table".
	Compare string `json:"compare"`
	// CompareTs says whether timestamps count; absent means that they do.
	CompareTs *bool                      `json:"compareTs"`
	Topics    map[string]json.RawMessage `json:"topics"`
	Nodes     []Node                     `json:"nodes"`
	Stores    []string                   `json:"stores"`
	Input     []Event                    `json:"input"`
	// Expect holds the records of each topic that a "to" writes.
	Expect       map[string][]Record `json:"expect"`
	ExpectStores map[string][]Entry  `json:"expectStores"`
}

// Node is one operator. What else it has depends on its kind: see [Node.params].
type Node struct {
	ID   string
	Op   string
	From []string
	raw  json.RawMessage
}

// UnmarshalJSON reads a node; "from" is one id or a list of them.
func (n *Node) UnmarshalJSON(b []byte) error {
	var head struct {
		ID   string          `json:"id"`
		Op   string          `json:"op"`
		From json.RawMessage `json:"from"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return err
	}
	n.ID, n.Op, n.raw = head.ID, head.Op, bytes.Clone(b)
	if bytes.HasPrefix(head.From, []byte("[")) {
		return json.Unmarshal(head.From, &n.From)
	}
	if head.From == nil {
		return nil
	}
	n.From = make([]string, 1)
	return json.Unmarshal(head.From, &n.From[0])
}

// params reads the fields that an operator has beside id, op and from.
func (n *Node) params(into any) error {
	if err := json.Unmarshal(n.raw, into); err != nil {
		return fmt.Errorf("%s %s: %w", n.Op, n.ID, err)
	}
	return nil
}

// Event is a record, or an advance of the wall clock if AdvanceWallClock is set.
type Event struct {
	Topic            string  `json:"topic"`
	Key              *string `json:"key"`
	Value            *string `json:"value"`
	Ts               int64   `json:"ts"`
	AdvanceWallClock *int64  `json:"advanceWallClock"`
}

// Record is an output record. After is the index of the event after which it appeared.
type Record struct {
	Key   Key     `json:"key"`
	Value *string `json:"value"`
	Ts    int64   `json:"ts"`
	After int     `json:"after"`
}

// String shows a record on one line.
func (r Record) String() string {
	return fmt.Sprintf("%s = %s, ts %d, after event %d", r.Key, quoted(r.Value), r.Ts, r.After)
}

// Entry is an entry of a store. What its kind of store lacks is 0.
type Entry struct {
	Key   string `json:"key"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	Value string `json:"value"`
	Ts    int64  `json:"ts"`
}

// Key is the key of an output record: a text or null, with a window if Windowed.
type Key struct {
	Text       string
	Null       bool
	Windowed   bool
	Start, End int64
}

// UnmarshalJSON reads a text, null, or an object with key, start and end.
func (k *Key) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case 'n':
		*k = Key{Null: true}
		return nil
	case '{':
		var w struct {
			Key        string
			Start, End int64
		}
		err := json.Unmarshal(b, &w)
		*k = Key{Text: w.Key, Windowed: true, Start: w.Start, End: w.End}
		return err
	default:
		*k = Key{}
		return json.Unmarshal(b, &k.Text)
	}
}

// String shows a key.
func (k Key) String() string {
	switch {
	case k.Null:
		return "null"
	case k.Windowed:
		return fmt.Sprintf("%q[%d, %d]", k.Text, k.Start, k.End)
	default:
		return fmt.Sprintf("%q", k.Text)
	}
}

func quoted(s *string) string {
	if s == nil {
		return "null"
	}
	return fmt.Sprintf("%q", *s)
}

// ReadFile reads the cases of one file.
func ReadFile(path string) ([]Case, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read cases: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var cases []Case
	if err := d.Decode(&cases); err != nil {
		return nil, fmt.Errorf("read cases of %s: %w", path, err)
	}
	return cases, nil
}
