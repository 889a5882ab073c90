package statestore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/eosproc/eosproc/codec"
)

// VersionedConfig is what a versioned store has to know.
type VersionedConfig struct {
	// HistoryRetention is for how long behind the observed time versions are found
	// after they were replaced. Versions older than that are not accepted: it is the
	// grace period too, as in Kafka. At least 1ms.
	HistoryRetention time.Duration
	// SegmentInterval is Kafka's; it decides nothing here, where old versions are
	// not kept in segments. 0 is fine.
	SegmentInterval time.Duration
}

// Versioned declares a store that keeps the versions of each key's value: Kafka's
// VersionedKeyValueStore (KIP-889). It is a value, made by [NewVersioned].
type Versioned[K, V any] struct {
	declared
	keys   codec.Codec[K]
	values codec.Codec[V]
	config VersionedConfig
}

// NewVersioned declares a versioned store.
func NewVersioned[K, V any](name string, k codec.Codec[K], v codec.Codec[V], c VersionedConfig, opts ...Option) Versioned[K, V] {
	logging := Logging{Policy: "compact", CompactionLag: c.HistoryRetention.Milliseconds()}
	spec := &versionedSpec{newDeclaration(name, VersionedKind, logging, opts)}
	spec.atLeastOne("history retention", c.HistoryRetention)
	return Versioned[K, V]{declared: spec, keys: k, values: v, config: c}
}

// Config returns what the store was declared with.
func (s Versioned[K, V]) Config() VersionedConfig { return s.config }

// versionedSpec: one version is one entry and one changelog record, which has
// the plain key and the version's timestamp, as Kafka's has.
type versionedSpec struct{ declaration }

func (*versionedSpec) ToChangelog(key, value []byte) ChangelogRecord {
	prefix, ts, err := cutVersion(key)
	if err != nil {
		return ChangelogRecord{Key: key, Value: value, Timestamp: -1}
	}
	r := ChangelogRecord{Key: prefix[versionLength:], Timestamp: ts}
	if len(value) > 0 && value[0] == versionValue {
		r.Value = value[1:]
	}
	return r
}

func (*versionedSpec) FromChangelog(r ChangelogRecord) (key, value []byte, err error) {
	if r.Timestamp < 0 {
		return nil, nil, fmt.Errorf("read changelog record: %w: version %d ms", ErrTime, r.Timestamp)
	}
	key = append(binary.BigEndian.AppendUint32(nil, uint32(len(r.Key))), r.Key...)
	key = binary.BigEndian.AppendUint64(key, uint64(r.Timestamp))
	if r.Value == nil {
		return key, tombstone, nil
	}
	return key, append([]byte{versionValue}, r.Value...), nil
}

const (
	versionLength = 4 // bytes of the key's length, before the key
	versionTime   = 8 // bytes of the version's timestamp, after it

	versionValue = 1 // first byte of a stored value
)

// tombstone is stored for a version that is none.
var tombstone = []byte{0}

// cutVersion splits a stored key into what all versions of the key begin with, and the timestamp.
func cutVersion(key []byte) (prefix []byte, ts int64, err error) {
	n := len(key) - versionTime
	if n < versionLength {
		return nil, 0, fmt.Errorf("%w: key of %d bytes is no version", ErrCorrupt, len(key))
	}
	return key[:n:n], int64(binary.BigEndian.Uint64(key[n:])), nil
}

// VersionedHandle is a versioned store as a task sees it. It belongs to the task's goroutine.
type VersionedHandle[K, V any] struct {
	coder[K, V]
	bytes   *Bytes
	history int64 // ms
	sweeper sweeper
}

// Open returns the store in a task. It panics if the store was not declared.
func (s Versioned[K, V]) Open(o Opener) *VersionedHandle[K, V] {
	return &VersionedHandle[K, V]{
		coder: newCoder(s.Name(), s.keys, s.values), bytes: open(o, s),
		history: s.config.HistoryRetention.Milliseconds(),
	}
}

// ObservedTime returns the largest timestamp that was put, in ms, and -1 if there
// was none. After a restart it is the largest that is stored.
func (h *VersionedHandle[K, V]) ObservedTime() (int64, error) {
	return h.bytes.observedTime(newestVersion)
}

func newestVersion(b *Bytes) (int64, error) {
	newest := int64(-1)
	for p, err := range b.Scan(nil, nil, false) {
		if err != nil {
			return 0, err
		}
		_, ts, err := cutVersion(p.Key)
		if err != nil {
			return 0, err
		}
		newest = max(newest, ts)
	}
	return newest, nil
}

// Get returns a key's latest version and its timestamp in ms.
func (h *VersionedHandle[K, V]) Get(k K) (v V, ts int64, ok bool, err error) {
	return h.find(k, math.MaxInt64)
}

// GetAsOf returns the version of a key that was valid at a time, in ms, and the
// version's timestamp. Before the history retention only a version that is still
// the latest is found.
func (h *VersionedHandle[K, V]) GetAsOf(k K, asOf int64) (v V, ts int64, ok bool, err error) {
	observed, err := h.ObservedTime()
	if err != nil {
		return v, 0, false, err
	}
	if asOf >= observed-h.history {
		return h.find(k, asOf)
	}
	if v, ts, ok, err = h.find(k, math.MaxInt64); ok && ts > asOf {
		var none V
		return none, 0, false, nil
	}
	return v, ts, ok, err
}

