package kafkaconf

import (
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// tokenServer answers with handler over TLS and returns settings that trust it.
func tokenServer(t *testing.T, handler http.HandlerFunc) OAuth {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are part of the tests
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "idp.pem")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	return OAuth{TokenURL: server.URL + "/token", ClientID: "id", ClientSecret: canary, Scope: "kafka", CAFile: ca}
}

func source(t *testing.T, o OAuth) *tokenSource {
	t.Helper()
	s, err := newTokenSource(o)
	require.NoError(t, err)
	return s
}

func TestTokenRequest(t *testing.T) {
	o := tokenServer(t, func(w http.ResponseWriter, r *http.Request) {
		id, secret, ok := r.BasicAuth()
		if r.Method != http.MethodPost || !ok || id != "id" || secret != canary ||
			r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "kafka" {
			http.Error(w, `{"error":"invalid_client"}`, http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"access_token":"tok","token_type":"Bearer","expires_in":"3600"}`) // a lost answer fails the test below
	})
	token, err := source(t, o).get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "tok", token.Reveal())

	o.ClientSecret = canary + "x"
	_, err = source(t, o).get(t.Context())
	require.ErrorContains(t, err, "401 invalid_client")
	assert.NotContains(t, err.Error(), canary)

	o.CAFile = ""
	_, err = source(t, o).get(t.Context())
	require.ErrorContains(t, err, "certificate", "the system's roots do not know the test server")
}

func TestTokenIsKeptAndRefreshed(t *testing.T) {
	var asked, down atomic.Int64
	o := tokenServer(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if down.Load() == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"access_token":"tok","expires_in":100}`) // a lost answer fails the test below
	})
	s := source(t, o)
	start := time.Now()
	at := func(seconds int) error {
		s.now = func() time.Time { return start.Add(time.Duration(seconds) * time.Second) }
		_, err := s.get(t.Context())
		return err
	}
	require.NoError(t, at(0))
	require.NoError(t, at(79))
	assert.EqualValues(t, 1, asked.Load(), "kept for 80 % of its life")
	require.NoError(t, at(81))
	assert.EqualValues(t, 2, asked.Load(), "refreshed before it ends")

	down.Store(1)
	require.NoError(t, at(81+90))
	assert.EqualValues(t, 3, asked.Load(), "the endpoint is away, the token still valid")
	err := at(81 + 101)
	require.Error(t, err, "the endpoint is away and the token over")
	var temporary interface{ Temporary() bool }
	require.True(t, errors.As(err, &temporary) && temporary.Temporary(), "kgo must try again")
	down.Store(0)
	require.NoError(t, at(81+102), "the endpoint is back")
}

func TestTokenEndpointFailures(t *testing.T) {
	var stolen atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stolen.Add(1)
		w.WriteHeader(http.StatusOK)
	}))
	defer thief.Close()
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", thief.URL)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body) // a lost answer fails the test below
		}
	}
	tests := []struct {
		name      string
		handler   http.HandlerFunc
		want      string
		temporary bool
	}{
		{"redirect 302", answer(302, ""), "a redirect; it is not followed", false},
		{"redirect 307", answer(307, ""), "a redirect; it is not followed", false},
		{"redirect 308", answer(308, ""), "a redirect; it is not followed", false},
		{"secret repeated in the answer", answer(400, `{"error":"`+canary+`","error_description":"`+canary+`"}`), "answered 400", false},
		{"unavailable", answer(503, canary), "answered 503", true},
		{"too many requests", answer(429, ""), "answered 429", true},
		{"no token", answer(200, `{"id_token":"`+canary+`"}`), "without an access_token", false},
		{"not JSON", answer(200, "<html>"+canary), "without an access_token", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := source(t, tokenServer(t, tt.handler)).get(t.Context())
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), canary)
			var temporary interface{ Temporary() bool }
			require.ErrorAs(t, err, &temporary)
			assert.Equal(t, tt.temporary, temporary.Temporary())
		})
	}
	assert.Zero(t, stolen.Load(), "no request followed a redirect")

	closed := httptest.NewTLSServer(nil)
	closed.Close()
	_, err := source(t, OAuth{TokenURL: closed.URL + "/?key=" + canary, ClientID: "id", ClientSecret: canary}).get(t.Context())
	require.ErrorContains(t, err, "refused")
	assert.NotContains(t, err.Error(), canary, "net/http's errors hold the URL")
}

func TestTokenFileIsReadEachTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	s := source(t, OAuth{TokenURL: "file://" + path})
	_, err := s.get(t.Context())
	require.Error(t, err)
	for _, want := range []string{"one", "two"} {
		require.NoError(t, os.WriteFile(path, []byte(want+"\n"), 0o600))
		token, err := s.get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, token.Reveal())
	}
}

// kfake has no OAUTHBEARER: its control hooks stand in for the broker's side.
func TestOAuthBearerReachesTheBroker(t *testing.T) {
	o := tokenServer(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"access_token":"`+canary+`-token","expires_in":3600}`) // a lost answer fails the test below
	})
	cluster := broker(t)
	var sent atomic.Pointer[string]
	cluster.ControlKey(kmsg.SASLHandshake.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLHandshakeResponse)
		if mechanism := req.(*kmsg.SASLHandshakeRequest).Mechanism; mechanism != "OAUTHBEARER" {
			return nil, errors.New("mechanism " + mechanism), true
		}
		return resp, nil, true
	})
	cluster.ControlKey(kmsg.SASLAuthenticate.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		text := string(req.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes)
		sent.Store(&text)
		return req.ResponseKind(), nil, true
	})
	var logs logBuffer
	err := ping(t, cluster, &logs, "security.protocol=SASL_PLAINTEXT\neosproc.allow.plaintext.sasl=true\nsasl.mechanism=OAUTHBEARER\n"+
		"sasl.oauthbearer.token.endpoint.url="+o.TokenURL+"\nhttps.ca.location="+o.CAFile+
		"\nsasl.oauthbearer.client.id=id\nsasl.oauthbearer.client.secret="+canary+"\nsasl.oauthbearer.extensions=cluster=lkc\n")
	require.NoError(t, err)
	require.NotNil(t, sent.Load())
	assert.Equal(t, "n,,\x01auth=Bearer "+canary+"-token\x01cluster=lkc\x01\x01", *sent.Load())
	assert.NotContains(t, logs.String(), canary)
}
