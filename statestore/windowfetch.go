package statestore

import (
	"bytes"
	"iter"
	"math"

	"github.com/eosproc/eosproc/codec"
)

// WindowEntry is an entry of a window store; Start and Timestamp in ms.
type WindowEntry[K, V any] struct {
	Key       K
	Start     int64
	Value     V
	Timestamp int64
}

// Fetch walks over the windows of one key that start in [from, to] ms, both
// included, in the order of start and Put. The store may be written during the
// walk; an error ends it.
func Fetch[K, V any](h *WindowHandle[K, V], k K, from, to int64) iter.Seq2[WindowEntry[K, V], error] {
	return windowsOfKey(h, k, from, to, false)
}

// FetchReverse is [Fetch] from the last window to the first.
func FetchReverse[K, V any](h *WindowHandle[K, V], k K, from, to int64) iter.Seq2[WindowEntry[K, V], error] {
	return windowsOfKey(h, k, from, to, true)
}

// FetchAll walks over the windows of all keys that start in [from, to] ms, both
// included: segment by segment, and within one in the order of key, start and Put.
func FetchAll[K, V any](h *WindowHandle[K, V], from, to int64) iter.Seq2[WindowEntry[K, V], error] {
	return decoded(h.whole(from, to), func(p Pair) (WindowEntry[K, V], bool, error) {
		return decodeWindow(h, p)
	})
}

func windowsOfKey[K, V any](h *WindowHandle[K, V], k K, from, to int64, reverse bool) iter.Seq2[WindowEntry[K, V], error] {
	return func(yield func(WindowEntry[K, V], error) bool) {
		wanted, err := h.key(k)
		if err != nil {
			yield(WindowEntry[K, V]{}, err)
			return
		}
		wanted = bytes.Clone(wanted)
		bounds := func(first, last int64) (lo, hi []byte) {
			prefix := append(h.appendSegment(nil, first), wanted...)
			lo = codec.AppendWindowStoreKey(bytes.Clone(prefix), first, 0)
			return lo, after(codec.AppendWindowStoreKey(prefix, last, math.MaxInt32))
		}
		decode := func(p Pair) (e WindowEntry[K, V], ok bool, err error) {
			if len(p.Key) != segmentPrefix+len(wanted)+codec.WindowStoreSuffix {
				return e, false, nil // a longer key that begins like this one
			}
			return decodeWindow(h, p)
		}
		for e, err := range decoded(h.perSegment(from, to, reverse, bounds), decode) {
			if !yield(e, err) {
				return
			}
		}
	}
}

func decodeWindow[K, V any](h *WindowHandle[K, V], p Pair) (e WindowEntry[K, V], ok bool, err error) {
	rest, err := cutSegment(p.Key)
	if err != nil {
		return e, false, err
	}
	key, start, _, err := codec.CutWindowStoreKey(rest)
	if err != nil {
		return e, false, err
	}
	e.Start = start
	if e.Value, e.Timestamp, err = h.decodeTimed(p.Value); err == nil {
		e.Key, err = h.decodeKey(key)
	}
	return e, true, err
}
