package registryconf_test

import (
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/codec/registry"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/registryconf"
)

// connect returns the error of connecting only.
func connect(t *testing.T, ctx context.Context, props map[string]string) error {
	t.Helper()
	_, done, err := registryconf.Connect(ctx, parse(t, props))
	if err == nil {
		done()
	}
	return err
}

func TestRegistryThatDoesNotAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	at := "http://ann:s3cret@" + l.Addr().String()
	err = connect(t, t.Context(), map[string]string{"schema.registry.url": at})
	require.ErrorIs(t, err, codec.ErrUnavailable)
	require.ErrorContains(t, err, "schema registry at http://"+l.Addr().String()+" unavailable (schema.registry.url)")
	require.NotContains(t, err.Error(), "s3cret")

	// The second address serves when the first does not answer.
	f := newFixture(t)
	require.NoError(t, connect(t, t.Context(), map[string]string{"schema.registry.url": "http://" + l.Addr().String() + "," + f.URL()}))
	f.down.Store(true)
	err = connect(t, t.Context(), map[string]string{"schema.registry.url": f.URL()})
	require.ErrorIs(t, err, codec.ErrUnavailable)
	require.ErrorContains(t, err, "down for maintenance")
	require.ErrorIs(t, connect(t, t.Context(), nil), registryconf.ErrNoRegistry)
}

func TestRegistryThatHangs(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	start := time.Now()
	require.ErrorIs(t, connect(t, ctx, map[string]string{"schema.registry.url": server.URL}), codec.ErrUnavailable)
	require.Less(t, time.Since(start), registryconf.StartTimeout)
}

func TestUserAndPassword(t *testing.T) {
	f := newFixture(t, srfake.WithAuth("Basic YW5uOnMzY3JldA==")) // ann:s3cret
	secret := filepath.Join(t.TempDir(), "user")
	require.NoError(t, os.WriteFile(secret, []byte("ann:s3cret\n"), 0o600))
	require.NoError(t, connect(t, t.Context(), map[string]string{"schema.registry.url": f.URL(), "basic.auth.user.info": "file:" + secret}))
	require.NoError(t, connect(t, t.Context(), map[string]string{"schema.registry.url": strings.Replace(f.URL(), "://", "://ann:s3cret@", 1)}))
	err := connect(t, t.Context(), map[string]string{"schema.registry.url": f.URL(), "basic.auth.user.info": "ann:wr0ng"})
	require.ErrorContains(t, err, "refuses the user (basic.auth.user.info)")
	require.NotErrorIs(t, err, codec.ErrUnavailable)
	require.NotContains(t, err.Error(), "wr0ng")
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(w, `["AVRO"]`)
		require.NoError(t, err)
	}))
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	require.NoError(t, connect(t, t.Context(), map[string]string{"schema.registry.url": server.URL, "schema.registry.ssl.truststore.location": ca}))
	require.ErrorContains(t, connect(t, t.Context(), map[string]string{"schema.registry.url": server.URL}), "certificate")
	require.ErrorContains(t, connect(t, t.Context(), map[string]string{"schema.registry.url": server.URL, "schema.registry.ssl.truststore.location": "/none.pem"}), "/none.pem")
	require.ErrorContains(t, connect(t, t.Context(), map[string]string{"schema.registry.url": server.URL, "schema.registry.ssl.truststore.location": ca,
		"schema.registry.ssl.certificate.location": ca, "schema.registry.ssl.key.location": ca}), "client certificate and key")
}

func TestPasswordIsNotSentInTheClearAfterTLS(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("was asked over http") }))
	defer plain.Close()
	server := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	err := connect(t, t.Context(), map[string]string{"schema.registry.url": server.URL, "schema.registry.ssl.truststore.location": ca, "basic.auth.user.info": "ann:s3cret"})
	require.ErrorContains(t, err, "from https to http")
}

func TestSchemas(t *testing.T) {
	f := newFixture(t)
	f.seed(t, "known", paymentSchema)
	value := map[string]any{"order": int64(1), "cents": int64(2)}
	for name, c := range map[string]struct {
		format pipeline.RegistryFormat
		more   map[string]string
		want   string
	}{
		"latest":                    {pipeline.RegistryFormat{Subject: "known", Written: true}, nil, ""},
		"only read":                 {pipeline.RegistryFormat{Subject: "none"}, nil, ""},
		"no subject":                {pipeline.RegistryFormat{Subject: "none", Written: true}, nil, "(register it, or name another subject: {avro: subject})"},
		"file known":                {pipeline.RegistryFormat{Subject: "known", Schema: paymentSchema, Written: true}, nil, ""},
		"file not known":            {pipeline.RegistryFormat{Subject: "known", Schema: orderSchema, Written: true}, nil, "or set auto.register.schemas=true"},
		"file is a must":            {pipeline.RegistryFormat{Subject: "known", Written: true}, map[string]string{"use.latest.version": "false"}, "use.latest.version=false asks for a schema file"},
		"registered":                {pipeline.RegistryFormat{Subject: "new", Schema: paymentSchema, Written: true}, map[string]string{"auto.register.schemas": "true"}, ""},
		"reading registers nothing": {pipeline.RegistryFormat{Subject: "read", Schema: paymentSchema}, map[string]string{"auto.register.schemas": "true"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			props := map[string]string{"schema.registry.url": f.URL()}
			for k, v := range c.more {
				props[k] = v
			}
			open, done, err := registryconf.Connect(t.Context(), parse(t, props))
			require.NoError(t, err)
			defer done()
			c.format.Name = "avro"
			made, err := open(c.format)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			done() // codecs live on
			b, err := made.Append(nil, value)
			if !c.format.Written {
				require.ErrorIs(t, err, registry.ErrDecodeOnly)
				require.False(t, f.SubjectExists(c.format.Subject))
				return
			}
			require.NoError(t, err)
			got, err := made.Decode(b)
			require.NoError(t, err)
			require.Equal(t, value, got)
		})
	}
	require.True(t, f.SubjectExists("new"))
}

func TestOtherFormats(t *testing.T) {
	f := newFixture(t)
	for subject, s := range map[string]sr.Schema{
		"p": {Type: sr.TypeProtobuf, Schema: "syntax = \"proto3\"; package a; message First { string x = 1; } message B { int64 n = 1; }"},
		"j": {Type: sr.TypeJSON, Schema: `{"type":"object","properties":{"n":{"type":"integer"}}}`},
	} {
		_, _, err := f.RegisterSchema(subject, s)
		require.NoError(t, err)
	}
	open, done, err := registryconf.Connect(t.Context(), parse(t, map[string]string{"schema.registry.url": f.URL()}))
	require.NoError(t, err)
	defer done()
	for _, format := range []pipeline.RegistryFormat{
		{Name: "protobuf", Subject: "p", Message: "a.B", Written: true}, {Name: "json_schema", Subject: "j", Written: true},
	} {
		made, err := open(format)
		require.NoError(t, err)
		b, err := made.Append(nil, map[string]any{"n": int64(5)})
		require.NoError(t, err)
		got, err := made.Decode(b)
		require.NoError(t, err)
		require.Equal(t, map[string]any{"n": int64(5)}, got)
	}
	_, err = open(pipeline.RegistryFormat{Name: "avro", Subject: "p", Written: true})
	require.ErrorIs(t, err, registry.ErrSchema)

	// One outage is one wait.
	f.down.Store(true)
	for range 3 {
		_, err = open(pipeline.RegistryFormat{Name: "avro", Subject: "x", Written: true})
		require.ErrorIs(t, err, codec.ErrUnavailable)
	}
	require.EqualValues(t, 1, f.refused.Load())
}
