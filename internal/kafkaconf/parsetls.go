package kafkaconf

import (
	"fmt"
	"strings"
)

func (p *parser) tls(t *TLS) {
	t.CAFile = p.text(keyCALocation)
	t.CA = p.text(keyTrustCerts, keyCAPEM)
	if location := p.text(keyTrustLocation); location != "" && p.pemStore(keyTrustType, keyTrustLocation, location) {
		t.CAFile = location
	}
	t.CertFile, t.KeyFile = p.text(keyCertLocation), p.text(keyKeyLocation)
	t.Cert, t.Key = p.text(keyStoreChain, keyCertPEM), p.secret(keyStoreKey, keyKeyPEM)
	if location := p.text(keyStoreLocation); location != "" && p.pemStore(keyStoreType, keyStoreLocation, location) {
		// Kafka's PEM key store is one file with the key and its chain.
		t.CertFile, t.KeyFile = location, location
	}
	if _, set := p.props[keyKeyPassword]; set {
		p.fail(keyKeyPassword, ErrUnsupported, "encrypted keys are not read; decrypt it with `openssl pkey -in key.pem -out plain.pem`, protect the file with chmod 600, and remove the password")
	}
	if (t.Cert != "" || t.CertFile != "") != (t.Key != "" || t.KeyFile != "") {
		p.fail(keyStoreLocation, ErrInvalid, "mTLS needs both a certificate chain and its private key")
	}
	if value, set := p.props[keyHostCheck]; set {
		switch strings.ToLower(strings.TrimSpace(value)) {
		case "", "none":
			t.SkipHostCheck = true
		case "https":
		default:
			p.fail(keyHostCheck, ErrInvalid, "must be https, or empty for no check of the host name")
		}
	}
	if !p.boolean(keyVerify, true) {
		p.fail(keyVerify, ErrUnsupported, "an unverified connection can be read by anyone in between; give the cluster's authority with "+keyCALocation)
	}
	p.tlsVersions(t)
}

// pemStore reports whether the store named by locationKey is PEM, and otherwise
// says how to make one. Like Kafka, a store without a type is JKS, except where
// its name says PEM.
func (p *parser) pemStore(typeKey, locationKey, location string) bool {
	kind := strings.ToUpper(p.text(typeKey))
	lower := strings.ToLower(location)
	named := strings.HasSuffix(lower, ".pem") || strings.HasSuffix(lower, ".crt") || strings.HasSuffix(lower, ".cer")
	if kind == "PEM" || kind == "" && named {
		return true
	}
	if kind == "" {
		kind = "JKS"
	}
	convert := fmt.Sprintf("keytool -importkeystore -srckeystore %s -destkeystore store.p12 -deststoretype PKCS12", location)
	source := "store.p12"
	if kind == "PKCS12" {
		convert, source = "", location
	} else {
		convert += " && "
	}
	if typeKey == keyTrustType {
		// openssl lists only certificates that come with a key unless told -nokeys.
		convert += fmt.Sprintf("openssl pkcs12 -in %s -nokeys -out truststore.pem", source)
	} else {
		convert += fmt.Sprintf("openssl pkcs12 -in %s -nodes -out keystore.pem", source)
	}
	p.fail(locationKey, ErrUnsupported, fmt.Sprintf("%s stores are not read; convert it once with `%s`, then set %s=PEM and %s to the new file", kind, convert, typeKey, locationKey))
	return false
}

// tlsVersions reads the versions that Java lists. Versions below 1.2 are never
// used, so a list with nothing else cannot be met.
func (p *parser) tlsVersions(t *TLS) {
	for _, key := range []string{keyTLSProtocols, keyTLSProtocol} {
		listed := p.text(key)
		if listed == "" {
			continue
		}
		var v12, v13 bool
		for version := range strings.SplitSeq(listed, ",") {
			switch strings.TrimSpace(version) {
			case "TLSv1.2":
				v12 = true
			case "TLSv1.3":
				v13 = true
			}
		}
		switch {
		case key == keyTLSProtocol && listed == "TLS":
		case !v12 && !v13:
			p.fail(key, ErrInsecure, "TLS 1.2 is the oldest version offered; list TLSv1.2 or TLSv1.3")
		case key == keyTLSProtocols && v13 && !v12:
			t.MinTLS13 = true
		}
	}
}
