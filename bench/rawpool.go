package bench

import (
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// recordPool lends kgo the slices that fetched records are decoded into. The
// loops produce the fetched record itself and recycle it in its promise, so
// a copied record costs no allocation. Buffers of bytes are not pooled: keys
// and values alias the fetch response until the record is acknowledged.
type recordPool struct {
	pool sync.Pool
}

func newRecordPool() *recordPool { return &recordPool{} }

// GetRecords implements kgo.PoolRecords.
func (p *recordPool) GetRecords(n int) []kgo.Record {
	if v, ok := p.pool.Get().(*[]kgo.Record); ok && cap(*v) >= n {
		return (*v)[:n]
	}
	return make([]kgo.Record, n)
}

// PutRecords implements kgo.PoolRecords.
func (p *recordPool) PutRecords(rs []kgo.Record) { p.pool.Put(&rs) }
