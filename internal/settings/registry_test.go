package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

func TestRegistry(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "user")
	require.NoError(t, os.WriteFile(secret, []byte("ann:s3cr:t\n"), 0o600))
	t.Setenv("REGISTRY_USER", "ann:s3cr:t")
	ann := Registry{URLs: []string{"https://r1:8081", "https://r2/sr"}, User: "ann", Password: "s3cr:t", UseLatest: true}
	for name, c := range map[string]struct {
		more []string
		want Registry
	}{
		"none":                 {nil, Registry{UseLatest: true}},
		"no user":              {[]string{"schema.registry.url", "http://r:8081"}, Registry{URLs: []string{"http://r:8081"}, UseLatest: true}},
		"from a file":          {[]string{"schema.registry.url", "https://r1:8081, https://r2/sr", "basic.auth.user.info", "file:" + secret}, ann},
		"from the environment": {[]string{"schema.registry.url", "https://r1:8081,https://r2/sr", "basic.auth.user.info", "${env:REGISTRY_USER}", "basic.auth.credentials.source", "user_info"}, ann},
		"in the url":           {[]string{"schema.registry.url", "https://ann:s3cr%3At@r1:8081,https://r2/sr"}, ann},
		"of sasl": {[]string{"schema.registry.url", "https://r1:8081,https://r2/sr", "basic.auth.credentials.source", "SASL_INHERIT",
			"security.protocol", "SASL_SSL", "sasl.mechanism", "PLAIN", "sasl.username", "ann", "sasl.password", "s3cr:t"}, ann},
		"plaintext to itself": {[]string{"schema.registry.url", "http://ann:x@localhost:8081,http://127.0.0.1:8082"},
			Registry{URLs: []string{"http://localhost:8081", "http://127.0.0.1:8082"}, User: "ann", Password: "x", UseLatest: true}},
		"plaintext permitted": {[]string{"schema.registry.url", "http://r:8081", "basic.auth.user.info", "ann:x", "eosproc.allow.plaintext.sasl", "true"},
			Registry{URLs: []string{"http://r:8081"}, User: "ann", Password: "x", UseLatest: true}},
		"tls": {[]string{"schema.registry.url", "https://r", "schema.registry.ssl.truststore.location", "/ca.pem", "schema.registry.ssl.enabled.protocols", "TLSv1.3", "schema.registry.ssl.keystore.location", "/me.pem"},
			Registry{URLs: []string{"https://r"}, UseLatest: true, TLS: kafkaconf.TLS{CAFile: "/ca.pem", CertFile: "/me.pem", KeyFile: "/me.pem", MinTLS13: true}}},
		"schemas": {[]string{"auto.register.schemas", "true", "use.latest.version", "false", "value.subject.name.strategy", "io.confluent.kafka.serializers.subject.TopicNameStrategy"},
			Registry{AutoRegister: true}},
	} {
		t.Run(name, func(t *testing.T) {
			s, problems := Parse(minimal(c.more...))
			require.Empty(t, problems)
			require.Equal(t, c.want, s.Registry)
			for _, verb := range []string{"%v", "%+v", "%#v"} {
				require.NotContains(t, fmt.Sprintf(verb, s), "s3cr")
			}
			out, err := json.Marshal(s)
			require.NoError(t, err)
			require.NotContains(t, string(out), "s3cr")
		})
	}
}

func TestFaultsOfTheRegistry(t *testing.T) {
	for name, c := range map[string]struct {
		more []string
		want string
	}{
		"no scheme":        {[]string{"schema.registry.url", "ann:s3cret@r:8081"}, "schema.registry.url: an address is neither http://host:port nor https://host:port"},
		"not a url":        {[]string{"schema.registry.url", "http://ann:s3cret@r:port"}, "schema.registry.url: an address is neither"},
		"empty":            {[]string{"schema.registry.url", ""}, "schema.registry.url: an address is neither"},
		"two users":        {[]string{"schema.registry.url", "https://a:s3cret@r,https://b:s3cret@r"}, "schema.registry.url: the addresses have different users"},
		"no such file":     {[]string{"schema.registry.url", "https://r", "basic.auth.user.info", "file:/none"}, "basic.auth.user.info: read secret file"},
		"no password":      {[]string{"schema.registry.url", "https://r", "basic.auth.user.info", "s3cret"}, "basic.auth.user.info: must be set to user:password"},
		"none at all":      {[]string{"schema.registry.url", "https://r", "basic.auth.credentials.source", "USER_INFO"}, "basic.auth.user.info: must be set to user:password"},
		"which source":     {[]string{"basic.auth.credentials.source", "INHERIT"}, `basic.auth.credentials.source: "INHERIT" is not one of URL, USER_INFO, SASL_INHERIT`},
		"no sasl":          {[]string{"basic.auth.credentials.source", "SASL_INHERIT"}, "basic.auth.credentials.source: SASL_INHERIT needs the user"},
		"user twice":       {[]string{"schema.registry.url", "https://a:s3cret@r", "basic.auth.user.info", "b:s3cret"}, "schema.registry.url: holds a user, but basic.auth.credentials.source asks for another one"},
		"readable":         {[]string{"schema.registry.url", "http://a:s3cret@r"}, "schema.registry.url: the password would cross the network readable"},
		"a java store":     {[]string{"schema.registry.ssl.truststore.location", "/x.jks"}, "schema.registry.ssl.truststore.location: "},
		"half a key":       {[]string{"schema.registry.ssl.certificate.location", "/x.pem"}, "schema.registry.ssl.keystore.location: "},
		"unchecked host":   {[]string{"schema.registry.ssl.endpoint.identification.algorithm", ""}, "is not offered: the schema registry's host name is always checked"},
		"another strategy": {[]string{"value.subject.name.strategy", "RecordNameStrategy"}, "value.subject.name.strategy: is not offered: a subject is named where the topic is"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Parse(minimal(c.more...))
			require.ErrorContains(t, problems.Err(), c.want)
			require.NotContains(t, problems.Err().Error(), "s3cret")
		})
	}
	_, problems := Parse(minimal("schema.registry.url", "https://r", "schema.registry.basic.auth.user.info", "a:b", "basic.auth.credentials.source", "URL"))
	require.NoError(t, problems.Err())
	require.Len(t, problems, 2, "an older name, and without an effect")
}
