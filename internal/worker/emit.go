package worker

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
)

// produced is an output on its way, with the input record that caused it. The
// record comes first, so that a pointer to it is a pointer to the whole.
type produced struct {
	record kgo.Record
	slab   *slab
	input  *task.Input
	offset int64
	end    *changelogEnd // of a changelog record
}

// slab is where outputs are cut from: one allocation for many. It is used again
// when the last of them is acknowledged.
type slab struct {
	records [slabSize]produced
	done    atomic.Int32
}

const slabSize = 256

var slabs = sync.Pool{New: func() any { return new(slab) }}

// release gives an acknowledged record back. It runs on the producer's
// goroutine. A record that failed is not released: its failure refers to it.
func release(r *kgo.Record) {
	p := (*produced)(unsafe.Pointer(r))
	s := p.slab
	if p.end != nil {
		p.end.next.Store(r.Offset + 1)
	}
	*p = produced{}
	if s.done.Add(1) == slabSize {
		s.done.Store(0)
		slabs.Put(s)
	}
}

// causeOf returns the input record that caused an output record made here.
func causeOf(r *kgo.Record) (in *task.Input, offset int64) {
	p := (*produced)(unsafe.Pointer(r))
	return p.input, p.offset
}

// emitter hands outputs to the commit cycle.
type emitter struct {
	w     *Worker
	slab  *slab
	used  int // records of the slab
	count map[string]*outputCount
	last  *outputCount
	loose bool
}

type outputCount struct {
	topic          string
	records, bytes int
}

func newEmitter(w *Worker) emitter {
	return emitter{w: w, count: map[string]*outputCount{}, loose: w.cfg.Settings.Guarantee == settings.AtMostOnce}
}

// next cuts a record from the slab. The emitter lets go of a slab with its last
// record: from then on it may be in the pool at any moment.
func (e *emitter) next() *produced {
	if e.slab == nil {
		e.slab, e.used = slabs.Get().(*slab), 0
	}
	p := &e.slab.records[e.used]
	p.slab = e.slab
	if e.used++; e.used == slabSize {
		e.slab = nil
	}
	return p
}

// emit implements [task.Emit].
func (e *emitter) emit(in *task.Input, offset int64, outputs []topology.Output) error {
	for i := range outputs {
		o := &outputs[i]
		p := e.next()
		p.input, p.offset = in, offset
		r := &p.record
		r.Topic, r.Partition, r.Key, r.Value = o.Topic, o.Partition, o.Key, o.Value
		r.Timestamp = time.UnixMilli(o.Timestamp)
		if len(o.Headers) > 0 {
			r.Headers = kafkaHeaders(o.Headers)
		}
		e.counted(o.Topic, len(o.Key)+len(o.Value))
		if e.loose {
			e.w.session.ProduceLoose(r, e.w.lostOutput)
			continue
		}
		if err := e.w.session.Produce(r); err != nil {
			return err
		}
	}
	return nil
}

// change adds a changelog record to the open transaction.
func (e *emitter) change(end *changelogEnd, o *topology.Output) error {
	p := e.next()
	p.end = end
	r := &p.record
	r.Topic, r.Partition, r.Key, r.Value = o.Topic, o.Partition, o.Key, o.Value
	r.Timestamp = time.UnixMilli(o.Timestamp)
	return e.w.session.Produce(r)
}

func (e *emitter) counted(topic string, bytes int) {
	c := e.last
	if c == nil || c.topic != topic {
		if c = e.count[topic]; c == nil {
			c = &outputCount{topic: topic}
			e.count[topic] = c
		}
		e.last = c
	}
	c.records++
	c.bytes += bytes
}

// report tells the observer what has been produced since the last call.
func (e *emitter) report() {
	for _, c := range e.count {
		if c.records > 0 {
			e.w.observe.Produced(c.topic, c.records, c.bytes)
			c.records, c.bytes = 0, 0
		}
	}
}

func (w *Worker) lostOutput(err error) {
	w.log.Warn("an output was lost, as at_most_once allows", "error", err)
}

// The two header types have the same fields, so that headers pass without a copy.
func kafkaHeaders(h topology.Headers) []kgo.RecordHeader {
	return unsafe.Slice((*kgo.RecordHeader)(unsafe.Pointer(unsafe.SliceData(h))), len(h))
}

func ourHeaders(h []kgo.RecordHeader) topology.Headers {
	if len(h) == 0 {
		return nil
	}
	return unsafe.Slice((*topology.Header)(unsafe.Pointer(unsafe.SliceData(h))), len(h))
}

var (
	_ [unsafe.Sizeof(topology.Header{})]byte           = [unsafe.Sizeof(kgo.RecordHeader{})]byte{}
	_ [unsafe.Offsetof(topology.Header{}.Value)]byte   = [unsafe.Offsetof(kgo.RecordHeader{}.Value)]byte{}
	_ [unsafe.Offsetof(topology.Header{}.Key)]struct{} = [unsafe.Offsetof(kgo.RecordHeader{}.Key)]struct{}{}
)
