package topology

import "fmt"

// Repartition sends the stream through an internal topic, so that records with
// equal keys meet in one task. The topic is named
// <application.id>-<handle's name>-repartition; its records are deleted once
// they are processed. Records with a null key are dropped, as in Kafka Streams,
// unless the option [KeepNullKeys] is given.
//
// In descriptions it is three operators, <name>-filter, <name>-sink and
// <name>-source, where name is <handle's name>-repartition unless given.
func (s Stream[K, V]) Repartition(through Topic[K, V], opts ...Option) Stream[K, V] {
	b, o := s.p.b, collect(opts)
	if err := checkTopic(through); err != nil {
		b.fail(fmt.Errorf("repartition: %w", err))
	}
	if o.partitions < 0 {
		b.fail(fmt.Errorf("repartition %q: %d partitions", through.Name, o.partitions))
	}
	spec := &repartitionSpec{name: through.Name + "-repartition", partitions: o.partitions}
	name := spec.name
	if o.name != "" {
		name = o.name
	}
	b.refuse(name, "Timestamps", o.timestamps != nil)
	b.refuse(name, "StartAt", o.reset != ResetDefault)
	if other, ok := b.topics[spec.name]; ok {
		b.fail(fmt.Errorf("repartition %q: %s already reads %q; names must differ", through.Name, other, spec.name))
		name = b.number("KSTREAM-REPARTITION-") // one fault, one error: not three more about names
	}

	// Kafka Streams uses up a number each for a sink, a filter of null keys and a
	// source, and then names all three after the topic.
	b.counter += 3
	filter := b.addNamed(processorNode, name+"-filter", s.p.n)
	to := b.addNamed(sinkNode, name+"-sink", filter)
	to.sink = &sinkSpec{topic: spec.name, repartition: spec}
	s.p.children = append(s.p.children, func(in *Instance) sink[K, V] {
		e := newEncoder(in, to, through.Key, through.Value)
		physical := in.env.InternalTopic(spec.name)
		return func(r Record[K, V]) error {
			if r.null&nullKey != 0 && !o.nullKeys {
				in.dropped(DropNullKey)
				return nil
			}
			return e.emit(&r, physical, AnyPartition)
		}
	})

	from := b.addNamed(sourceNode, name+"-source")
	from.source = &sourceSpec{topics: []string{spec.name}, repartition: spec, reset: ResetEarliest}
	b.topics[spec.name] = from.name
	return source(b, from, options{}, func(string) Topic[K, V] { return through })
}

// KeepNullKeys makes [Stream.Repartition] send records with a null key, too, to
// any partition: a left or outer join behind it has a result for each of them. Kafka
// Streams does so by itself where it sees such a join (KIP-962).
func KeepNullKeys() Option { return func(o *options) { o.nullKeys = true } }
