package statestore

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/eosproc/eosproc/codec"
)

// SessionConfig is what a session store has to know.
type SessionConfig struct {
	// Retention is for how long behind the observed time the ends of sessions are
	// kept, at least 1ms.
	Retention time.Duration
}

// Session declares a store of values by key, session start and end: Kafka's
// SessionStore. It is a value, made by [NewSession].
type Session[K, V any] struct {
	declared
	keys   codec.Codec[K]
	values codec.Codec[V]
	config SessionConfig
}

// NewSession declares a session store.
func NewSession[K, V any](name string, k codec.Codec[K], v codec.Codec[V], c SessionConfig, opts ...Option) Session[K, V] {
	logging := Logging{Policy: "compact,delete", Retention: c.Retention.Milliseconds()}
	spec := &sessionSpec{declaration: newDeclaration(name, SessionKind, logging, opts), segments: newSegments(c.Retention)}
	spec.atLeastOne("retention", c.Retention)
	return Session[K, V]{declared: spec, keys: k, values: v, config: c}
}

// Config returns what the store was declared with.
func (s Session[K, V]) Config() SessionConfig { return s.config }

type sessionSpec struct {
	declaration
	segments segments
}

// ToChangelog gives the record the session's end as its timestamp, by which the
// changelog's retention then counts as the store's does.
func (*sessionSpec) ToChangelog(key, value []byte) ChangelogRecord {
	end, err := sessionEnd(key)
	if err != nil || value == nil {
		end = -1
	}
	return ChangelogRecord{Key: key[segmentPrefix:], Value: value, Timestamp: end}
}

func (s *sessionSpec) FromChangelog(r ChangelogRecord) (key, value []byte, err error) {
	_, _, end, err := codec.CutSessionWindow(r.Key)
	if err != nil {
		return nil, nil, fmt.Errorf("read changelog key: %w", err)
	}
	return append(s.segments.appendSegment(nil, end), r.Key...), r.Value, nil
}

// SessionHandle is a session store as a task sees it. It belongs to the task's goroutine.
//
// What has expired, because its end is not after the observed time less the
// retention, is neither kept nor found.
type SessionHandle[K, V any] struct {
	coder[K, V]
	segmented
}

// Open returns the store in a task. It panics if the store was not declared.
func (s Session[K, V]) Open(o Opener) *SessionHandle[K, V] {
	return &SessionHandle[K, V]{
		coder:     newCoder(s.Name(), s.keys, s.values),
		segmented: segmented{segments: newSegments(s.config.Retention), bytes: open(o, s), timeOf: sessionEnd},
	}
}

// ObservedTime returns the largest session end that was put, in ms, and -1 if
// there was none. After a restart it is the largest that is stored.
func (h *SessionHandle[K, V]) ObservedTime() (int64, error) { return h.observedTime() }

// Get returns the value of the session of a key with exactly this start and end, in ms.
func (h *SessionHandle[K, V]) Get(k K, start, end int64) (v V, ok bool, err error) {
	key, err := h.sessionKey(k, start, end)
	if err != nil {
		return v, false, err
	}
	earliest, err := h.earliest()
	if err != nil || end < earliest {
		return v, false, err
	}
	b, ok, err := h.bytes.Get(key)
	if err != nil || !ok {
		return v, false, err
	}
	v, err = h.decodeValue(b)
	return v, err == nil, err
}

// Put sets the value of a session, in ms, both ends being inside. A nil value
// deletes. It returns kept = false, and does nothing, if the end has expired.
func (h *SessionHandle[K, V]) Put(k K, start, end int64, v V) (kept bool, err error) {
	if h.isNil(v) {
		return h.remove(k, start, end)
	}
	key, err := h.sessionKey(k, start, end)
	if err != nil {
		return false, err
	}
	value, err := h.value(nil, v)
	if err != nil {
		return false, err
	}
	if kept, err = h.advance(end); err != nil || !kept {
		return false, err
	}
	return true, h.bytes.Put(key, value)
}

