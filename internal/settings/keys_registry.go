package settings

import "strings"

// registryPrefix begins the keys of the connection to the schema registry that
// have the names of the connection to Kafka.
const registryPrefix = "schema.registry."

// The names of keys that are read together.
const (
	keyRegistryURL    = "schema.registry.url"
	keyRegistryAuth   = "basic.auth.credentials.source"
	keyRegistryUser   = "basic.auth.user.info"
	keyAllowPlaintext = "eosproc.allow.plaintext.sasl"
)

// CredentialsSource is where the schema registry's user comes from.
type CredentialsSource string

// The sources, by Confluent's names.
const (
	CredentialsURL      CredentialsSource = "URL"
	CredentialsUserInfo CredentialsSource = "USER_INFO"
	CredentialsSASL     CredentialsSource = "SASL_INHERIT"
)

// registryKeys are those of Confluent's serializers, for the formats avro, protobuf
// and json_schema of pipelines. The connection's are read by parser.registry, once
// all of them are known.
func registryKeys() []key {
	later := func(kind Type, values ...string) value {
		return value{kind: kind, values: values, set: func(*Settings, string) *fault { return nil }}
	}
	const subjects = "a subject is named where the topic is: value: {avro: subject}"
	rows := []key{
		{name: keyRegistryURL, secret: true, value: later(TypeList),
			doc: "Schema registries of one cluster, as http://host:port or https://…, asked in this order; needed by the formats avro, protobuf and json_schema of pipelines."},
		{name: keyRegistryAuth, note: "USER_INFO if basic.auth.user.info is set, else URL",
			doc:   "Where the schema registry's user and password are: in the URL, in basic.auth.user.info, or those of SASL.",
			value: later(TypeString, string(CredentialsURL), string(CredentialsUserInfo), string(CredentialsSASL))},
		{name: keyRegistryUser, secret: true, value: later(TypeString),
			doc: "The schema registry's user:password; better as file:/path or ${env:NAME}."},
		{name: registryPrefix + keyRegistryAuth, alias: keyRegistryAuth},
		{name: registryPrefix + keyRegistryUser, alias: keyRegistryUser, secret: true},
		{name: "auto.register.schemas", byDefault: "false",
			doc:   "Registers the schema files that a pipeline names when it starts. It is off, unlike in Kafka's serializers, so that a start cannot change what the readers of a topic have agreed on.",
			value: boolean(func(s *Settings) *bool { return &s.Registry.AutoRegister })},
		{name: "use.latest.version", byDefault: "true",
			doc:   "Writes with the subject's latest schema where a pipeline names no schema file; false makes the file a duty.",
			value: boolean(func(s *Settings) *bool { return &s.Registry.UseLatest })},

		{name: "key.subject.name.strategy", refused: subjects, harmless: []string{"TopicNameStrategy"}},
		{name: "value.subject.name.strategy", refused: subjects, harmless: []string{"TopicNameStrategy"}},
		{name: "bearer.auth.credentials.source", refused: "the schema registry is asked with basic authentication or a client certificate"},
		{name: "bearer.auth.token", secret: true, refused: "the schema registry is asked with basic authentication or a client certificate"},
	}
	for _, row := range connectionKeys() {
		if !strings.HasPrefix(row.name, "ssl.") || row.refused != "" || row.name == "ssl.endpoint.identification.algorithm" {
			continue
		}
		row.name, row.client = registryPrefix+row.name, false
		row.value.set = later("").set
		row.doc = "As " + strings.TrimPrefix(row.name, registryPrefix) + ", for the schema registry."
		rows = append(rows, row)
	}
	return append(rows, key{name: registryPrefix + "ssl.endpoint.identification.algorithm",
		refused: "the schema registry's host name is always checked", harmless: []string{"https"}})
}
