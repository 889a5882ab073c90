package kafkaproxy

import (
	"net"
	"sync"
	"time"
)

// link is one client connection with its connection to the broker. Two
// goroutines serve it: requests and answers.
type link struct {
	proxy          *Proxy
	front          *front
	client, server net.Conn

	once sync.Once
	gone chan struct{} // closed by cut

	mu      sync.Mutex
	waiting map[int32]pending // by correlation id: answers that a rule is about
	late    bool              // the client's side is closed on purpose
}

// pending is a rule that waits for the answer to a request.
type pending struct {
	hook *Hook
	req  Request
}

func newLink(p *Proxy, f *front, client, server net.Conn) *link {
	return &link{
		proxy: p, front: f, client: client, server: server,
		gone: make(chan struct{}), waiting: make(map[int32]pending),
	}
}

// cut closes both sides.
func (l *link) cut() {
	l.once.Do(func() {
		close(l.gone)
		l.client.Close()
		l.server.Close()
	})
}

// pause waits for d and says whether the link still lives.
func (l *link) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-l.gone:
		return false
	}
}

// requests carries frames to the broker.
func (l *link) requests() {
	defer func() {
		if !l.isLate() { // then the answer ends the link
			l.cut()
		}
		select {
		case <-l.gone:
			l.abandon() // what answers has not seen when it ended
		default:
		}
	}()
	var buf []byte
	for {
		frame, err := readFrame(l.client, buf)
		if err != nil {
			return
		}
		buf = frame
		var hook *Hook
		req, ok := parseRequest(frame)
		if ok {
			req.Broker = l.front.target
			hook = l.proxy.match(req)
		}
		if hook != nil && !l.before(hook, req) {
			return
		}
		if !l.front.gates[0].pass(l.gone) {
			return
		}
		if _, err := l.server.Write(frame); err != nil {
			l.cut()
			return
		}
		if hook != nil && hook.rule.Action == DelayRequest {
			report(hook.finished, req)
		}
		if l.isLate() {
			return
		}
	}
}

// before does what a rule wants before the request is forwarded, and says
// whether it is forwarded at all.
func (l *link) before(h *Hook, r Request) bool {
	switch h.rule.Action {
	case DropRequest:
		report(h.fired, r)
		l.pause(h.rule.Delay)
		l.cut()
		report(h.finished, r)
		return false
	case DelayRequest:
		report(h.fired, r)
		if !l.pause(h.rule.Delay) {
			report(h.finished, r)
			return false
		}
	case LateRequest:
		l.mu.Lock()
		l.late = true
		l.waiting[r.CorrelationID] = pending{h, r}
		l.mu.Unlock()
		l.client.Close()
		report(h.fired, r)
		if !l.pause(h.rule.Delay) {
			return false
		}
	case CutResponse, DelayResponse:
		l.mu.Lock()
		l.waiting[r.CorrelationID] = pending{h, r}
		l.mu.Unlock()
	}
	return true
}

func (l *link) isLate() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.late
}

// answers carries frames to the client.
func (l *link) answers() {
	defer l.proxy.forget(l)
	defer l.abandon()
	defer l.cut()
	var buf []byte
	for {
		frame, err := readFrame(l.server, buf)
		if err != nil {
			return
		}
		buf = frame
		w, ok := l.take(frame)
		if ok && !l.answer(w) {
			return
		}
		passed := l.front.gates[1].pass(l.gone)
		if passed {
			_, err = l.client.Write(frame)
		}
		if ok {
			report(w.hook.finished, w.req)
		}
		if !passed || err != nil && !l.isLate() {
			return
		}
	}
}

func (l *link) take(frame []byte) (pending, bool) {
	id, ok := correlation(frame)
	if !ok {
		return pending{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	w, ok := l.waiting[id]
	delete(l.waiting, id)
	return w, ok
}

// answer does what a rule wants with the answer, and says whether it is passed;
// when it is not, the action is over.
func (l *link) answer(w pending) bool {
	if w.hook.rule.Action != LateRequest { // that one was reported when it began
		report(w.hook.fired, w.req)
		if l.pause(w.hook.rule.Delay) && w.hook.rule.Action == DelayResponse {
			return true
		}
	}
	l.cut()
	report(w.hook.finished, w.req)
	return false
}

// abandon reports the actions whose answer will not come.
func (l *link) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, w := range l.waiting {
		report(w.hook.finished, w.req)
		delete(l.waiting, id)
	}
}
