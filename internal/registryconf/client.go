package registryconf

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/settings"
)

const (
	// StartTimeout bounds everything that is asked when a pipeline starts.
	StartTimeout = 30 * time.Second

	// requestTimeout bounds one request to one address, so that a fetch of a schema
	// (10 s) has time for a second address.
	requestTimeout = 4 * time.Second
)

// ErrNoRegistry is returned by Connect if there are no addresses.
var ErrNoRegistry = errors.New("schema.registry.url is not set")

var errDowngrade = errors.New("refused to follow a redirection from https to http")

// newClient makes a client; it asks no one. Certificates and keys are read once to
// find faults, and the client's own again for each connection.
func newClient(r settings.Registry) (*sr.Client, error) {
	if len(r.URLs) == 0 {
		return nil, ErrNoRegistry
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	var err error
	if transport.TLSClientConfig, err = tlsConfig(r.TLS); err != nil {
		return nil, err
	}
	opts := []sr.ClientOpt{
		sr.URLs(append([]string(nil), r.URLs...)...), // sr changes its argument
		sr.UserAgent("eosproc"),
		sr.HTTPClient(&http.Client{
			Transport: transport, Timeout: requestTimeout,
			CheckRedirect: func(to *http.Request, via []*http.Request) error {
				if to.URL.Scheme != "https" && via[0].URL.Scheme == "https" {
					return errDowngrade
				}
				if len(via) > 3 {
					return http.ErrUseLastResponse
				}
				return nil
			},
		}),
		sr.LogLevel(sr.LogLevelNone), // the caller says what is wrong
	}
	if r.User != "" {
		opts = append(opts, sr.BasicAuth(r.User, r.Password.Reveal()))
	}
	client, err := sr.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("make schema registry client: %w", err)
	}
	return client, nil
}

// probe asks for what every registry tells, so that a wrong address or password is
// one clear error and not one for every topic.
func probe(ctx context.Context, client *sr.Client, r settings.Registry) error {
	_, err := client.SupportedTypes(ctx)
	where := strings.Join(r.URLs, ", ")
	answer, answered := errors.AsType[*sr.ResponseError](err)
	switch {
	case err == nil:
		return nil
	case !answered:
		return fmt.Errorf("schema registry at %s %w (schema.registry.url): %w", where, codec.ErrUnavailable, err)
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return fmt.Errorf("schema registry at %s refuses the user (basic.auth.user.info): %w", where, err)
	case answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusMethodNotAllowed:
		// Registries that know Avro only do not have this request; the subjects are next.
		return nil
	default:
		return fmt.Errorf("schema registry at %s %w: %w", where, codec.ErrUnavailable, err)
	}
}
