package kafkaproxy

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Action is what happens to a matching request.
type Action int

const (
	// Observe lets the request pass and only reports it.
	Observe Action = iota
	// DropRequest never forwards the request: nothing is answered for
	// Rule.Delay, then the connection is cut.
	DropRequest
	// DelayRequest forwards the request after Rule.Delay.
	DelayRequest
	// CutResponse forwards the request, waits for the broker's answer, which
	// proves that the request was executed, and cuts the connection instead of
	// passing the answer on.
	CutResponse
	// DelayResponse passes the answer on after Rule.Delay.
	DelayResponse
	// LateRequest cuts the client's side at once but forwards the request after
	// Rule.Delay on the connection that is still open to the broker: the packet
	// that arrives when its sender has long reconnected.
	LateRequest
)

// Kafka's api keys that rules are most often about.
const (
	Produce          int16 = 0
	Fetch            int16 = 1
	OffsetCommit     int16 = 8
	FindCoordinator  int16 = 10
	Heartbeat        int16 = 12
	InitProducerID   int16 = 22
	AddPartitionsTxn int16 = 24
	AddOffsetsTxn    int16 = 25
	EndTxn           int16 = 26
	TxnOffsetCommit  int16 = 28
	AnyKey           int16 = -1
)

// Rule chooses requests and what happens to them. The zero value observes the
// next Produce request of any client to any broker.
type Rule struct {
	// Key is the api key, or [AnyKey].
	Key int16
	// ClientID is a part of the client id; empty matches all.
	ClientID string
	// Broker is the real address of one broker; empty matches all.
	Broker string
	// Nth is the first matching request that is acted upon, from 1 and counted
	// from [Proxy.Add]; 0 means 1.
	Nth int
	// Times is the number of requests acted upon; 0 means 1, negative all.
	Times int
	// Action is what happens.
	Action Action
	// Delay belongs to the action; 0 does not delay.
	Delay time.Duration
}

// Request describes a request that a rule acted upon.
type Request struct {
	Key           int16
	Version       int16
	CorrelationID int32
	ClientID      string
	// Broker is the real address of the broker it was sent to.
	Broker string
}

// Hook is a rule in force. Its methods are safe for concurrent use.
type Hook struct {
	proxy *Proxy
	rule  Rule

	mu   sync.Mutex
	seen int

	fired, finished chan Request
}

// reportRoom is how many reports wait to be read; a rule with more firings than
// this loses the reports that nobody reads, never the action.
const reportRoom = 256

func newHook(p *Proxy, r Rule) (*Hook, error) {
	if r.Delay < 0 || r.Nth < 0 || r.Action < Observe || r.Action > LateRequest {
		return nil, fmt.Errorf("add proxy rule %+v: a field is out of range", r)
	}
	if r.Nth == 0 {
		r.Nth = 1
	}
	if r.Times == 0 {
		r.Times = 1
	}
	return &Hook{proxy: p, rule: r, fired: make(chan Request, reportRoom), finished: make(chan Request, reportRoom)}, nil
}

// Fired reports each request at the moment the rule takes hold of it: when it
// comes from the client, or for actions on the answer, when that comes from the
// broker. The channel is never closed.
func (h *Hook) Fired() <-chan Request { return h.fired }

// Finished reports each request when the action is over: the delayed frame was
// passed on, the connection was cut, the late request was answered by the
// broker. An action that ends early because a connection broke or the proxy was
// closed is reported too.
func (h *Hook) Finished() <-chan Request { return h.finished }

// Remove takes the rule out of force; actions that have begun are completed.
func (h *Hook) Remove() { h.proxy.remove(h) }

// take counts a matching request and says whether the rule acts upon it.
func (h *Hook) take(r Request) bool {
	if h.rule.Key != AnyKey && h.rule.Key != r.Key ||
		!strings.Contains(r.ClientID, h.rule.ClientID) ||
		h.rule.Broker != "" && h.rule.Broker != r.Broker {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen++
	return h.seen >= h.rule.Nth && (h.rule.Times < 0 || h.seen < h.rule.Nth+h.rule.Times)
}

func report(to chan Request, r Request) {
	select {
	case to <- r:
	default: // see reportRoom
	}
}