// Delete removes a session, which need not be there. Like Put it advances the
// observed time, as in Kafka.
func (h *SessionHandle[K, V]) Delete(k K, start, end int64) error {
	_, err := h.remove(k, start, end)
	return err
}

func (h *SessionHandle[K, V]) remove(k K, start, end int64) (kept bool, err error) {
	key, err := h.sessionKey(k, start, end)
	if err != nil {
		return false, err
	}
	if kept, err = h.advance(end); err != nil || !kept {
		return false, err
	}
	return true, h.bytes.Delete(key)
}

// sessionKey returns the stored key, valid until the next call.
func (h *SessionHandle[K, V]) sessionKey(k K, start, end int64) ([]byte, error) {
	if start < 0 || end < start {
		return nil, fmt.Errorf("session store %q: %w: session [%d, %d] ms", h.store, ErrTime, start, end)
	}
	h.keyBuffer = h.appendSegment(h.keyBuffer[:0], end)
	key, err := h.appendKey(k)
	if err != nil {
		return nil, err
	}
	h.keyBuffer = codec.AppendSessionWindow(key, start, end)
	return h.keyBuffer, nil
}

func sessionEnd(key []byte) (int64, error) {
	rest, err := cutSegment(key)
	if err != nil {
		return 0, err
	}
	_, _, end, err := codec.CutSessionWindow(rest)
	return end, err
}

// SessionEntry is an entry of a session store; Start and End in ms, both inside.
type SessionEntry[K, V any] struct {
	Key        K
	Start, End int64
	Value      V
}

// Find walks over the sessions of one key that end at earliestEnd or later and
// start at latestStart or earlier, in ms, in the order of end and start: Kafka's
// findSessions. The store may be written during the walk; an error ends it.
func Find[K, V any](h *SessionHandle[K, V], k K, earliestEnd, latestStart int64) iter.Seq2[SessionEntry[K, V], error] {
	return func(yield func(SessionEntry[K, V], error) bool) {
		wanted, err := h.key(k)
		if err != nil {
			yield(SessionEntry[K, V]{}, err)
			return
		}
		wanted = bytes.Clone(wanted)
		bounds := func(first, last int64) (lo, hi []byte) {
			prefix := append(h.appendSegment(nil, first), wanted...)
			lo = codec.AppendSessionWindow(bytes.Clone(prefix), 0, first)
			return lo, after(codec.AppendSessionWindow(prefix, math.MaxInt64, last))
		}
		decode := func(p Pair) (e SessionEntry[K, V], ok bool, err error) {
			if len(p.Key) != segmentPrefix+len(wanted)+codec.SessionWindowSuffix {
				return e, false, nil // a longer key that begins like this one
			}
			return decodeSession(h, p, latestStart)
		}
		for e, err := range decoded(h.perSegment(earliestEnd, math.MaxInt64, false, bounds), decode) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// FindAll is [Find] over all keys: segment by segment of the sessions' ends, and
// within one in the order of key, end and start.
func FindAll[K, V any](h *SessionHandle[K, V], earliestEnd, latestStart int64) iter.Seq2[SessionEntry[K, V], error] {
	return decoded(h.whole(earliestEnd, math.MaxInt64), func(p Pair) (SessionEntry[K, V], bool, error) {
		return decodeSession(h, p, latestStart)
	})
}

func decodeSession[K, V any](h *SessionHandle[K, V], p Pair, latestStart int64) (e SessionEntry[K, V], ok bool, err error) {
	rest, err := cutSegment(p.Key)
	if err != nil {
		return e, false, err
	}
	key, start, end, err := codec.CutSessionWindow(rest)
	if err != nil || start > latestStart {
		return e, false, err
	}
	e.Start, e.End = start, end
	if e.Value, err = h.decodeValue(p.Value); err == nil {
		e.Key, err = h.decodeKey(key)
	}
	return e, true, err
}
