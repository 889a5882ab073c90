package registryconf

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// tlsConfig reads the PEM material.
func tlsConfig(t kafkaconf.TLS) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.MinTLS13 {
		c.MinVersion = tls.VersionTLS13
	}
	if t.CA != "" || t.CAFile != "" {
		text, err := inlineOrFile(t.CA, t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read schema registry's certificate authorities: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, errors.New("read schema registry's certificate authorities: no PEM certificate (schema.registry.ssl.truststore.location)")
		}
	}
	if t.Cert == "" && t.CertFile == "" {
		return c, nil
	}
	if _, err := keyPair(t); err != nil {
		return nil, err
	}
	// Read again for each connection, so that a renewed certificate takes effect.
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return keyPair(t) }
	return c, nil
}

func keyPair(t kafkaconf.TLS) (*tls.Certificate, error) {
	chain, err := inlineOrFile(t.Cert, t.CertFile)
	if err != nil {
		return nil, fmt.Errorf("read schema registry's client certificate: %w", err)
	}
	key, err := inlineOrFile(t.Key.Reveal(), t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read schema registry's client key: %w", err)
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		// crypto/tls names kinds of PEM blocks, nothing of their content.
		return nil, fmt.Errorf("read schema registry's client certificate and key: %w", err)
	}
	return &pair, nil
}

func inlineOrFile(inline, file string) ([]byte, error) {
	if inline != "" {
		return []byte(inline), nil
	}
	return os.ReadFile(file)
}
