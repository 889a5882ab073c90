package kafkaconf

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// authority is a certificate authority made for one test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	a := &authority{cert: cert, key: key, dir: t.TempDir()}
	require.NoError(t, os.WriteFile(a.caFile(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return a
}

func (a *authority) caFile() string { return filepath.Join(a.dir, "ca.pem") }

// issue returns the chain and the key, as PEM, of a certificate for host.
func (a *authority) issue(t *testing.T, host string, end time.Time) (chain, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: host},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: end,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

func (a *authority) serverConfig(t *testing.T, host string, end time.Time) *tls.Config {
	t.Helper()
	chain, key := a.issue(t, host, end)
	pair, err := tls.X509KeyPair(chain, key)
	require.NoError(t, err)
	return &tls.Config{Certificates: []tls.Certificate{pair}}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

func broker(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return cluster
}

// logBuffer is a slog destination that several goroutines may write to.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *logBuffer) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// ping connects with the settings of text and returns what the first request
// says; everything logged at debug level goes to logs.
func ping(t *testing.T, cluster *kfake.Cluster, logs *logBuffer, text string) error {
	t.Helper()
	client, unknown, err := parse(t, text+"\nrequest.timeout.ms=2000\nretry.backoff.ms=10\n")
	require.NoError(t, err)
	require.Empty(t, unknown)
	client.BootstrapServers = cluster.ListenAddrs()
	opts, err := client.Options(logs.logger())
	require.NoError(t, err)
	kc, err := kgo.NewClient(append(opts, kgo.RequestRetries(1))...)
	require.NoError(t, err)
	defer kc.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return kc.Ping(ctx)
}

func TestTLS(t *testing.T) {
	ca, other := newAuthority(t, "ours"), newAuthority(t, "theirs")
	good := broker(t, kfake.TLS(ca.serverConfig(t, "127.0.0.1", time.Now().Add(time.Hour))))
	wrongHost := broker(t, kfake.TLS(ca.serverConfig(t, "kafka.example", time.Now().Add(time.Hour))))
	expired := broker(t, kfake.TLS(ca.serverConfig(t, "127.0.0.1", time.Now().Add(-time.Hour))))
	oldConfig := ca.serverConfig(t, "127.0.0.1", time.Now().Add(time.Hour))
	oldConfig.MinVersion, oldConfig.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	old := broker(t, kfake.TLS(oldConfig))
	v12Config := ca.serverConfig(t, "127.0.0.1", time.Now().Add(time.Hour))
	v12Config.MaxVersion = tls.VersionTLS12
	v12 := broker(t, kfake.TLS(v12Config))
	plain := broker(t)

	trust := func(a *authority) string {
		return "security.protocol=SSL\nssl.truststore.location=" + a.caFile() + "\n"
	}
	noHost := "ssl.endpoint.identification.algorithm=\n"
	tests := []struct {
		name    string
		cluster *kfake.Cluster
		text    string
		want    string // "" for success
	}{
		{"own authority", good, trust(ca), ""},
		{"own authority, librdkafka key", good, "security.protocol=ssl\nssl.ca.location=" + ca.caFile(), ""},
		{"system roots do not know it", good, "security.protocol=SSL", "give the cluster's authority"},
		{"another authority", good, trust(other), "give the cluster's authority"},
		{"wrong host", wrongHost, trust(ca), "advertised.listeners"},
		{"wrong host, check off", wrongHost, trust(ca) + noHost, ""},
		{"check off still verifies the chain", wrongHost, trust(other) + noHost, "unknown authority"},
		{"check off still verifies the dates", expired, trust(ca) + noHost, "expired"},
		{"expired", expired, trust(ca), "renew the broker's certificate"},
		{"TLS 1.1 broker", old, trust(ca), "protocol version"},
		{"TLS 1.2 broker", v12, trust(ca), ""},
		{"TLS 1.3 demanded", v12, trust(ca) + "ssl.enabled.protocols=TLSv1.3", "protocol version"},
		{"plaintext client, TLS broker", good, "security.protocol=PLAINTEXT", "is TLS missing?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var logs logBuffer
			err := ping(t, tt.cluster, &logs, tt.text)
			if tt.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.want)
			}
			assert.Equal(t, strings.Contains(tt.text, noHost), strings.Contains(logs.String(), "INSECURE"))
		})
	}
	t.Run("TLS client, plaintext broker", func(t *testing.T) {
		// kfake waits for the rest of what it takes for a request of 369 MB.
		var logs logBuffer
		require.Error(t, ping(t, plain, &logs, trust(ca)+"socket.connection.setup.timeout.ms=200"))
	})
}

