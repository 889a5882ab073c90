package settings

// connectionKeys are read by kafkaconf; only their documentation stands here. One
// connection serves all clients, so a prefixed form means the same as the plain one.
func connectionKeys() []key {
	rows := []key{
		{name: "bootstrap.servers", required: true, value: value{kind: TypeList}, doc: "Brokers to begin with, as host:port."},
		{name: "metadata.broker.list", value: value{kind: TypeList}, doc: "librdkafka's name of bootstrap.servers."},
		{name: "client.id", doc: "Name shown to the broker for its logs and quotas.", note: "made of application.id"},
		{name: "client.rack", doc: "Where this instance runs, so that it can read from near replicas."},

		{name: "security.protocol", byDefault: "PLAINTEXT", value: value{kind: TypeString, values: []string{"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"}},
			doc: "Whether the connection uses TLS, SASL, both or neither."},
		{name: "sasl.mechanism", value: value{kind: TypeString, values: []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"}},
			doc: "How to log in: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, or OAUTHBEARER."},
		{name: "sasl.mechanisms", doc: "librdkafka's name of sasl.mechanism."},
		{name: "sasl.jaas.config", secret: true, doc: "Kafka's login line with user name and password or with the OAuth client."},
		{name: "sasl.username", doc: "User of PLAIN and SCRAM."},
		{name: "sasl.password", secret: true, doc: "Password of PLAIN and SCRAM; better as file:/path or ${env:NAME}."},
		{name: "sasl.login.callback.handler.class", doc: "Only Kafka's OAuthBearerLoginCallbackHandler, whose flow is built in."},
		{name: "eosproc.allow.plaintext.sasl", byDefault: "false", value: value{kind: TypeBoolean}, doc: "Permits PLAIN, OAUTHBEARER and a password for the schema registry without TLS, for test clusters."},
		{name: "sasl.oauthbearer.method", doc: "Only oidc."},
		{name: "sasl.oauthbearer.token.endpoint.url", doc: "Where tokens are fetched, or file:///path of a token that another program keeps fresh."},
		{name: "sasl.oauthbearer.client.credentials.client.id", doc: "OAuth client id."},
		{name: "sasl.oauthbearer.client.credentials.client.secret", secret: true, doc: "OAuth client secret; better as file:/path or ${env:NAME}."},
		{name: "sasl.oauthbearer.client.id", doc: "librdkafka's name of sasl.oauthbearer.client.credentials.client.id."},
		{name: "sasl.oauthbearer.client.secret", secret: true, doc: "librdkafka's name of sasl.oauthbearer.client.credentials.client.secret."},
		{name: "sasl.oauthbearer.scope", doc: "OAuth scope."},
		{name: "sasl.oauthbearer.extensions", secret: true, doc: "SASL extensions as k=v,k=v."},
		{name: "https.ca.location", doc: "Authorities trusted for the token endpoint, as a PEM file."},

		{name: "ssl.truststore.type", doc: "Only PEM stores are read.", byDefault: "PEM"},
		{name: "ssl.truststore.location", doc: "File of the authorities trusted in place of the system's."},
		{name: "ssl.truststore.certificates", doc: "The same in line, as PEM."},
		{name: "ssl.truststore.password", secret: true, doc: "Password of a trust store; PEM has none."},
		{name: "ssl.keystore.type", doc: "Only PEM stores are read.", byDefault: "PEM"},
		{name: "ssl.keystore.location", doc: "File with the client's key and certificate chain."},
		{name: "ssl.keystore.key", secret: true, doc: "The client's private key in line, as PEM."},
		{name: "ssl.keystore.certificate.chain", doc: "The client's certificate chain in line, as PEM."},
		{name: "ssl.keystore.password", secret: true, doc: "Password of a key store; PEM has none."},
		{name: "ssl.key.password", secret: true, doc: "Encrypted keys are not read."},
		{name: "ssl.ca.location", doc: "librdkafka's name of ssl.truststore.location."},
		{name: "ssl.ca.pem", doc: "librdkafka's name of ssl.truststore.certificates."},
		{name: "ssl.certificate.location", doc: "File of the client's certificate chain."},
		{name: "ssl.certificate.pem", doc: "The client's certificate chain in line, as PEM."},
		{name: "ssl.key.location", doc: "File of the client's private key."},
		{name: "ssl.key.pem", secret: true, doc: "The client's private key in line, as PEM."},
		{name: "ssl.endpoint.identification.algorithm", byDefault: "https", doc: "https checks the broker's host name; empty switches the check off."},
		{name: "enable.ssl.certificate.verification", byDefault: "true", value: value{kind: TypeBoolean}, doc: "Only true."},
		{name: "ssl.enabled.protocols", byDefault: "TLSv1.2,TLSv1.3", value: value{kind: TypeList}, doc: "TLS versions, 1.2 at least."},
		{name: "ssl.protocol", doc: "TLS version, 1.2 at least."},

		{name: "request.timeout.ms", value: value{kind: TypeInteger, low: 100, high: 900000}, note: "10000", doc: "How long a request may take beyond its own time limit."},
		{name: "socket.connection.setup.timeout.ms", value: value{kind: TypeInteger, low: 100, high: 900000}, byDefault: "10000", doc: "How long opening a connection may take."},
		{name: "metadata.max.age.ms", value: value{kind: TypeInteger, low: 10, high: 3600000}, byDefault: "300000", doc: "How old the knowledge of leaders may grow."},
		{name: "connections.max.idle.ms", value: value{kind: TypeInteger, low: 100, high: 900000}, note: "20000", doc: "When an unused connection is closed."},
		{name: "reconnect.backoff.ms", value: value{kind: TypeInteger, low: 0, high: 3600000}, note: "the client's own", doc: "First pause between attempts to connect."},
		{name: "reconnect.backoff.max.ms", value: value{kind: TypeInteger, low: 0, high: 3600000}, note: "the client's own", doc: "Longest pause between attempts to connect."},
		{name: "retry.backoff.ms", value: value{kind: TypeInteger, low: 0, high: 3600000}, note: "the client's own", doc: "First pause between attempts of a request."},
		{name: "retry.backoff.max.ms", value: value{kind: TypeInteger, low: 0, high: 3600000}, note: "the client's own", doc: "Longest pause between attempts of a request."},

		// kafkaconf refuses these with its own words, which are the same reasons.
		{name: "ssl.cipher.suites", refused: "Go chooses the cipher suites of TLS 1.2 and 1.3 itself"},
		{name: "ssl.engine.factory.class", refused: "a Java class cannot be loaded; give PEM files"},
		{name: "sasl.client.callback.handler.class", refused: "a Java class cannot be loaded; use PLAIN, SCRAM or OAUTHBEARER with their own settings"},
		{name: "sasl.kerberos.service.name", refused: "Kerberos (GSSAPI) is not offered; use SCRAM-SHA-512, OAUTHBEARER or mTLS"},
		{name: "sasl.oauthbearer.jwt.retriever.class", refused: "a Java class cannot be loaded; use sasl.oauthbearer.token.endpoint.url"},
	}
	for i := range rows {
		rows[i].client = true
	}
	return rows
}

// anyClientKeys are known to all of Kafka's clients and are not about reaching
// the broker, or have no meaning outside of Java.
func anyClientKeys() []key {
	const (
		runtime     = "it chooses a part of the Java runtime; Go's own TLS is used"
		kerberos    = "Kerberos (GSSAPI) is not offered"
		assertion   = "only the client-credentials flow with a client secret is offered"
		validation  = "tokens are validated by the broker"
		refresh     = "a token is fetched again well before it expires"
		rebootstrap = "the client goes back to bootstrap.servers by itself"
		socket      = "the operating system sizes socket buffers by itself, which a fixed size would switch off"
		samples     = "metrics on /metrics are counters and histograms, so there is no sample window to choose"
	)
	rows := []key{
		{name: "enable.metrics.push", byDefault: "true", doc: "Lets clients send their metrics to a broker that asks for them (KIP-714).",
			value: boolean(func(s *Settings) *bool { return &s.ClientMetrics })},
		{name: "metrics.recording.level", byDefault: string(RecordInfo),
			doc: "Which metrics are recorded: INFO, DEBUG with those of operators and stores, or TRACE.",
			value: enum[RecordingLevel]{
				values: []RecordingLevel{RecordInfo, RecordDebug, RecordTrace},
				field:  func(s *Settings) *RecordingLevel { return &s.MetricsLevel },
			}.value()},
		{name: "receive.buffer.bytes", ignored: socket, harmless: []string{"-1", "32768", "65536"}},
		{name: "send.buffer.bytes", ignored: socket, harmless: []string{"-1", "131072"}},
		{name: "client.dns.lookup", ignored: "every address of a name is tried", harmless: []string{"use_all_dns_ips"}},
		{name: "bootstrap.resolve.timeout.ms", ignored: "a name is looked up when a connection is opened, within socket.connection.setup.timeout.ms", harmless: []string{"0"}},
		{name: "socket.connection.setup.timeout.max.ms", ignored: "each attempt to connect has the same limit, socket.connection.setup.timeout.ms", harmless: []string{"30000"}},
		{name: "default.api.timeout.ms", ignored: "each request has its own limit, request.timeout.ms", harmless: []string{"60000"}},
		{name: "retries", ignored: "requests are repeated until their time limit, not a number of times", harmless: []string{"2147483647"}},
		{name: "metadata.cluster.check.enable", ignored: "the state directory is bound to the cluster's id instead", harmless: []string{"true"}},
		{name: "metadata.recovery.strategy", ignored: rebootstrap, harmless: []string{"rebootstrap"}},
		{name: "metadata.recovery.rebootstrap.trigger.ms", ignored: rebootstrap, harmless: []string{"300000"}},
		{name: "config.providers", refused: "a Java class cannot be loaded; write ${env:NAME} or file:/path where the value stands", harmless: []string{"", "[]"}},
		{name: "interceptor.classes", refused: "a Java class cannot be loaded; use Peek or Process in the topology", harmless: []string{"", "[]"}},
		{name: "metric.reporters", ignored: "metrics are read from /metrics (eosproc.http.address)", harmless: []string{"", "org.apache.kafka.common.metrics.JmxReporter"}},
		{name: "metrics.num.samples", ignored: samples, harmless: []string{"2"}},
		{name: "metrics.sample.window.ms", ignored: samples, harmless: []string{"30000"}},
		{name: "security.providers", ignored: runtime, harmless: []string{"*"}},
		{name: "ssl.provider", ignored: runtime, harmless: []string{"*"}},
		{name: "ssl.keymanager.algorithm", ignored: runtime, harmless: []string{"*"}},
		{name: "ssl.trustmanager.algorithm", ignored: runtime, harmless: []string{"*"}},
		{name: "ssl.secure.random.implementation", ignored: runtime, harmless: []string{"*"}},
		{name: "sasl.login.class", refused: "a Java class cannot be loaded; logging in is built in"},
	}
	for why, names := range map[string][]string{
		kerberos: {"sasl.kerberos.kinit.cmd", "sasl.kerberos.min.time.before.relogin", "sasl.kerberos.ticket.renew.jitter", "sasl.kerberos.ticket.renew.window.factor"},
		refresh: {"sasl.login.connect.timeout.ms", "sasl.login.read.timeout.ms", "sasl.login.retry.backoff.ms", "sasl.login.retry.backoff.max.ms",
			"sasl.login.refresh.window.factor", "sasl.login.refresh.window.jitter", "sasl.login.refresh.min.period.seconds", "sasl.login.refresh.buffer.seconds"},
		validation: {"sasl.oauthbearer.allow.unverified.audience", "sasl.oauthbearer.allow.unverified.issuer", "sasl.oauthbearer.clock.skew.seconds",
			"sasl.oauthbearer.expected.audience", "sasl.oauthbearer.expected.issuer", "sasl.oauthbearer.jwks.endpoint.refresh.ms",
			"sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", "sasl.oauthbearer.jwks.endpoint.url",
			"sasl.oauthbearer.jwt.validator.class", "sasl.oauthbearer.scope.claim.name", "sasl.oauthbearer.sub.claim.name"},
	} {
		for _, name := range names {
			rows = append(rows, key{name: name, ignored: why, harmless: []string{"*"}})
		}
	}
	for _, name := range []string{
		"algorithm", "claim.aud", "claim.exp.seconds", "claim.iss", "claim.jti.include", "claim.nbf.seconds", "claim.sub",
		"file", "private.key.file", "private.key.passphrase", "template.file",
	} {
		rows = append(rows, key{name: "sasl.oauthbearer.assertion." + name, refused: assertion, secret: name == "private.key.passphrase"})
	}
	return append(rows, key{name: "sasl.oauthbearer.header.urlencode", refused: "client id and secret are sent without URL encoding, as Kafka's default is", harmless: []string{"false"}})
}
