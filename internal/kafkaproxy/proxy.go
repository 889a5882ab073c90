package kafkaproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
)

// ErrClosed is returned by a proxy that was closed.
var ErrClosed = errors.New("proxy is closed")

// Direction is a way through the proxy.
type Direction int

const (
	// ToBroker carries requests.
	ToBroker Direction = 1 << iota
	// ToClient carries answers.
	ToClient
	// Both is every frame.
	Both = ToBroker | ToClient
)

// Proxy has one listener per broker and one set of rules for all of them. Its
// methods are safe for concurrent use. Make it with [New].
type Proxy struct {
	mu     sync.Mutex
	fronts map[string]*front // by the broker's real address
	hooks  []*Hook
	closed bool
	wg     sync.WaitGroup

	ctx    context.Context // of dialling brokers; ends with Close
	cancel context.CancelFunc
}

// front is the listener before one broker.
type front struct {
	target string
	ln     net.Listener
	gates  [2]gate // ToBroker, ToClient
	links  map[*link]struct{}
}

// New returns a proxy without listeners.
func New() *Proxy {
	ctx, cancel := context.WithCancel(context.Background())
	return &Proxy{fronts: make(map[string]*front), ctx: ctx, cancel: cancel}
}

// Listen opens a listener on a free loopback port before the broker at target
// (host:port) and returns its address. The same target gives the same address.
func (p *Proxy) Listen(target string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return "", ErrClosed
	}
	if f := p.fronts[target]; f != nil {
		return f.ln.Addr().String(), nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listen before broker %s: %w", target, err)
	}
	f := &front{target: target, ln: ln, links: make(map[*link]struct{})}
	p.fronts[target] = f
	p.wg.Go(func() { p.accept(f) })
	return ln.Addr().String(), nil
}

// Advertise has the signature of localkafka.Config.Advertised: the broker tells
// its clients the proxy's address.
func (p *Proxy) Advertise(_ int, real string) (string, error) { return p.Listen(real) }

// Dial connects to the broker at host through the proxy; it is meant for
// kgo.Dialer, and for hosts that are real addresses of brokers.
func (p *Proxy) Dial(ctx context.Context, network, host string) (net.Conn, error) {
	addr, err := p.Listen(host)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, network, addr)
}

func (p *Proxy) accept(f *front) {
	for {
		client, err := f.ln.Accept()
		if err != nil {
			return // only Close closes the listener
		}
		p.wg.Go(func() { p.serve(f, client) })
	}
}

// serve carries one client's connection until either side ends it.
func (p *Proxy) serve(f *front, client net.Conn) {
	var d net.Dialer
	server, err := d.DialContext(p.ctx, "tcp", f.target)
	if err != nil {
		client.Close() // as near to a refused connection as an accepted one gets
		return
	}
	l := newLink(p, f, client, server)
	defer l.cut()
	if !p.remember(l) {
		return
	}
	p.wg.Go(l.answers)
	l.requests()
	<-l.gone
}

// remember registers a link for Cut and Close, unless the proxy is closed.
func (p *Proxy) remember(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	l.front.links[l] = struct{}{}
	return true
}

// Add puts a rule in force. Of several rules that match a request, the one
// added first acts; an [Observe] rule reports it all the same.
func (p *Proxy) Add(r Rule) (*Hook, error) {
	h, err := newHook(p, r)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hooks = append(p.hooks, h)
	return h, nil
}

func (p *Proxy) remove(h *Hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hooks = slices.DeleteFunc(p.hooks, func(x *Hook) bool { return x == h })
}

// match returns the hook that acts upon a request, or nil. Every rule counts
// every request that matches it, so that Nth does not depend on other rules.
func (p *Proxy) match(r Request) *Hook {
	p.mu.Lock()
	hooks := slices.Clone(p.hooks)
	p.mu.Unlock()
	var acting *Hook
	for _, h := range hooks {
		switch {
		case !h.take(r):
		case h.rule.Action == Observe:
			report(h.fired, r)
			report(h.finished, r)
		case acting == nil:
			acting = h
		}
	}
	return acting
}

// Freeze passes nothing in a direction and keeps all connections, also those
// that are made meanwhile. Without brokers (real addresses) it holds for all
// that the proxy knows.
func (p *Proxy) Freeze(d Direction, brokers ...string) { p.setGates(d, true, brokers) }

// Thaw ends a Freeze; what was held is passed on in its order.
func (p *Proxy) Thaw(d Direction, brokers ...string) { p.setGates(d, false, brokers) }

func (p *Proxy) setGates(d Direction, shut bool, brokers []string) {
	for _, f := range p.selected(brokers) {
		if d&ToBroker != 0 {
			f.gates[0].set(shut)
		}
		if d&ToClient != 0 {
			f.gates[1].set(shut)
		}
	}
}

// Cut closes all connections to the given brokers (real addresses), or to all;
// new ones are accepted.
func (p *Proxy) Cut(brokers ...string) {
	for _, f := range p.selected(brokers) {
		p.mu.Lock()
		links := make([]*link, 0, len(f.links))
		for l := range f.links {
			links = append(links, l)
		}
		p.mu.Unlock()
		for _, l := range links {
			l.cut()
		}
	}
}

func (p *Proxy) selected(brokers []string) []*front {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*front
	for target, f := range p.fronts {
		if len(brokers) == 0 || slices.Contains(brokers, target) {
			out = append(out, f)
		}
	}
	return out
}

func (p *Proxy) forget(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(l.front.links, l)
}

// Close closes all listeners and connections and returns after the proxy's
// goroutines have ended. Calling it again is harmless.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	for _, f := range p.fronts {
		f.ln.Close()
	}
	p.mu.Unlock()
	p.cancel()
	p.Cut()
	p.wg.Wait()
}