// find returns the last version that is not after a time, unless it is a tombstone.
func (h *VersionedHandle[K, V]) find(k K, asOf int64) (v V, ts int64, ok bool, err error) {
	if asOf < 0 {
		return v, 0, false, nil
	}
	prefix, err := h.versions(k)
	if err != nil {
		return v, 0, false, err
	}
	p, err := h.last(prefix, asOf)
	if err != nil || p.Key == nil || bytes.Equal(p.Value, tombstone) {
		return v, 0, false, err
	}
	if _, ts, err = cutVersion(p.Key); err == nil {
		v, err = h.decodeValue(p.Value[1:])
	}
	return v, ts, err == nil, err
}

// versions returns what the stored keys of all versions of a key begin with,
// valid until the next call. The length in front keeps keys apart of which one
// begins like the other.
func (h *VersionedHandle[K, V]) versions(k K) ([]byte, error) {
	h.keyBuffer = append(h.keyBuffer[:0], 0, 0, 0, 0)
	prefix, err := h.appendKey(k)
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(prefix, uint32(len(prefix)-versionLength))
	return prefix, nil
}

// last returns the last version that is not after a time, or the zero Pair.
func (h *VersionedHandle[K, V]) last(prefix []byte, asOf int64) (Pair, error) {
	return first(h.bytes, prefix, after(version(prefix, asOf)), true)
}

func version(prefix []byte, ts int64) []byte {
	return binary.BigEndian.AppendUint64(bytes.Clone(prefix), uint64(ts))
}

// first returns the first entry of a scan, or the zero Pair.
func first(b *Bytes, from, to []byte, reverse bool) (Pair, error) {
	for p, err := range b.Scan(from, to, reverse) {
		return p, err
	}
	return Pair{}, nil
}

// Put adds a version that is valid from ts, in ms, until the next one's timestamp,
// which it returns as validTo, -1 if it is the latest. It replaces a version of the
// same timestamp. A nil value is a tombstone. It returns kept = false, and does
// nothing, if ts is before the history retention.
func (h *VersionedHandle[K, V]) Put(k K, v V, ts int64) (validTo int64, kept bool, err error) {
	if h.isNil(v) {
		return h.put(k, tombstone, ts)
	}
	value, err := h.value([]byte{versionValue}, v)
	if err != nil {
		return -1, false, err
	}
	return h.put(k, value, ts)
}

// Delete adds a tombstone: from ts, in ms, until the next version the key has no
// value. It returns the version that was valid at ts, and kept as Put does.
func (h *VersionedHandle[K, V]) Delete(k K, ts int64) (old V, existed, kept bool, err error) {
	before, _, existed, err := h.GetAsOf(k, ts)
	if err != nil {
		return old, false, false, err
	}
	if _, kept, err = h.put(k, tombstone, ts); err != nil || !kept {
		return old, false, false, err
	}
	return before, existed, true, nil
}

func (h *VersionedHandle[K, V]) put(k K, value []byte, ts int64) (validTo int64, kept bool, err error) {
	if ts < 0 {
		return -1, false, fmt.Errorf("versioned store %q: %w: version %d ms", h.store, ErrTime, ts)
	}
	observed, err := h.ObservedTime()
	if err != nil || ts < observed-h.history {
		return -1, false, err
	}
	prefix, err := h.versions(k)
	if err != nil {
		return -1, false, err
	}
	h.bytes.observe(ts)
	validTo = -1
	if ts < observed {
		if validTo, err = h.follow(prefix, ts); err != nil {
			return -1, false, err
		}
	}
	h.keyBuffer = binary.BigEndian.AppendUint64(prefix, uint64(ts))
	if err = h.bytes.Put(h.keyBuffer, value); err == nil && h.sweeper.due() {
		err = h.sweep()
	}
	return validTo, err == nil, err
}

// follow returns the timestamp of the version after ts, -1 if there is none.
// The key's latest version, if it is after ts, is written again: it must follow ts
// in the changelog, whose compaction keeps the last record of a key, not the latest
// version.
func (h *VersionedHandle[K, V]) follow(prefix []byte, ts int64) (validTo int64, err error) {
	begin, end := after(version(prefix, ts)), after(version(prefix, math.MaxInt64))
	next, err := first(h.bytes, begin, end, false)
	if err != nil || next.Key == nil {
		return -1, err
	}
	latest, err := first(h.bytes, begin, end, true)
	if err != nil {
		return -1, err
	}
	if err := h.bytes.Put(latest.Key, latest.Value); err != nil {
		return -1, err
	}
	_, validTo, err = cutVersion(next.Key)
	return validTo, err
}

// sweep forgets some of the versions that cannot be found any more. A tombstone
// goes only after all older versions of its key, which would reappear; so a
// sweep looks at all versions of a key or at none.
func (h *VersionedHandle[K, V]) sweep() error {
	var last Pair // the version before, nil key at first
	limit := h.bytes.observed.open - h.history
	n := 0
	forget := func(expired bool) {
		if last.Key != nil && expired {
			h.bytes.forget(last.Key)
		}
	}
	latest := func() error {
		if last.Key == nil {
			return nil
		}
		_, ts, err := cutVersion(last.Key)
		forget(ts < limit && bytes.Equal(last.Value, tombstone))
		return err
	}
	for p, err := range h.bytes.Scan(h.sweeper.next, nil, false) {
		if err != nil {
			return err
		}
		prefix, ts, err := cutVersion(p.Key)
		if err != nil {
			return err
		}
		n++
		if last.Key != nil && bytes.Equal(prefix, last.Key[:len(last.Key)-versionTime]) {
			forget(ts <= limit)
		} else {
			if err := latest(); err != nil {
				return err
			}
			if n > sweepSize {
				h.sweeper.next = prefix
				return nil
			}
		}
		last = p
	}
	h.sweeper.next = nil
	return latest()
}
