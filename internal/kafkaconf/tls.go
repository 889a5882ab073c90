package kafkaconf

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// config reads the material and builds the TLS settings for one connection to
// host. It reads the files each time: connections are rare, and no watch can
// then miss a renewal.
func (t TLS) config(host string) (*tls.Config, error) {
	c := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if t.MinTLS13 {
		c.MinVersion = tls.VersionTLS13
	}
	roots, err := readRoots(t.CAFile, t.CA)
	if err != nil {
		return nil, err
	}
	c.RootCAs = roots
	pair, err := t.keyPair()
	if err != nil {
		return nil, err
	}
	if pair != nil {
		c.Certificates = []tls.Certificate{*pair}
	}
	if t.SkipHostCheck {
		// crypto/tls has no switch for the host name alone: its own verification
		// goes off, and VerifyConnection does the chain without the name.
		c.InsecureSkipVerify = true
		c.VerifyConnection = func(state tls.ConnectionState) error {
			return verifyChain(state.PeerCertificates, roots)
		}
	}
	return c, nil
}

func verifyChain(chain []*x509.Certificate, roots *x509.CertPool) error {
	if len(chain) == 0 {
		return errors.New("verify broker certificate: none was sent")
	}
	intermediates := x509.NewCertPool()
	for _, certificate := range chain[1:] {
		intermediates.AddCert(certificate)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates})
	if err != nil {
		return fmt.Errorf("verify broker certificate: %w", err)
	}
	return nil
}

// readRoots returns the pool of the given authorities, or nil for the system's.
func readRoots(file, inline string) (*x509.CertPool, error) {
	text, from := inline, keyTrustCerts
	if inline == "" {
		if file == "" {
			return nil, nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read certificate authorities: %w", err)
		}
		text, from = string(data), file
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(text)) {
		return nil, fmt.Errorf("read certificate authorities: %w: no PEM certificate in %s", ErrInvalid, from)
	}
	return roots, nil
}

// keyPair returns the client's certificate, or nil if there is none.
func (t TLS) keyPair() (*tls.Certificate, error) {
	chain, err := inlineOrFile(t.Cert, t.CertFile)
	if err != nil {
		return nil, fmt.Errorf("read client certificate: %w", err)
	}
	key, err := inlineOrFile(t.Key.Reveal(), t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read client key: %w", err)
	}
	if chain == nil && key == nil {
		return nil, nil
	}
	if encryptedKey(key) {
		return nil, fmt.Errorf("read client key: %w: the key is encrypted; decrypt it with `openssl pkey -in key.pem -out plain.pem` and protect the file with chmod 600", ErrUnsupported)
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		// crypto/tls says what kinds of PEM blocks it met, nothing of their content.
		return nil, fmt.Errorf("read client certificate and key: %w", err)
	}
	return &pair, nil
}

func inlineOrFile(inline, file string) ([]byte, error) {
	if inline != "" {
		return []byte(inline), nil
	}
	if file == "" {
		return nil, nil
	}
	return os.ReadFile(file)
}

func encryptedKey(text []byte) bool {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") {
			return true
		}
	}
	return false
}

// tlsDialer opens TLS connections with the material as it is on the disk then.
type tlsDialer struct {
	tls     TLS
	timeout time.Duration
	logger  *slog.Logger

	mu   sync.Mutex
	last *tls.Config // the latest readable settings; guarded by mu
}

// settings returns the TLS settings for host. A file that cannot be read while it
// is being renewed must not cut off a running process: the last good settings
// serve on, with a warning.
func (d *tlsDialer) settings(host string) (*tls.Config, error) {
	fresh, err := d.tls.config(host)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		d.last = fresh
		return fresh, nil
	}
	if d.last == nil {
		return nil, err
	}
	d.logger.Warn("TLS files are unreadable; the previous ones stay in use", "err", err)
	old := d.last.Clone()
	old.ServerName = host
	return old, nil
}

// dial has the signature that kgo.Dialer wants.
func (d *tlsDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("split broker address: %w", err)
	}
	settings, err := d.settings(host)
	if err != nil {
		return nil, err
	}
	// The limit covers the handshake too: a plaintext listener never answers one.
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	dialer := tls.Dialer{NetDialer: &net.Dialer{}, Config: settings}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, explainTLS(err, host)
	}
	return conn, nil
}

// explainTLS adds the remedy to the failures that users meet most.
func explainTLS(err error, host string) error {
	var (
		wrongHost x509.HostnameError
		unknown   x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &wrongHost):
		return fmt.Errorf("%w (bootstrap.servers and advertised.listeners must use a name that the certificate holds; %q is not one)", err, host)
	case errors.As(err, &unknown):
		return fmt.Errorf("%w (give the cluster's authority as PEM with ssl.truststore.location or ssl.ca.location)", err)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Errorf("%w (renew the broker's certificate, or check this machine's clock)", err)
	case errors.As(err, &record):
		return fmt.Errorf("%w (the listener speaks no TLS: check the port, or security.protocol)", err)
	default:
		return err
	}
}
