package topology

import (
	"errors"
	"fmt"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
)

// ForeignKeys says how [JoinForeignKey] carries rows from one table to the other:
// through two internal topics, named <application.id>-<name>-subscription-registration-topic
// and -subscription-response-topic as in Kafka Streams, and with a store <name>-subscription-store.
// The format of what they hold is not that of Kafka Streams.
type ForeignKeys[K, L, FK, R any] struct {
	Name string
	// Key and Left write the rows of the left table. Equal values must have
	// equal bytes: by these an answer is told that has become out of date.
	Key  codec.Codec[K]
	Left codec.Codec[L]
	// Foreign and Right write the rows of the right table.
	Foreign codec.Codec[FK]
	Right   codec.Codec[R]
}

func (f ForeignKeys[K, L, FK, R]) check() error {
	if f.Key == nil || f.Left == nil || f.Foreign == nil || f.Right == nil {
		return errors.New("ForeignKeys needs all four codecs")
	}
	return checkTopicName(f.Name)
}

// JoinForeignKey joins each row of the left table with the row of the right one to
// which it points (KIP-213): foreign tells that row's key, or false if it points
// nowhere. The result has the left table's key and is there if both rows are; a change of
// either gives a new one. Its timestamp is the larger of both rows' if the left one has
// changed, and the right row's if that has.
//
// The tables may have different numbers of partitions. The registration topic must
// have as many as the right table's topics, the response topic as many as the left one's
// (see [SubTopology.Copartitioned]). A result comes some time after its cause, since
// it goes through both topics; until then the old one stands. A result that is no longer true when it
// arrives, because the left row has changed meanwhile, is thrown away.
func JoinForeignKey[K, L, FK, R, O any, S TableStore[K, O]](left Table[K, L], right Table[FK, R], foreign func(K, L) (FK, bool), through ForeignKeys[K, L, FK, R], join func(L, R) O, store S, opts ...Option) Table[K, O] {
	return joinForeignKey(left, right, foreign, through, func(l L, r R, ok bool) (o O, there bool) {
		if ok {
			o = join(l, r)
		}
		return o, ok
	}, keepIn[K, O](store), opts)
}

// LeftJoinForeignKey is [JoinForeignKey] for all rows of the left table: join is
// told by ok whether there is a row to which it points.
func LeftJoinForeignKey[K, L, FK, R, O any, S TableStore[K, O]](left Table[K, L], right Table[FK, R], foreign func(K, L) (FK, bool), through ForeignKeys[K, L, FK, R], join func(l L, r R, ok bool) O, store S, opts ...Option) Table[K, O] {
	return joinForeignKey(left, right, foreign, through, func(l L, r R, ok bool) (O, bool) { return join(l, r, ok), true }, keepIn[K, O](store), opts)
}

func joinForeignKey[K, L, FK, R, O any](left Table[K, L], right Table[FK, R], foreign func(K, L) (FK, bool), through ForeignKeys[K, L, FK, R], join func(L, R, bool) (O, bool), store rowStore[K, O], opts []Option) Table[K, O] {
	b, o := left.b(), collect(opts)
	name := o.name
	part := func(suffix string) options {
		if name == "" {
			return options{}
		}
		return options{name: name + suffix}
	}
	if err := through.check(); err != nil {
		b.fail(fmt.Errorf("foreign-key join: %w", err))
		return stored(store, newStream[K, change[O]](b, b.add(processorNode, "KTABLE-SOURCE-", o)))
	}
	registrations := Topic[FK, registration[K]]{through.Name + "-subscription-registration-topic", through.Foreign, registrationCodec[K]{through.Key}}
	responses := Topic[K, response[R]]{through.Name + "-subscription-response-topic", through.Key, responseCodec[R]{through.Right}}
	spec := statestore.NewKV(through.Name+"-subscription-store", codec.Bytes, codec.Bytes)

	// On the side of the left table: out go the keys to which its rows point.
	send := b.add(processorNode, "KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-", part("-subscription-registration"), left.node())
	asked := newStream[FK, registration[K]](b, send)
	received := relayed(asked, registrations, part("-subscription-registration-sink"), part("-subscription-registration-source"))

	// On the side of the right table: each row knows which point to it.
	look := b.add(processorNode, "KTABLE-FK-JOIN-SUBSCRIPTION-PROCESSOR-", part("-subscription-join-foreign"), received.p.n)
	tell := b.add(processorNode, "KTABLE-FK-JOIN-SUBSCRIPTION-PROCESSOR-", part("-foreign-join-subscription"), right.node())
	look.joined = []*node{right.node()}
	b.use(look, right.stores...)
	b.own(look, spec)
	b.use(tell, spec)
	answers := newStream[K, response[R]](b, b.add(processorNode, "KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-MERGE-", part("-subscription-response-merge"), look, tell))
	answered := relayed(answers, responses, part("-subscription-response-sink"), part("-subscription-response-source"))

	// Back on the side of the left table: the results.
	resolve := b.add(processorNode, "KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-RESOLVER-PROCESSOR-", part("-subscription-response-resolver"), answered.p.n)
	resolve.joined = []*node{left.node()}
	b.use(resolve, left.stores...)
	n := b.add(processorNode, "KTABLE-SOURCE-", o, send, resolve)
	b.own(n, store.spec)
	out := newStream[K, change[O]](b, n)

	results := foreignResults[K, L, R, O]{node: n, store: store, out: out.p, join: join}
	registerForeignKeys(left.updates, send, foreign, through, asked.p, results)
	answerRegistrations(received, look, right, through.Foreign, through.Key, spec, answers.p)
	answerChanges(right.updates, tell, through.Foreign, through.Key, spec, answers.p)
	resolveResponses(answered, resolve, left, through.Left, results)
	return stored(store, out)
}

// relayed sends a stream through an internal topic of the given name. A value
// that names a partition goes there, others go where the key decides.
func relayed[K any, V addressed](s Stream[K, V], t Topic[K, V], sinkName, sourceName options) Stream[K, V] {
	b := s.p.b
	spec := &repartitionSpec{name: t.Name}
	if other, ok := b.topics[spec.name]; ok {
		b.fail(fmt.Errorf("foreign-key join: %s already reads %q; names must differ", other, spec.name))
	}
	to := b.add(sinkNode, "KTABLE-SINK-", sinkName, s.p.n)
	to.sink = &sinkSpec{topic: spec.name, repartition: spec}
	s.p.children = append(s.p.children, func(in *Instance) sink[K, V] {
		e := newEncoder(in, to, t.Key, t.Value)
		physical := in.env.InternalTopic(spec.name)
		return func(r Record[K, V]) error { return e.emit(&r, physical, r.Value.to()) }
	})
	from := b.add(sourceNode, "KTABLE-SOURCE-", sourceName)
	from.source = &sourceSpec{topics: []string{spec.name}, repartition: spec, reset: ResetEarliest}
	b.topics[spec.name] = from.name
	return source(b, from, options{}, func(string) Topic[K, V] { return t })
}
