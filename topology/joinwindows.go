package topology

import (
	"errors"
	"fmt"
	"time"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// JoinWindows says which records of two streams meet: a left one at t and a right
// one in [t - before, t + after], both included. It is made by [Within].
type JoinWindows struct{ before, after, grace int64 } // ms

// Within lets records meet whose timestamps differ by d at most, with no grace
// (JoinWindows.ofTimeDifferenceWithNoGrace of Kafka Streams).
func Within(d time.Duration) JoinWindows {
	return JoinWindows{before: d.Milliseconds(), after: d.Milliseconds()}
}

// Before sets how far before the left record the right one may be. It may be
// negative: the right one is then that much after it at least.
func (w JoinWindows) Before(d time.Duration) JoinWindows {
	w.before = d.Milliseconds()
	return w
}

// After sets how far after the left record the right one may be. It may be negative.
func (w JoinWindows) After(d time.Duration) JoinWindows {
	w.after = d.Milliseconds()
	return w
}

// Grace sets how long after a window's end records that belong into it are still
// waited for, before a left or outer join says that there are none.
func (w JoinWindows) Grace(d time.Duration) JoinWindows {
	w.grace = d.Milliseconds()
	return w
}

func (w JoinWindows) check() error {
	switch {
	case w.before+w.after < 0:
		return fmt.Errorf("join windows end before they start: before %d ms, after %d ms", w.before, w.after)
	case w.grace < 0:
		return fmt.Errorf("join windows with a grace of %d ms", w.grace)
	}
	return nil
}

// JoinStores are the stores in which two streams wait for each other. They are
// made by [NewJoinStores].
type JoinStores[K, L, R any] struct {
	name  string
	key   codec.Codec[K]
	left  codec.Codec[L]
	right codec.Codec[R]
	opts  []statestore.Option
}

// NewJoinStores declares the stores of a join of streams. Their names begin with
// name and go on as those of Kafka Streams do: -this-join-store and
// -other-join-store, for a left join -outer-other-join-store and
// -left-shared-join-store, for an outer join -outer-this-join-store,
// -outer-other-join-store and -outer-shared-join-store. Each side's records are kept
// for the time in which the other side may still meet them.
func NewJoinStores[K, L, R any](name string, key codec.Codec[K], left codec.Codec[L], right codec.Codec[R], opts ...statestore.Option) JoinStores[K, L, R] {
	return JoinStores[K, L, R]{name, key, left, right, opts}
}

func (s JoinStores[K, L, R]) check() error {
	if s.name == "" || s.key == nil || s.left == nil || s.right == nil {
		return errors.New("the stores of a join need a name, a key codec and two value codecs: see NewJoinStores")
	}
	return nil
}

// kept declares the store of one side's records. A record has to be there as long
// as one of the other side may still meet it, the last millisecond included: with
// Kafka Streams' retention of before + after + grace the store would hide it in that
// one already, and earlier if one of the bounds is negative.
func kept[K, V any](name string, key codec.Codec[K], value codec.Codec[V], w JoinWindows, opts []statestore.Option) statestore.Window[K, V] {
	size := max(w.before+w.after, w.before, w.after) + 1
	return statestore.NewWindow(name, key, value, statestore.WindowConfig{
		Size: time.Duration(size) * time.Millisecond, Retention: time.Duration(size+w.grace) * time.Millisecond, Duplicates: true,
	}, opts...)
}
