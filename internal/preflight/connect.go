package preflight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/internal/settings"
)

// patience is how long a start waits for a cluster that comes up at the same
// time, and for the answers to all questions together.
const patience = 15 * time.Second

// pauses between rounds over the addresses.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = time.Second
)

// attempt is the outcome of asking one address.
type attempt struct {
	address string
	resp    kmsg.Response
	err     error
}

// metadata asks the bootstrap addresses, all at the same time, until one answers
// or none can: a refused password or certificate does not get better by waiting.
func metadata(parent context.Context, client *kgo.Client, req *kmsg.MetadataRequest, s *settings.Settings, log *slog.Logger) (*kmsg.MetadataResponse, error) {
	ctx, cancel := context.WithTimeout(parent, patience)
	defer cancel()
	begin := time.Now()
	var last []attempt
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		round := ask(ctx, client, req, s.Client.BootstrapServers)
		if answer := round[len(round)-1]; answer.err == nil {
			return answer.resp.(*kmsg.MetadataResponse), nil
		}
		last = better(last, round)
		if hopeless(last, time.Since(begin)) || !rest(ctx, pause) {
			break
		}
		log.Debug("no broker can be reached yet", "tried", s.Client.BootstrapServers)
	}
	faults := make([]string, len(last))
	for i, a := range last {
		faults[i] = fmt.Sprintf("%s: %s", a.address, explain(a.err, s))
	}
	err := fmt.Errorf("%w: tried for %s: %s", ErrUnreachable, time.Since(begin).Round(100*time.Millisecond), strings.Join(faults, "; "))
	return nil, errors.Join(err, context.Cause(parent))
}

// ask returns one attempt per address; if any has been answered, the last one is.
func ask(ctx context.Context, client *kgo.Client, req *kmsg.MetadataRequest, addresses []string) []attempt {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seeds := client.SeedBrokers()
	results := make(chan attempt, len(seeds))
	for i, seed := range seeds {
		go func() {
			a := attempt{address: fmt.Sprintf("bootstrap server %d", i+1)}
			if i < len(addresses) {
				a.address = addresses[i]
			}
			copied := *req // the client writes the version into a request
			a.resp, a.err = seed.Request(ctx, &copied)
			results <- a
		}()
	}
	round := make([]attempt, 0, len(seeds))
	var answer *attempt
	for range seeds {
		a := <-results
		if a.err == nil && answer == nil {
			answer = &a
			cancel()
			continue
		}
		round = append(round, a)
	}
	if answer != nil {
		round = append(round, *answer)
	}
	return round
}

// better keeps the earlier reason of an address that in the new round has only run out of time.
func better(last, round []attempt) []attempt {
	for i, a := range round {
		if !errors.Is(a.err, context.DeadlineExceeded) && !errors.Is(a.err, context.Canceled) {
			continue
		}
		for _, before := range last {
			if before.address == a.address {
				round[i] = before
			}
		}
	}
	return round
}

// hopeless reports whether every address refuses us for a reason that stays.
func hopeless(round []attempt, waited time.Duration) bool {
	for _, a := range round {
		if !permanent(a.err, waited) {
			return false
		}
	}
	return true
}

// beginning is how long connections that end at once are put down to a broker that
// is about to start: the port forwarding of containers and load balancers behave
// so. Later they mean that both sides speak different protocols.
const beginning = 3 * time.Second

func permanent(err error, waited time.Duration) bool {
	var dns *net.DNSError
	switch {
	case cutOff(err):
		return waited > beginning
	case errors.As(err, &dns):
		return dns.IsNotFound
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, os.ErrDeadlineExceeded):
		return false
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return false
	}
	if ke, ok := errors.AsType[*kerr.Error](err); ok {
		return !ke.Retriable
	}
	return true // certificates, protocols
}

// cutOff reports whether the other side has ended the connection.
func cutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// rest waits; false means that there is no time left.
func rest(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// explain says in plain words why an address cannot be used. TLS errors have
// their remedy from the dialer already.
func explain(err error, s *settings.Settings) string {
	sasl := s.Client.Security.SASL
	var dns *net.DNSError
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return fmt.Sprintf("the broker refuses the credentials (SASL %s, user %q): check user and password: %v", sasl.Mechanism, sasl.Username, err)
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return fmt.Sprintf("the broker does not offer SASL mechanism %s: check sasl.mechanism: %v", sasl.Mechanism, err)
	case errors.Is(err, kerr.IllegalSaslState):
		return fmt.Sprintf("the listener takes no SASL: check the port, or security.protocol: %v", err)
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("the host name %q is not known: check bootstrap.servers", dns.Name)
	case cutOff(err):
		return fmt.Sprintf("the broker ends the connection at once: its listener most likely wants another security.protocol than %s, or refuses the credentials", protocol(s))
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused: nothing listens there"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer: a firewall, a frozen broker, or a listener that wants another security.protocol than " + protocol(s)
	default:
		return err.Error()
	}
}

func protocol(s *settings.Settings) string {
	if p := s.Client.Security.Protocol; p != "" {
		return string(p)
	}
	return "PLAINTEXT"
}
