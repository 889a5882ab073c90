package worker

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// poller polls on a goroutine of its own, so that the loop can wait for fetches
// and for everything else at once. There is one poll at a time, and only when the loop asks.
type poller struct {
	ask     chan context.Context
	fetched chan kgo.Fetches
	done    chan struct{}
	cancel  context.CancelFunc // of the poll that is outstanding; nil if none is
}

func newPoller(client *kgo.Client, maxRecords int) *poller {
	p := &poller{ask: make(chan context.Context, 1), fetched: make(chan kgo.Fetches, 1), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for ctx := range p.ask {
			p.fetched <- client.PollRecords(ctx, maxRecords)
		}
	}()
	return p
}

// start begins a poll if none is outstanding.
func (p *poller) start() {
	if p.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.ask <- ctx
}

// took must be called after receiving from fetched.
func (p *poller) took() {
	p.cancel()
	p.cancel = nil
}

// stop ends the outstanding poll and returns what it has fetched.
func (p *poller) stop() kgo.Fetches {
	if p.cancel == nil {
		return nil
	}
	p.cancel()
	f := <-p.fetched
	p.cancel = nil
	return f
}

// close ends the goroutine. No poll may be outstanding.
func (p *poller) close() {
	close(p.ask)
	<-p.done
}

// recordPool lends the client the slices into which it decodes fetched records.
// The loop copies what it needs of a record into a queue and gives the record
// back at once. The bytes of keys and values are not pooled: they live as long
// as anything refers to them.
type recordPool struct{ pool sync.Pool }

var fetchedRecords = &recordPool{}

// GetRecords implements [kgo.PoolRecords].
func (p *recordPool) GetRecords(n int) []kgo.Record {
	if s, ok := p.pool.Get().(*[]kgo.Record); ok && cap(*s) >= n {
		return (*s)[:n]
	}
	return make([]kgo.Record, n)
}

// PutRecords implements [kgo.PoolRecords].
func (p *recordPool) PutRecords(s []kgo.Record) { p.pool.Put(&s) }
