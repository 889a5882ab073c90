package kafkaconf

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// metadataMinAge is how long a client waits between two looks at who leads a
// partition. kgo's own 5 s are as long as a transaction can wait for a leader that moves.
const metadataMinAge = 500 * time.Millisecond

// dialTimeout is kgo's own default, which a custom dialer has to repeat.
const dialTimeout = 10 * time.Second

// Options returns the kgo options of the connection. kgo logs to logger; a nil
// logger discards. Certificates and keys are read here once, so that a wrong path
// fails before anything is dialed, and again for each connection. The options
// may serve several clients, which then share their OAuth token.
func (c Client) Options(logger *slog.Logger) ([]kgo.Opt, error) {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	if len(c.BootstrapServers) == 0 {
		return nil, fmt.Errorf("%s: %w: no broker is given", keyBootstrapServers, ErrInvalid)
	}
	if err := c.Security.validate(); err != nil {
		return nil, err
	}
	opts := []kgo.Opt{kgo.SeedBrokers(c.BootstrapServers...), kgo.WithLogger(quietly(logger))}
	if c.ClientID != "" {
		opts = append(opts, kgo.ClientID(c.ClientID))
	}
	if c.ClientRack != "" {
		opts = append(opts, kgo.Rack(c.ClientRack))
	}
	opts = append(opts, c.timing()...)
	dialer, err := c.Dialer(logger)
	if err != nil {
		return nil, err
	}
	opts = append(opts, kgo.Dialer(dialer))
	if c.Security.Protocol.tls() && c.Security.TLS.SkipHostCheck {
		logger.Warn("INSECURE: the broker's host name is not checked; anyone with a certificate of the same authority can pose as the cluster",
			"setting", keyHostCheck)
	}
	if c.Security.Protocol.sasl() {
		mechanism, err := c.Security.SASL.mechanism()
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.SASL(mechanism))
		if !c.Security.Protocol.tls() {
			logger.Warn("SASL without TLS: records are readable and changeable on the network", "mechanism", string(c.Security.SASL.Mechanism))
		}
	}
	return opts, nil
}

func (c Client) timing() []kgo.Opt {
	var opts []kgo.Opt
	if c.RequestTimeout > 0 {
		opts = append(opts, kgo.RequestTimeoutOverhead(c.RequestTimeout))
	}
	minAge := metadataMinAge
	if c.MetadataMaxAge > 0 {
		opts = append(opts, kgo.MetadataMaxAge(c.MetadataMaxAge))
		minAge = min(minAge, c.MetadataMaxAge)
	}
	opts = append(opts, kgo.MetadataMinAge(minAge))
	if c.ConnIdle > 0 {
		opts = append(opts, kgo.ConnIdleTimeout(c.ConnIdle))
	}
	if c.Backoff > 0 {
		opts = append(opts, kgo.RetryBackoffFn(backoff(c.Backoff, max(c.BackoffMax, c.Backoff))))
	}
	return opts
}

// backoff doubles from first to longest, with 20 % of jitter as in Kafka's clients.
func backoff(first, longest time.Duration) func(int) time.Duration {
	return func(fails int) time.Duration {
		pause := first
		for range fails - 1 {
			if pause >= longest {
				break
			}
			pause *= 2
		}
		jitter := 0.8 + 0.4*rand.Float64()
		return min(time.Duration(float64(pause)*jitter), longest)
	}
}

// Dialer returns how [Client.Options] opens connections, TLS included, for those
// who want to wrap them. The logger must not be nil.
func (c Client) Dialer(logger *slog.Logger) (func(context.Context, string, string) (net.Conn, error), error) {
	timeout := dialTimeout
	if c.DialTimeout > 0 {
		timeout = c.DialTimeout
	}
	if !c.Security.Protocol.tls() {
		return (&net.Dialer{Timeout: timeout}).DialContext, nil
	}
	d := &tlsDialer{tls: c.Security.TLS, timeout: timeout, logger: logger}
	if _, err := d.settings(""); err != nil {
		return nil, err
	}
	return d.dial, nil
}

func (s SASL) mechanism() (sasl.Mechanism, error) {
	switch s.Mechanism {
	case MechanismPlain:
		return plain.Auth{User: s.Username, Pass: s.Password.Reveal()}.AsMechanism(), nil
	case MechanismSCRAM256:
		return scram.Auth{User: s.Username, Pass: s.Password.Reveal()}.AsSha256Mechanism(), nil
	case MechanismSCRAM512:
		return scram.Auth{User: s.Username, Pass: s.Password.Reveal()}.AsSha512Mechanism(), nil
	case MechanismOAuthBearer:
		source, err := newTokenSource(s.OAuth)
		if err != nil {
			return nil, err
		}
		return source.mechanism(), nil
	default:
		return nil, fmt.Errorf("%s: %w: %q", keyMechanism, ErrUnsupported, s.Mechanism)
	}
}
