package kafkaconf

import "slices"

// The keys read by FromProperties. Names are Kafka's (Java) where both Java and
// librdkafka have one.
const (
	keyBootstrapServers = "bootstrap.servers"
	keyBrokerList       = "metadata.broker.list"
	keyClientID         = "client.id"
	keyClientRack       = "client.rack"

	keyProtocol      = "security.protocol"
	keyMechanism     = "sasl.mechanism"
	keyMechanisms    = "sasl.mechanisms"
	keyJAAS          = "sasl.jaas.config"
	keyUsername      = "sasl.username"
	keyPassword      = "sasl.password"
	keyLoginCallback = "sasl.login.callback.handler.class"
	keyAllowPlain    = "eosproc.allow.plaintext.sasl"

	keyOAuthMethod       = "sasl.oauthbearer.method"
	keyOAuthURL          = "sasl.oauthbearer.token.endpoint.url"
	keyOAuthClientID     = "sasl.oauthbearer.client.credentials.client.id"
	keyOAuthClientSecret = "sasl.oauthbearer.client.credentials.client.secret"
	keyOAuthScope        = "sasl.oauthbearer.scope"
	keyOAuthExtensions   = "sasl.oauthbearer.extensions"
	keyOAuthCA           = "https.ca.location"
	// librdkafka's names of the same two.
	keyOAuthClientIDShort     = "sasl.oauthbearer.client.id"
	keyOAuthClientSecretShort = "sasl.oauthbearer.client.secret"

	keyTrustType     = "ssl.truststore.type"
	keyTrustLocation = "ssl.truststore.location"
	keyTrustCerts    = "ssl.truststore.certificates"
	keyTrustPassword = "ssl.truststore.password"
	keyStoreType     = "ssl.keystore.type"
	keyStoreLocation = "ssl.keystore.location"
	keyStoreKey      = "ssl.keystore.key"
	keyStoreChain    = "ssl.keystore.certificate.chain"
	keyStorePassword = "ssl.keystore.password"
	keyKeyPassword   = "ssl.key.password"
	keyCALocation    = "ssl.ca.location"
	keyCAPEM         = "ssl.ca.pem"
	keyCertLocation  = "ssl.certificate.location"
	keyCertPEM       = "ssl.certificate.pem"
	keyKeyLocation   = "ssl.key.location"
	keyKeyPEM        = "ssl.key.pem"
	keyHostCheck     = "ssl.endpoint.identification.algorithm"
	keyVerify        = "enable.ssl.certificate.verification"
	keyTLSProtocols  = "ssl.enabled.protocols"
	keyTLSProtocol   = "ssl.protocol"

	keyRequestTimeout      = "request.timeout.ms"
	keySetupTimeout        = "socket.connection.setup.timeout.ms"
	keyMetadataAge         = "metadata.max.age.ms"
	keyConnIdle            = "connections.max.idle.ms"
	keyReconnectBackoff    = "reconnect.backoff.ms"
	keyReconnectBackoffMax = "reconnect.backoff.max.ms"
	keyRetryBackoff        = "retry.backoff.ms"
	keyRetryBackoffMax     = "retry.backoff.max.ms"
)

var knownKeys = []string{
	keyBootstrapServers, keyBrokerList, keyClientID, keyClientRack,
	keyProtocol, keyMechanism, keyMechanisms, keyJAAS, keyUsername, keyPassword, keyLoginCallback, keyAllowPlain,
	keyOAuthMethod, keyOAuthURL, keyOAuthClientID, keyOAuthClientSecret, keyOAuthScope, keyOAuthExtensions, keyOAuthCA,
	keyOAuthClientIDShort, keyOAuthClientSecretShort,
	keyTrustType, keyTrustLocation, keyTrustCerts, keyTrustPassword,
	keyStoreType, keyStoreLocation, keyStoreKey, keyStoreChain, keyStorePassword, keyKeyPassword,
	keyCALocation, keyCAPEM, keyCertLocation, keyCertPEM, keyKeyLocation, keyKeyPEM,
	keyHostCheck, keyVerify, keyTLSProtocols, keyTLSProtocol,
	keyRequestTimeout, keySetupTimeout, keyMetadataAge, keyConnIdle,
	keyReconnectBackoff, keyReconnectBackoffMax, keyRetryBackoff, keyRetryBackoffMax,
}

// secretKeys hold a secret, or a text with one in it.
var secretKeys = []string{
	keyJAAS, keyPassword, keyOAuthClientSecret, keyOAuthClientSecretShort,
	keyStoreKey, keyKeyPEM, keyKeyPassword, keyStorePassword, keyTrustPassword,
	"basic.auth.user.info", "schema.registry.basic.auth.user.info",
}

// noEffectKeys are Java's settings about things that Go does by itself or not at
// all; they are accepted so that a Java file works as it is.
var noEffectKeys = []string{
	"client.dns.lookup", "security.providers", "ssl.provider", "ssl.keymanager.algorithm",
	"ssl.trustmanager.algorithm", "ssl.secure.random.implementation", "enable.metrics.push",
	"sasl.login.connect.timeout.ms", "sasl.login.read.timeout.ms",
	"sasl.login.retry.backoff.ms", "sasl.login.retry.backoff.max.ms",
	"sasl.login.refresh.window.factor", "sasl.login.refresh.window.jitter",
	"sasl.login.refresh.min.period.seconds", "sasl.login.refresh.buffer.seconds",
	"sasl.login.class", "socket.connection.setup.timeout.max.ms",
	"send.buffer.bytes", "receive.buffer.bytes",
}

// refusedKeys change what is trusted or who we are, in ways that we do not offer:
// going on without them would not be the connection the user asked for.
var refusedKeys = map[string]string{
	"ssl.cipher.suites":                  "Go chooses the cipher suites of TLS 1.2 and 1.3 itself; remove it",
	"ssl.engine.factory.class":           "a Java class cannot be loaded; give PEM files with ssl.truststore.location and ssl.keystore.location",
	"sasl.client.callback.handler.class": "a Java class cannot be loaded; use PLAIN, SCRAM or OAUTHBEARER with their own settings",
	"sasl.kerberos.service.name":         "Kerberos (GSSAPI) is not offered; use SCRAM-SHA-512, OAUTHBEARER or mTLS",
	"sasl.oauthbearer.jwt.retriever.class": "a Java class cannot be loaded; use sasl.oauthbearer.token.endpoint.url, " +
		"with file:///path for a token that another program keeps fresh",
}

// KnownKeys returns the keys that FromProperties understands, for suggestions and
// completions. The slice is the caller's.
func KnownKeys() []string { return append(slices.Clone(knownKeys), noEffectKeys...) }
