package kafkaconf

import (
	"strconv"
	"strings"
	"time"
)

// Redacted returns the settings in effect under Kafka's names, for dumps and
// support bundles: what is not set is left out, every secret is "***".
func (c Client) Redacted() map[string]string {
	out := make(map[string]string)
	put := func(key, value string) {
		if value != "" {
			out[key] = value
		}
	}
	millis := func(key string, d time.Duration) {
		if d > 0 {
			out[key] = strconv.FormatInt(d.Milliseconds(), 10)
		}
	}
	inline := func(key, pem string) {
		if pem != "" {
			out[key] = "(inline PEM)"
		}
	}
	put(keyBootstrapServers, strings.Join(c.BootstrapServers, ","))
	put(keyClientID, c.ClientID)
	put(keyClientRack, c.ClientRack)
	millis(keyRequestTimeout, c.RequestTimeout)
	millis(keySetupTimeout, c.DialTimeout)
	millis(keyMetadataAge, c.MetadataMaxAge)
	millis(keyConnIdle, c.ConnIdle)
	millis(keyRetryBackoff, c.Backoff)
	millis(keyRetryBackoffMax, c.BackoffMax)

	s := c.Security
	put(keyProtocol, string(s.Protocol))
	if s.AllowPlaintextSASL {
		put(keyAllowPlain, "true")
	}
	if s.Protocol.tls() {
		put(keyTrustLocation, s.TLS.CAFile)
		inline(keyTrustCerts, s.TLS.CA)
		put(keyCertLocation, s.TLS.CertFile)
		inline(keyStoreChain, s.TLS.Cert)
		put(keyKeyLocation, s.TLS.KeyFile)
		put(keyStoreKey, s.TLS.Key.String())
		if s.TLS.SkipHostCheck {
			out[keyHostCheck] = ""
		}
		if s.TLS.MinTLS13 {
			out[keyTLSProtocols] = "TLSv1.3"
		}
	}
	if s.Protocol.sasl() {
		put(keyMechanism, string(s.SASL.Mechanism))
		put(keyUsername, s.SASL.Username)
		put(keyPassword, s.SASL.Password.String())
		put(keyOAuthURL, redactURL(s.SASL.OAuth.TokenURL))
		put(keyOAuthClientID, s.SASL.OAuth.ClientID)
		put(keyOAuthClientSecret, s.SASL.OAuth.ClientSecret.String())
		put(keyOAuthScope, s.SASL.OAuth.Scope)
		put(keyOAuthCA, s.SASL.OAuth.CAFile)
		for key := range s.SASL.OAuth.Extensions {
			// Extensions are free text that some brokers use as API keys.
			put("extension_"+key, mask)
		}
	}
	return out
}

// redactURL hides a query, where some endpoints take keys.
func redactURL(raw string) string {
	if before, _, found := strings.Cut(raw, "?"); found {
		return before + "?" + mask
	}
	return raw
}