func TestMutualTLSReloadsRenewedFiles(t *testing.T) {
	ca := newAuthority(t, "ours")
	server := ca.serverConfig(t, "127.0.0.1", time.Now().Add(time.Hour))
	server.ClientAuth, server.ClientCAs = tls.RequireAndVerifyClientCert, ca.pool()
	cluster := broker(t, kfake.TLS(server))
	trust := "security.protocol=SSL\nssl.truststore.location=" + ca.caFile() + "\n"
	var logs logBuffer

	require.ErrorContains(t, ping(t, cluster, &logs, trust), "certificate required")

	chain, key := ca.issue(t, "client", time.Now().Add(time.Hour))
	store := filepath.Join(t.TempDir(), "client.pem")
	require.NoError(t, os.WriteFile(store, append(key, chain...), 0o600))
	require.NoError(t, ping(t, cluster, &logs, trust+"ssl.keystore.type=PEM\nssl.keystore.location="+store))

	inline := Client{Security: Security{Protocol: ProtocolSSL, TLS: TLS{CAFile: ca.caFile(), Cert: string(chain), Key: Secret(key)}}}
	pair, err := inline.Security.TLS.keyPair()
	require.NoError(t, err)
	require.Len(t, pair.Certificate, 1)

	// One dialer, three states of the file: expired, renewed, unreadable.
	expiredChain, expiredKey := ca.issue(t, "client", time.Now().Add(-time.Hour))
	require.NoError(t, os.WriteFile(store, append(expiredKey, expiredChain...), 0o600))
	dialer := &tlsDialer{tls: TLS{CAFile: ca.caFile(), CertFile: store, KeyFile: store}, timeout: 5 * time.Second, logger: logs.logger()}
	handshake := func() error {
		conn, err := dialer.dial(t.Context(), "tcp", cluster.ListenAddrs()[0])
		if err != nil {
			return err
		}
		defer conn.Close()
		// In TLS 1.3 the server judges our certificate after our part of the
		// handshake; an accepted connection answers ApiVersions.
		_, err = conn.Write([]byte{0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff})
		if err != nil {
			return err
		}
		_, err = conn.Read(make([]byte, 1))
		return err
	}
	require.Error(t, handshake(), "expired client certificate")
	require.NoError(t, os.WriteFile(store, append(key, chain...), 0o600))
	require.NoError(t, handshake(), "renewed")
	require.NoError(t, os.WriteFile(store, []byte("half written"), 0o600))
	require.NoError(t, handshake(), "a half written file leaves the last good one in use")
	assert.Contains(t, logs.String(), "TLS files are unreadable")
}

func TestOptionsFailBeforeDialing(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	ca := newAuthority(t, "ours")
	chain, key := ca.issue(t, "client", time.Now().Add(time.Hour))
	_, otherKey := ca.issue(t, "client", time.Now().Add(time.Hour))
	encrypted := "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
	tests := []struct {
		name string
		tls  TLS
		want string
	}{
		{"absent authorities", TLS{CAFile: dir + "/absent.pem"}, "absent.pem"},
		{"not PEM", TLS{CAFile: write("garbage", "garbage")}, "no PEM certificate"},
		{"encrypted key", TLS{Cert: string(chain), Key: Secret(encrypted)}, "openssl pkey"},
		{"key of another certificate", TLS{Cert: string(chain), Key: Secret(otherKey)}, "does not match"},
		{"absent key", TLS{Cert: string(chain), KeyFile: dir + "/absent.key"}, "absent.key"},
		{"key where the certificate belongs", TLS{Cert: string(key), Key: Secret(key)}, "read client certificate and key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := Client{BootstrapServers: []string{"127.0.0.1:1"}, Security: Security{Protocol: ProtocolSSL, TLS: tt.tls}}
			_, err := client.Options(nil)
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, err := Client{}.Options(nil)
	require.ErrorContains(t, err, "bootstrap.servers")
	_, err = Client{BootstrapServers: []string{"a:1"}, Security: Security{Protocol: ProtocolSASLPlaintext, SASL: SASL{Mechanism: MechanismPlain}}}.Options(nil)
	require.ErrorIs(t, err, ErrInsecure, "a Client made in code is held to the same rule")
}

func TestSASL(t *testing.T) {
	cluster := broker(t, kfake.EnableSASL(),
		kfake.Superuser("PLAIN", "alice", canary), kfake.Superuser("SCRAM-SHA-256", "bob", canary), kfake.Superuser("SCRAM-SHA-512", "carol", canary))
	settings := func(mechanism, module, user, password string) string {
		return fmt.Sprintf("security.protocol=SASL_PLAINTEXT\neosproc.allow.plaintext.sasl=true\nsasl.mechanism=%s\n"+
			"sasl.jaas.config=org.apache.kafka.%s required username=\"%s\" password=\"%s\";\n", mechanism, module, user, password)
	}
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"PLAIN", settings("PLAIN", "PlainLoginModule", "alice", canary), true},
		{"SCRAM-SHA-256", settings("SCRAM-SHA-256", "ScramLoginModule", "bob", canary), true},
		{"SCRAM-SHA-512", settings("SCRAM-SHA-512", "ScramLoginModule", "carol", canary), true},
		{"PLAIN, wrong password", settings("PLAIN", "PlainLoginModule", "alice", canary+"x"), false},
		{"SCRAM, wrong password", settings("SCRAM-SHA-256", "ScramLoginModule", "bob", canary+"x"), false},
		{"SCRAM, wrong user", settings("SCRAM-SHA-512", "ScramLoginModule", "bob", canary), false},
		{"no SASL", "security.protocol=PLAINTEXT", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var logs logBuffer
			err := ping(t, cluster, &logs, tt.text)
			if tt.ok {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
				assert.NotContains(t, err.Error(), canary)
			}
			assert.NotEmpty(t, logs.String(), "kgo logs to the logger given")
			assert.NotContains(t, logs.String(), canary)
		})
	}
	var logs logBuffer
	require.NoError(t, ping(t, cluster, &logs, tests[1].text))
	assert.Contains(t, logs.String(), "SASL without TLS")
}

func TestBackoff(t *testing.T) {
	pause := backoff(100*time.Millisecond, time.Second)
	assert.InDelta(t, 100, pause(1).Milliseconds(), 21)
	assert.InDelta(t, 400, pause(3).Milliseconds(), 81)
	assert.LessOrEqual(t, pause(1000), time.Second)
	assert.InDelta(t, 100, pause(0).Milliseconds(), 21)
}
