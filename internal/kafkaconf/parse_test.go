package kafkaconf

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, text string) (Client, []string, error) {
	t.Helper()
	props, err := ParseProperties(strings.NewReader(text), "client.properties")
	require.NoError(t, err)
	return FromProperties(props)
}

func TestFromProperties(t *testing.T) {
	t.Setenv("KAFKACONF_HOST", "broker-1")
	t.Setenv("KAFKACONF_QUOTED", `p"w\`)
	tests := []struct {
		name, text string
		want       Client
	}{
		{
			"Java, SCRAM over TLS",
			`bootstrap.servers=broker-1:9093, SASL_SSL://[::1]:9094,${env:KAFKACONF_HOST}
			client.id=app
			security.protocol=SASL_SSL
			sasl.mechanism=SCRAM-SHA-512
			sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
			   username="al\\"ice" \
			   password='p;w=1';
			ssl.truststore.type=PEM
			ssl.truststore.location=/etc/ca.pem`,
			Client{
				BootstrapServers: []string{"broker-1:9093", "[::1]:9094", "broker-1:9092"}, ClientID: "app",
				Security: Security{
					Protocol: ProtocolSASLSSL,
					TLS:      TLS{CAFile: "/etc/ca.pem"},
					SASL:     SASL{Mechanism: MechanismSCRAM512, Username: "al\"ice", Password: "p;w=1"},
				},
			},
		},
		{
			"librdkafka, mTLS with PLAIN",
			`metadata.broker.list=b
			security.protocol=sasl_ssl
			sasl.mechanisms=PLAIN
			sasl.username=u
			sasl.password=p
			ssl.ca.location=/ca
			ssl.certificate.location=/cert
			ssl.key.location=/key`,
			Client{
				BootstrapServers: []string{"b:9092"},
				Security: Security{
					Protocol: ProtocolSASLSSL,
					TLS:      TLS{CAFile: "/ca", CertFile: "/cert", KeyFile: "/key"},
					SASL:     SASL{Mechanism: MechanismPlain, Username: "u", Password: "p"},
				},
			},
		},
		{
			"PEM key store in one file, no host check, TLS 1.3",
			`security.protocol=SSL
			ssl.keystore.type=PEM
			ssl.keystore.location=/k.pem
			ssl.truststore.location=/ca.pem
			ssl.endpoint.identification.algorithm=
			ssl.enabled.protocols=TLSv1.3`,
			Client{Security: Security{
				Protocol: ProtocolSSL,
				TLS:      TLS{CAFile: "/ca.pem", CertFile: "/k.pem", KeyFile: "/k.pem", SkipHostCheck: true, MinTLS13: true},
			}},
		},
		{
			"PEM in line",
			`security.protocol=SSL
			ssl.keystore.type=PEM
			ssl.keystore.key=KEY
			ssl.keystore.certificate.chain=CHAIN
			ssl.truststore.certificates=CA
			ssl.enabled.protocols=TLSv1.2,TLSv1.3
			ssl.protocol=TLSv1.3`,
			Client{Security: Security{Protocol: ProtocolSSL, TLS: TLS{CA: "CA", Cert: "CHAIN", Key: "KEY"}}},
		},
		{
			"OAUTHBEARER, Java JAAS",
			`security.protocol=SASL_SSL
			sasl.mechanism=OAUTHBEARER
			sasl.oauthbearer.token.endpoint.url=https://idp/token
			sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
			sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId="id" clientSecret="${env:KAFKACONF_QUOTED}" scope="a b" extension_logicalCluster="lkc" ssl.truststore.location="/idp.pem" ;`,
			Client{Security: Security{Protocol: ProtocolSASLSSL, SASL: SASL{
				Mechanism: MechanismOAuthBearer,
				OAuth: OAuth{
					TokenURL: "https://idp/token", ClientID: "id", ClientSecret: `p"w\`, Scope: "a b", CAFile: "/idp.pem",
					Extensions: map[string]string{"logicalCluster": "lkc"},
				},
			}}},
		},
		{
			"OAUTHBEARER, KIP-1258 keys",
			`security.protocol=SASL_SSL
			sasl.mechanism=OAUTHBEARER
			sasl.oauthbearer.token.endpoint.url=https://idp/token
			sasl.oauthbearer.client.credentials.client.id=id
			sasl.oauthbearer.client.credentials.client.secret=s
			sasl.oauthbearer.scope=a
			sasl.oauthbearer.extensions=x=1,y=2`,
			Client{Security: Security{Protocol: ProtocolSASLSSL, SASL: SASL{
				Mechanism: MechanismOAuthBearer,
				OAuth:     OAuth{TokenURL: "https://idp/token", ClientID: "id", ClientSecret: "s", Scope: "a", Extensions: map[string]string{"x": "1", "y": "2"}},
			}}},
		},
		{
			"PLAIN without TLS, allowed by name",
			`security.protocol=SASL_PLAINTEXT
			sasl.mechanism=PLAIN
			sasl.username=u
			sasl.password=p
			eosproc.allow.plaintext.sasl=true`,
			Client{Security: Security{
				Protocol: ProtocolSASLPlaintext, AllowPlaintextSASL: true,
				SASL: SASL{Mechanism: MechanismPlain, Username: "u", Password: "p"},
			}},
		},
		{
			"times",
			`request.timeout.ms=30000
			socket.connection.setup.timeout.ms=2000
			metadata.max.age.ms=60000
			connections.max.idle.ms=120000
			reconnect.backoff.ms=50
			retry.backoff.ms=100
			retry.backoff.max.ms=1000
			client.dns.lookup=use_all_dns_ips`,
			Client{
				RequestTimeout: 30 * time.Second, DialTimeout: 2 * time.Second, MetadataMaxAge: time.Minute, ConnIdle: 2 * time.Minute,
				Backoff: 100 * time.Millisecond, BackoffMax: time.Second, Security: Security{Protocol: ProtocolPlaintext},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, unknown, err := parse(t, tt.text)
			require.NoError(t, err)
			assert.Empty(t, unknown)
			if tt.want.Security.Protocol == "" {
				tt.want.Security.Protocol = ProtocolPlaintext
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestFromPropertiesFaults(t *testing.T) {
	sasl := "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n"
	oauth := "security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.client.id=i\nsasl.oauthbearer.client.secret=" + canary + "\n"
	tests := []struct {
		name, text string
		kind       error
		want       []string
	}{
		{"server with a path", "bootstrap.servers=a:1,http://" + canary + "@b/c", ErrInvalid, []string{"bootstrap.servers", "host:port"}},
		{"server with a bad port", "bootstrap.servers=a:99999", ErrInvalid, []string{"host:port"}},
		{"protocol", "security.protocol=SASL_SLL", ErrInvalid, []string{"security.protocol", "did you mean SASL_SSL?"}},
		{"no mechanism", "security.protocol=SASL_SSL", ErrInvalid, []string{"sasl.mechanism", "SCRAM-SHA-512"}},
		{"mechanism", "security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-521", ErrUnsupported, []string{"did you mean SCRAM-SHA-"}},
		{"Kerberos", "security.protocol=SASL_SSL\nsasl.mechanism=GSSAPI\nsasl.kerberos.service.name=kafka", ErrUnsupported, []string{"GSSAPI", "OAUTHBEARER"}},
		{"SASL without the protocol", "sasl.mechanism=PLAIN\nsasl.username=u\nsasl.password=" + canary, ErrInvalid, []string{"SASL_SSL"}},
		{"no password", sasl + "sasl.username=u", ErrInvalid, []string{"sasl.password"}},
		{"wrong login module", sasl + `sasl.jaas.config=a.b.ScramLoginModule required username="u" password="` + canary + `";`, ErrInvalid, []string{"PlainLoginModule"}},
		{"JAAS without semicolon", sasl + `sasl.jaas.config=PlainLoginModule required username="u" password="` + canary + `"`, ErrInvalid, []string{"semicolon"}},
		{"JAAS without flag", sasl + `sasl.jaas.config=PlainLoginModule username="u" password="` + canary + `";`, ErrInvalid, []string{"control flag"}},
		{"JAAS with an open quote", sasl + `sasl.jaas.config=PlainLoginModule required username="u" password="` + canary + `;`, ErrInvalid, []string{"closing quote"}},
		{"JAAS with a bare word", sasl + `sasl.jaas.config=PlainLoginModule required ` + canary + ` username="u";`, ErrInvalid, []string{"option 1"}},
		{"JAAS with two modules", sasl + `sasl.jaas.config=PlainLoginModule required username="u" password="` + canary + `"; Other required;`, ErrInvalid, []string{"more than one"}},
		{"PLAIN without TLS", "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.username=u\nsasl.password=" + canary, ErrInsecure, []string{"SASL_SSL", "eosproc.allow.plaintext.sasl"}},
		{"token without TLS", strings.Replace(oauth, "SASL_SSL", "SASL_PLAINTEXT", 1) + "sasl.oauthbearer.token.endpoint.url=https://x/", ErrInsecure, []string{"OAUTHBEARER"}},
		{"no token endpoint", oauth, ErrInvalid, []string{"sasl.oauthbearer.token.endpoint.url"}},
		{"token endpoint without TLS", oauth + "sasl.oauthbearer.token.endpoint.url=http://x/", ErrInsecure, []string{"client secret without TLS"}},
		{"credentials in the URL", oauth + "sasl.oauthbearer.token.endpoint.url=https://u:" + canary + "@x/", ErrInsecure, []string{"holds credentials"}},
		{"broken URL with credentials", oauth + "sasl.oauthbearer.token.endpoint.url=https://u:" + canary + "@x:y%z/", ErrInvalid, []string{"https://"}},
		{"no client secret", "security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.token.endpoint.url=https://x/", ErrInvalid, []string{"client secret"}},
		{"Java callback", oauth + "sasl.oauthbearer.token.endpoint.url=https://x/\nsasl.login.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler", ErrUnsupported, []string{"Java class"}},
		{"JKS by default", "security.protocol=SSL\nssl.truststore.location=/t.jks\nssl.truststore.password=" + canary, ErrUnsupported, []string{"keytool -importkeystore -srckeystore /t.jks", "openssl pkcs12 -in store.p12 -nokeys -out truststore.pem", "ssl.truststore.type=PEM"}},
		{"PKCS12 key store", "ssl.keystore.type=PKCS12\nssl.keystore.location=/k.p12", ErrUnsupported, []string{"`openssl pkcs12 -in /k.p12 -nodes -out keystore.pem`"}},
		{"encrypted key", "ssl.key.password=" + canary, ErrUnsupported, []string{"openssl pkey"}},
		{"certificate without key", "ssl.certificate.location=/c", ErrInvalid, []string{"private key"}},
		{"no verification", "enable.ssl.certificate.verification=false", ErrUnsupported, []string{"ssl.ca.location"}},
		{"host check", "ssl.endpoint.identification.algorithm=LDAPS", ErrInvalid, []string{"https"}},
		{"old TLS", "ssl.enabled.protocols=TLSv1.1", ErrInsecure, []string{"TLSv1.2"}},
		{"cipher suites", "ssl.cipher.suites=X", ErrUnsupported, []string{"remove it"}},
		{"not a number", "request.timeout.ms=30s", ErrInvalid, []string{"request.timeout.ms", "milliseconds"}},
		{"out of range", "request.timeout.ms=1", ErrInvalid, []string{"100 to 900000"}},
		{"not a boolean", "eosproc.allow.plaintext.sasl=yes", ErrInvalid, []string{"true or false"}},
		{"absent variable", "bootstrap.servers=${env:KAFKACONF_ABSENT}", ErrInvalid, []string{"KAFKACONF_ABSENT"}},
		{"absent secret", sasl + "sasl.username=u\nsasl.password=env:KAFKACONF_ABSENT", ErrInvalid, []string{"sasl.password", "KAFKACONF_ABSENT"}},
		{"all faults at once", "request.timeout.ms=x\nsecurity.protocol=y\nbootstrap.servers=a:b", ErrInvalid, []string{"request.timeout.ms", "security.protocol", "bootstrap.servers"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := parse(t, tt.text)
			require.ErrorIs(t, err, tt.kind)
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
			assert.NotContains(t, err.Error(), canary)
		})
	}
}

func TestFromPropertiesReturnsForeignKeys(t *testing.T) {
	_, unknown, err := parse(t, "group.id=g\nbootstrap.server=a\nclient.id=c\nacks=all")
	require.NoError(t, err)
	assert.Equal(t, []string{"acks", "bootstrap.server", "group.id"}, unknown)
}

func TestRedacted(t *testing.T) {
	client, _, err := parse(t, `bootstrap.servers=a,b
		security.protocol=SASL_SSL
		sasl.mechanism=OAUTHBEARER
		sasl.oauthbearer.token.endpoint.url=https://idp/token?key=`+canary+`
		sasl.oauthbearer.client.id=id
		sasl.oauthbearer.client.secret=`+canary+`
		sasl.oauthbearer.extensions=k=`+canary+`
		ssl.keystore.key=`+canary+`
		ssl.keystore.certificate.chain=CHAIN
		ssl.endpoint.identification.algorithm=
		request.timeout.ms=5000`)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"bootstrap.servers": "a:9092,b:9092", "security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER",
		"sasl.oauthbearer.token.endpoint.url":               "https://idp/token?***",
		"sasl.oauthbearer.client.credentials.client.id":     "id",
		"sasl.oauthbearer.client.credentials.client.secret": "***",
		"extension_k":                           "***",
		"ssl.keystore.key":                      "***",
		"ssl.keystore.certificate.chain":        "(inline PEM)",
		"ssl.endpoint.identification.algorithm": "",
		"request.timeout.ms":                    "5000",
	}, client.Redacted())
}

// Any password, quoted as Kafka's documentation says, comes out as it went in.
func FuzzParseJAAS(f *testing.F) {
	f.Add("p", `"`)
	f.Add(`a"b\c'd;=`, "'")
	f.Fuzz(func(t *testing.T, password, quote string) {
		if quote != "'" {
			quote = `"`
		}
		quoted := quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(password) + quote
		module, err := parseJAAS("a.PlainLoginModule required username=u password = " + quoted + " ;")
		require.NoError(t, err)
		require.Equal(t, password, module.Options["password"].Reveal())
		require.Equal(t, "PlainLoginModule", module.Module)

		_, err = parseJAAS(password) // garbage must fail or parse, never panic
		if err != nil {
			require.ErrorIs(t, err, ErrInvalid)
		}
	})
}
