package topology

import (
	"encoding/binary"
	"math"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// pendingSpec declares the windows of a store that are still to come out.
func pendingSpec(store string) statestore.KV[[]byte, []byte] {
	return statestore.NewKV(store+"-open", codec.Bytes, codec.Bytes)
}

// pending is the set of windows that are still to come out, in the order in which
// they do: by end, start and the key's bytes. It is a store of its own, since
// window stores are ordered by key: to look for what is closed, they would have to
// be gone through with every record.
type pending[K any] struct {
	set    *statestore.KVHandle[[]byte, []byte]
	keys   codec.Codec[K]
	next   *localTime // no window ends before it
	buffer []byte
}

func openPending[K any](in *Instance, store string, keys codec.Codec[K]) *pending[K] {
	return &pending[K]{set: pendingSpec(store).Open(in.env.State), keys: keys, next: in.bound()}
}

func (p *pending[K]) entry(k K, start, end int64) (err error) {
	p.buffer = binary.BigEndian.AppendUint64(p.buffer[:0], uint64(end))
	p.buffer = binary.BigEndian.AppendUint64(p.buffer, uint64(start))
	p.buffer, err = p.keys.Append(p.buffer, k)
	return err
}

func (p *pending[K]) add(k K, start, end int64) error {
	if err := p.entry(k, start, end); err != nil {
		return err
	}
	p.next.now = min(p.next.now, end)
	return p.set.Put(p.buffer, []byte{})
}

func (p *pending[K]) remove(k K, start, end int64) error {
	if err := p.entry(k, start, end); err != nil {
		return err
	}
	return p.set.Delete(p.buffer)
}

// window is a window of a key.
type window[K any] struct {
	key        K
	start, end int64
}

// closed removes the windows for whose end that is true and gives them to emit.
func closed[K any](p *pending[K], is func(end int64) bool, emit func(window[K]) error) error {
	if !is(p.next.now) {
		return nil
	}
	var out []window[K]
	bound := int64(math.MaxInt64)
	for e, err := range statestore.All(p.set) {
		if err != nil {
			return err
		}
		w := window[K]{end: int64(binary.BigEndian.Uint64(e.Key)), start: int64(binary.BigEndian.Uint64(e.Key[8:]))}
		if !is(w.end) {
			bound = w.end
			break
		}
		if w.key, err = p.keys.Decode(e.Key[16:]); err != nil {
			return err
		}
		if err := p.set.Delete(e.Key); err != nil {
			return err
		}
		out = append(out, w)
	}
	p.next.now = bound
	for _, w := range out {
		if err := emit(w); err != nil {
			return err
		}
	}
	return nil
}
