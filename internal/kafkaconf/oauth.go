package kafkaconf

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
)

const (
	// tokenTimeout bounds one request to the token endpoint.
	tokenTimeout = 10 * time.Second
	// maxTokenBytes bounds the answer; tokens with many groups reach some 10 KB.
	maxTokenBytes = 1 << 20
	// refreshAt is the part of a token's life after which a new one is fetched,
	// as Kafka's sasl.login.refresh.window.factor.
	refreshAt = 0.8
)

// tokenError is a failed attempt to get a token. It never holds the body of the
// answer, which may repeat the credentials.
type tokenError struct {
	reason    string
	temporary bool
}

func (e *tokenError) Error() string { return "get OAUTHBEARER token: " + e.reason }

// Temporary tells kgo to try again with its back-off: an endpoint that is away
// for a minute must not stop a running process.
func (e *tokenError) Temporary() bool { return e.temporary }

// tokenSource gets tokens and keeps the latest. It is safe for concurrent use.
type tokenSource struct {
	oauth  OAuth
	client *http.Client // nil for a token file
	file   string
	now    func() time.Time

	mu              sync.Mutex
	token           Secret    // guarded by mu, as the two below
	refresh, expiry time.Time // zero for a token that says nothing about its life
}

func newTokenSource(o OAuth) (*tokenSource, error) {
	source := &tokenSource{oauth: o, now: time.Now}
	endpoint, err := url.Parse(o.TokenURL)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: not a URL", keyOAuthURL, ErrInvalid)
	}
	if endpoint.Scheme == "file" {
		source.file = endpoint.Path
		return source, nil
	}
	roots, err := readRoots(o.CAFile, "")
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	// One request now and then: an idle connection would only outlive the client.
	transport.DisableKeepAlives = true
	source.client = &http.Client{
		Transport: transport,
		Timeout:   tokenTimeout,
		// The request carries the client secret: whoever answers with a redirect
		// must not get to choose where it goes next.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return source, nil
}

// mechanism returns the SASL mechanism that asks the source for each session.
func (s *tokenSource) mechanism() sasl.Mechanism {
	return oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
		token, err := s.get(ctx)
		if err != nil {
			return oauth.Auth{}, err
		}
		return oauth.Auth{Token: token.Reveal(), Extensions: s.oauth.Extensions}, nil
	})
}

// get returns a token that is valid now. One past its refresh time is used on
// while no new one can be had, up to its expiry.
func (s *tokenSource) get(ctx context.Context) (Secret, error) {
	if s.file != "" {
		token, err := secretFile(s.file)
		if err != nil {
			return "", &tokenError{reason: err.Error(), temporary: true}
		}
		return Secret(strings.TrimSpace(token.Reveal())), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if s.token != "" && now.Before(s.refresh) {
		return s.token, nil
	}
	token, life, err := s.fetch(ctx)
	if err != nil {
		if s.token != "" && now.Before(s.expiry) {
			return s.token, nil
		}
		return "", err
	}
	s.token = token
	s.refresh = now.Add(time.Duration(float64(life) * refreshAt))
	s.expiry = now.Add(life)
	return token, nil
}

// fetch does the client-credentials grant; the credentials go in the
// Authorization header (RFC 6749 §2.3.1), as Kafka's clients send them.
func (s *tokenSource) fetch(ctx context.Context) (Secret, time.Duration, error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	if s.oauth.Scope != "" {
		form.Set("scope", s.oauth.Scope)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.oauth.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, &tokenError{reason: "the token endpoint is not a URL"}
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	request.SetBasicAuth(s.oauth.ClientID, s.oauth.ClientSecret.Reveal())
	response, err := s.client.Do(request)
	if err != nil {
		return "", 0, &tokenError{reason: transportReason(err, request.URL.Host), temporary: true}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxTokenBytes))
	if err != nil {
		return "", 0, &tokenError{reason: "read the answer of " + request.URL.Host + ": connection broken", temporary: true}
	}
	if response.StatusCode != http.StatusOK {
		return "", 0, refusal(response.StatusCode, body, request.URL.Host)
	}
	var answer struct {
		AccessToken Secret      `json:"access_token"`
		ExpiresIn   json.Number `json:"expires_in"` // some servers send it as a string
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.AccessToken == "" {
		return "", 0, &tokenError{reason: request.URL.Host + " answered without an access_token"}
	}
	life := time.Duration(0) // unknown life: ask again for the next connection
	if seconds, err := answer.ExpiresIn.Float64(); err == nil && seconds > 0 {
		life = time.Duration(min(seconds, (30*24*time.Hour).Seconds()) * float64(time.Second))
	}
	return answer.AccessToken, life, nil
}

// transportReason drops the URL, which net/http puts into its errors.
func transportReason(err error, host string) string {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return "ask " + host + ": " + err.Error()
}

// refusal describes an answer other than 200. Of its body only the error code of
// RFC 6749 §5.2 is shown, and only if it is one of the known ones.
func refusal(status int, body []byte, host string) error {
	if status >= 300 && status < 400 {
		return &tokenError{reason: fmt.Sprintf("%s answered %d, a redirect; it is not followed, because the client secret would go with it: set %s to the final address", host, status, keyOAuthURL)}
	}
	reason := fmt.Sprintf("%s answered %d", host, status)
	var answer struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &answer) == nil {
		switch answer.Error {
		case "invalid_client", "invalid_grant", "invalid_request", "invalid_scope", "unauthorized_client", "unsupported_grant_type":
			reason += " " + answer.Error
		}
	}
	return &tokenError{reason: reason, temporary: status >= 500 || status == http.StatusTooManyRequests}
}
