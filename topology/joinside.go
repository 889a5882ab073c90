package topology

import "github.com/eosproc/eosproc/statestore"

// streamSide is one side of a join of streams: KStreamJoinWindow and
// KStreamKStreamJoin, which meets records of the other side in
// [timestamp - before, timestamp + after].
type streamSide[K, V, U, O any] struct {
	node, merge       *node
	out               *publisher[K, O]
	side              int
	outer, otherOuter bool
	before, after     int64 // ms
	own               statestore.Window[K, V]
	other             statestore.Window[K, U]
	join              func(v V, u U, ok bool) O
}

// into attaches the side to its stream. open gives the records that wait alone; it
// is nil in an inner join.
func (d streamSide[K, V, U, O]) into(s Stream[K, V], open func(*Instance) *unmatched) {
	s.p.children = append(s.p.children, func(in *Instance) sink[K, V] {
		own, other := d.own.Open(in.env.State), d.other.Open(in.env.State)
		keys, values := d.own.Codecs()
		clock := in.localTime(d.merge) // both sides have one time
		emit := d.emit(in)
		var alone *unmatched
		if open != nil {
			alone = open(in)
		}
		fail := func(err error) error { return in.failure(d.node, Processing, err) }

		// meet gives the results with the records of the other side.
		meet := func(r Record[K, V]) (met bool, err error) {
			if r.Timestamp+d.after < 0 {
				return false, nil
			}
			for u, err := range statestore.Fetch(other, r.Key, max(0, r.Timestamp-d.before), r.Timestamp+d.after) {
				if err != nil {
					return false, fail(err)
				}
				met = true
				if d.otherOuter {
					k, err := keys.Append(nil, r.Key)
					if err != nil {
						return false, fail(err)
					}
					if err := alone.remove(1-d.side, k, u.Timestamp); err != nil {
						return false, fail(err)
					}
				}
				if err := emit(r, u.Value, true, max(r.Timestamp, u.Timestamp)); err != nil {
					return false, err
				}
			}
			return met, nil
		}
		// wait lets a record that has met none wait for one.
		wait := func(r Record[K, V]) error {
			k, err := keys.Append(nil, r.Key)
			if err != nil {
				return fail(err)
			}
			v, err := values.Append([]byte{}, r.Value)
			if err != nil {
				return fail(err)
			}
			if err := alone.add(d.side, k, r.Timestamp, v); err != nil {
				return fail(err)
			}
			return nil
		}

		var none U
		return func(r Record[K, V]) error {
			now := clock.advance(r.Timestamp)
			switch {
			case r.null&nullValue != 0:
				in.dropped(DropNullValue)
				return nil
			case r.null&nullKey != 0 && d.outer:
				return emit(r, none, false, r.Timestamp)
			case r.null&nullKey != 0:
				in.dropped(DropNullKey)
				return nil
			}
			if alone != nil && r.Timestamp == now {
				if err := alone.due(now); err != nil {
					return fail(err)
				}
			}
			met, err := meet(r)
			switch {
			case err != nil:
			case met || !d.outer:
			case r.Timestamp+d.after < now:
				err = emit(r, none, false, r.Timestamp)
			default:
				err = wait(r)
			}
			if err != nil {
				return err
			}
			if _, err := own.Put(r.Key, r.Timestamp, r.Value, r.Timestamp); err != nil {
				return fail(err)
			}
			return nil
		}
	})
}

// emit passes a result on; it has the headers of r.
func (d streamSide[K, V, U, O]) emit(in *Instance) func(r Record[K, V], u U, ok bool, ts int64) error {
	next, nilable := d.out.compile(in), hasNil[O]()
	return func(r Record[K, V], u U, ok bool, ts int64) error {
		out := Record[K, O]{Key: r.Key, Value: d.join(r.Value, u, ok), Timestamp: ts, Headers: r.Headers, null: r.null & nullKey}
		out.null |= bit(nilable, &out.Value, nullValue)
		return next(out)
	}
}

// alone gives the result of a record of this side that has waited in vain.
func (d streamSide[K, V, U, O]) alone(in *Instance) func(key, value []byte, ts int64) error {
	keys, values := d.own.Codecs()
	emit := d.emit(in)
	return func(key, value []byte, ts int64) (err error) {
		r := Record[K, V]{Timestamp: ts}
		if r.Key, err = keys.Decode(key); err != nil {
			return err
		}
		if r.Value, err = values.Decode(value); err != nil {
			return err
		}
		var none U
		return emit(r, none, false, ts)
	}
}
