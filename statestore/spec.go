package statestore

import (
	"fmt"
	"time"
)

// Kind is the shape of a store.
type Kind uint8

// The kinds of stores. The zero Kind is none of them.
const (
	KeyValueKind    Kind = iota + 1 // [KV]
	TimestampedKind                 // [TimestampedKV]
	WindowKind                      // [Window]
	SessionKind                     // [Session]
	VersionedKind                   // [Versioned]
)

// String returns the kind in words, for messages.
func (k Kind) String() string {
	switch k {
	case KeyValueKind:
		return "key-value store"
	case TimestampedKind:
		return "timestamped key-value store"
	case WindowKind:
		return "window store"
	case SessionKind:
		return "session store"
	case VersionedKind:
		return "versioned store"
	}
	return "unknown kind of store"
}

// Spec is the declaration of a store: what has to be known of it without its
// types. [KV], [TimestampedKV], [Window], [Session] and [Versioned] are Specs.
type Spec interface {
	Name() string
	Kind() Kind
	// Logging says whether the store has a changelog, and of which kind.
	Logging() Logging
	// ToChangelog makes Kafka Streams' changelog record of an entry of the store; a
	// nil value is an entry that was deleted. The State fills in the record's Store.
	ToChangelog(key, value []byte) ChangelogRecord
	// FromChangelog is the way back. A nil value means that the entry is to be deleted.
	FromChangelog(r ChangelogRecord) (key, value []byte, err error)
}

// declared is what the Specs of this package are besides.
type declared interface {
	Spec
	// InMemory reports whether the option was given.
	InMemory() bool
	check() error // the declaration's fault
}

// ChangelogRecord is a record of a changelog topic. A nil Value is Kafka's null.
type ChangelogRecord struct {
	Store      string
	Key, Value []byte
	Timestamp  int64 // ms; -1 is the time of the commit
}

// Logging describes a store's changelog topic.
type Logging struct {
	Enabled bool
	// Policy is the topic's cleanup.policy.
	Policy string
	// Retention in ms is how long records must be kept if Policy deletes, 0 if it does not.
	Retention int64
	// CompactionLag in ms is how long records must be kept from compaction: versions
	// of one key share the record key. It is 0 for all but versioned stores.
	CompactionLag int64
	// Config are further topic settings, which win over the above. It must not be modified.
	Config map[string]string
}

// Option is a choice that a declaration makes.
type Option func(*declaration)

// NotLogged switches the changelog off: what the store holds is lost with the machine.
func NotLogged() Option { return func(d *declaration) { d.logging.Enabled = false } }

// InMemory asks for a store that is not kept on disk. It is a wish: a base may keep all stores alike.
func InMemory() Option { return func(d *declaration) { d.inMemory = true } }

// LogConfig adds settings of the changelog topic, such as "segment.bytes".
func LogConfig(config map[string]string) Option {
	return func(d *declaration) { d.logging.Config = config }
}

// TTL makes entries of a [KV] invisible when they were not put for d, against
// the time given to [State.SetTime], and has them deleted some time afterwards.
// Other kinds refuse it. Kafka Streams has no such option.
func TTL(d time.Duration) Option {
	return func(decl *declaration) {
		decl.ttl = d.Milliseconds()
		if decl.kind != KeyValueKind || decl.ttl <= 0 {
			decl.fault = fmt.Errorf("%w: TTL of %v for a %v", ErrDeclared, d, decl.kind)
		}
	}
}

// declaration is what all Specs have in common.
type declaration struct {
	name     string
	kind     Kind
	logging  Logging
	inMemory bool
	ttl      int64 // ms, 0 is none
	fault    error // found by the constructor, told by Declare
}

func newDeclaration(name string, kind Kind, logging Logging, opts []Option) declaration {
	logging.Enabled = true
	d := declaration{name: name, kind: kind, logging: logging}
	if name == "" {
		d.fault = fmt.Errorf("%w: %v without a name", ErrDeclared, kind)
	}
	for _, o := range opts {
		o(&d)
	}
	return d
}

// Name returns the store's name.
func (d *declaration) Name() string { return d.name }

// Kind returns the store's kind.
func (d *declaration) Kind() Kind { return d.kind }

// Logging returns what the store's changelog is like.
func (d *declaration) Logging() Logging { return d.logging }

func (d *declaration) InMemory() bool { return d.inMemory }

func (d *declaration) check() error { return d.fault }

// atLeastOne faults the declaration if a span of time is below a millisecond.
func (d *declaration) atLeastOne(what string, span time.Duration) {
	if span < time.Millisecond && d.fault == nil {
		d.fault = fmt.Errorf("%w: %v %q: %s of %v, want at least 1ms", ErrDeclared, d.kind, d.name, what, span)
	}
}
