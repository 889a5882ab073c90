package kafkaconf

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FromProperties reads the client settings out of props, the content of a Java
// .properties file or of librdkafka settings. Text values may hold ${env:NAME};
// secret ones may be any reference of [ResolveSecret].
//
// Keys that do not concern the connection are returned in unknown, sorted, for
// the caller to use or to refuse with the help of [Suggest]. err holds every
// fault found, joined, not only the first.
func FromProperties(props map[string]string) (client Client, unknown []string, err error) {
	p := parser{props: props}
	for _, key := range slices.Sorted(maps.Keys(props)) {
		if reason, refused := refusedKeys[key]; refused {
			p.fail(key, ErrUnsupported, reason)
		} else if !slices.Contains(knownKeys, key) && !slices.Contains(noEffectKeys, key) {
			unknown = append(unknown, key)
		}
	}
	p.connection(&client)
	p.protocol(&client.Security)
	p.tls(&client.Security.TLS)
	p.sasl(&client.Security)
	if len(p.errs) == 0 {
		if err := client.Security.validate(); err != nil {
			p.errs = append(p.errs, err)
		}
	}
	if err := errors.Join(p.errs...); err != nil {
		return Client{}, unknown, fmt.Errorf("read client settings: %w", err)
	}
	return client, unknown, nil
}

// parser gathers values and faults.
type parser struct {
	props map[string]string
	errs  []error
}

func (p *parser) fail(key string, kind error, reason string) {
	p.errs = append(p.errs, fmt.Errorf("%s: %w: %s", key, kind, reason))
}

// text returns the value of the first of keys that is set, with ${env:…} expanded.
func (p *parser) text(keys ...string) string {
	for _, key := range keys {
		value, set := p.props[key]
		if !set {
			continue
		}
		expanded, err := expandEnv(value)
		if err != nil {
			p.errs = append(p.errs, fmt.Errorf("%s: %w", key, err))
			return ""
		}
		return strings.TrimSpace(expanded)
	}
	return ""
}

func (p *parser) secret(keys ...string) Secret {
	for _, key := range keys {
		value, set := p.props[key]
		if !set {
			continue
		}
		resolved, err := ResolveSecret(value)
		if err != nil {
			p.errs = append(p.errs, fmt.Errorf("%s: %w", key, err))
			return ""
		}
		return resolved
	}
	return ""
}

// millis reads a number of milliseconds between low and high; 0 if it is not set.
func (p *parser) millis(key string, low, high time.Duration) time.Duration {
	value := p.text(key)
	if value == "" {
		return 0
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		p.fail(key, ErrInvalid, fmt.Sprintf("%q is not a number of milliseconds", value))
		return 0
	}
	if n < low.Milliseconds() || n > high.Milliseconds() {
		p.fail(key, ErrInvalid, fmt.Sprintf("%d ms is outside of %d to %d ms", n, low.Milliseconds(), high.Milliseconds()))
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

func (p *parser) boolean(key string, byDefault bool) bool {
	switch value := strings.ToLower(p.text(key)); value {
	case "":
		return byDefault
	case "true":
		return true
	case "false":
		return false
	default:
		p.fail(key, ErrInvalid, "must be true or false")
		return byDefault
	}
}

func (p *parser) connection(c *Client) {
	for server := range strings.SplitSeq(p.text(keyBootstrapServers, keyBrokerList), ",") {
		server = strings.TrimSpace(server)
		if server == "" {
			continue
		}
		normal, err := normalServer(server)
		if err != nil {
			p.errs = append(p.errs, fmt.Errorf("%s: %w", keyBootstrapServers, err))
			continue
		}
		c.BootstrapServers = append(c.BootstrapServers, normal)
	}
	c.ClientID = p.text(keyClientID)
	c.ClientRack = p.text(keyClientRack)
	c.RequestTimeout = p.millis(keyRequestTimeout, 100*time.Millisecond, 15*time.Minute)
	c.DialTimeout = p.millis(keySetupTimeout, 100*time.Millisecond, 15*time.Minute)
	c.MetadataMaxAge = p.millis(keyMetadataAge, 10*time.Millisecond, time.Hour)
	c.ConnIdle = p.millis(keyConnIdle, 100*time.Millisecond, 15*time.Minute)
	c.Backoff = max(p.millis(keyReconnectBackoff, 0, time.Hour), p.millis(keyRetryBackoff, 0, time.Hour))
	c.BackoffMax = max(p.millis(keyReconnectBackoffMax, 0, time.Hour), p.millis(keyRetryBackoffMax, 0, time.Hour))
}

// normalServer checks a bootstrap server and adds Kafka's port if it has none.
// Java allows PROTOCOL://host:port there; so do we.
func normalServer(server string) (string, error) {
	if _, after, found := strings.Cut(server, "://"); found {
		server = after
	}
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		bare := strings.Trim(server, "[]")
		if strings.ContainsAny(server, "@/ ") || strings.Contains(bare, ":") && net.ParseIP(bare) == nil {
			return "", fmt.Errorf("%w: a server is not of the form host:port", ErrInvalid)
		}
		return net.JoinHostPort(bare, "9092"), nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || host == "" || strings.ContainsAny(host, "@/ ") {
		return "", fmt.Errorf("%w: a server is not of the form host:port", ErrInvalid)
	}
	return net.JoinHostPort(host, port), nil
}

func (p *parser) protocol(s *Security) {
	s.AllowPlaintextSASL = p.boolean(keyAllowPlain, false)
	protocol := Protocol(strings.ToUpper(p.text(keyProtocol)))
	switch protocol {
	case "":
		s.Protocol = ProtocolPlaintext
	case ProtocolPlaintext, ProtocolSSL, ProtocolSASLPlaintext, ProtocolSASLSSL:
		s.Protocol = protocol
	default:
		known := []string{string(ProtocolPlaintext), string(ProtocolSSL), string(ProtocolSASLPlaintext), string(ProtocolSASLSSL)}
		p.fail(keyProtocol, ErrInvalid, fmt.Sprintf("%q is not one of %s", protocol, strings.Join(known, ", "))+didYouMean(string(protocol), known))
	}
	// The identity or the trust given without the protocol that uses it is the
	// classic half-configured file: Java ignores it and fails later, obscurely.
	if protocol == "" {
		for _, key := range []string{keyMechanism, keyMechanisms, keyJAAS, keyUsername, keyPassword} {
			if _, set := p.props[key]; set {
				p.fail(keyProtocol, ErrInvalid, fmt.Sprintf("%s is set, but the protocol is PLAINTEXT by default: set it to SASL_SSL", key))
				return
			}
		}
	}
}

// didYouMean is the tail of an error about a value that is not one of known.
func didYouMean(value string, known []string) string {
	if near := Suggest(value, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

func (p *parser) sasl(s *Security) {
	if !s.Protocol.sasl() {
		return
	}
	sasl := &s.SASL
	mechanism := Mechanism(strings.ToUpper(p.text(keyMechanism, keyMechanisms)))
	known := []string{string(MechanismPlain), string(MechanismSCRAM256), string(MechanismSCRAM512), string(MechanismOAuthBearer)}
	switch {
	case slices.Contains(known, string(mechanism)):
		sasl.Mechanism = mechanism
	case mechanism == "":
		p.fail(keyMechanism, ErrInvalid, "must be set: one of "+strings.Join(known, ", "))
		return
	default:
		p.fail(keyMechanism, ErrUnsupported, fmt.Sprintf("%q is not one of %s", mechanism, strings.Join(known, ", "))+didYouMean(string(mechanism), known))
		return
	}
	module := p.jaas(mechanism)
	if mechanism == MechanismOAuthBearer {
		p.oauth(&sasl.OAuth, module, s.AllowPlaintextSASL)
		return
	}
	sasl.Username = p.text(keyUsername)
	sasl.Password = p.secret(keyPassword)
	if sasl.Username == "" {
		sasl.Username = module.Options["username"].Reveal()
	}
	if sasl.Password == "" {
		sasl.Password = module.Options["password"]
	}
	if sasl.Username == "" || sasl.Password == "" {
		p.fail(keyJAAS, ErrInvalid, fmt.Sprintf("%s needs a user name and a password, here or in %s and %s", mechanism, keyUsername, keyPassword))
	}
}

// jaas parses sasl.jaas.config and checks that its module belongs to mechanism.
func (p *parser) jaas(mechanism Mechanism) jaas {
	text := Secret(p.props[keyJAAS])
	// References within the options are theirs to resolve: expanded first, a quote
	// in the secret would end the option.
	if wholeReference(text.Reveal()) {
		text = p.secret(keyJAAS)
	}
	if text == "" {
		return jaas{}
	}
	module, err := parseJAAS(text.Reveal())
	if err == nil {
		err = module.resolve()
	}
	if err != nil {
		p.errs = append(p.errs, fmt.Errorf("%s: %w", keyJAAS, err))
		return jaas{}
	}
	wanted := map[Mechanism]string{
		MechanismPlain: "PlainLoginModule", MechanismSCRAM256: "ScramLoginModule",
		MechanismSCRAM512: "ScramLoginModule", MechanismOAuthBearer: "OAuthBearerLoginModule",
	}[mechanism]
	if module.Module != wanted {
		p.fail(keyJAAS, ErrInvalid, fmt.Sprintf("%s goes with %s, not with the login module given", mechanism, wanted))
	}
	return module
}

func (p *parser) oauth(o *OAuth, module jaas, allowPlaintext bool) {
	if method := p.text(keyOAuthMethod); method != "" && !strings.EqualFold(method, "oidc") {
		p.fail(keyOAuthMethod, ErrUnsupported, "only oidc is offered")
	}
	if class := p.text(keyLoginCallback); class != "" && !strings.HasSuffix(class, "OAuthBearerLoginCallbackHandler") {
		p.fail(keyLoginCallback, ErrUnsupported, "a Java class cannot be loaded; only the client-credentials flow of OAuthBearerLoginCallbackHandler is offered")
	}
	first := func(value, option string) string {
		if value == "" {
			return module.Options[option].Reveal()
		}
		return value
	}
	o.TokenURL = p.text(keyOAuthURL)
	o.ClientID = first(p.text(keyOAuthClientID, keyOAuthClientIDShort), "clientId")
	o.Scope = first(p.text(keyOAuthScope), "scope")
	o.CAFile = first(p.text(keyOAuthCA), "ssl.truststore.location")
	if o.ClientSecret = p.secret(keyOAuthClientSecret, keyOAuthClientSecretShort); o.ClientSecret == "" {
		o.ClientSecret = module.Options["clientSecret"]
	}
	o.Extensions = p.extensions(module)
	if o.TokenURL == "" {
		p.fail(keyOAuthURL, ErrInvalid, "must be set for OAUTHBEARER: the token endpoint, or file:///path of a token file; unsecured development tokens are not offered")
		return
	}
	// The URL is not quoted in these errors: people put credentials into it.
	endpoint, err := url.Parse(o.TokenURL)
	switch {
	case err != nil || endpoint.Scheme != "https" && endpoint.Scheme != "http" && endpoint.Scheme != "file":
		p.fail(keyOAuthURL, ErrInvalid, "must be an https:// or file:// URL")
	case endpoint.User != nil:
		p.fail(keyOAuthURL, ErrInsecure, "holds credentials; give them with "+keyOAuthClientID+" and "+keyOAuthClientSecret)
	case endpoint.Scheme == "http" && !allowPlaintext:
		p.fail(keyOAuthURL, ErrInsecure, "would send the client secret without TLS; use https:// or set "+keyAllowPlain+"=true")
	case endpoint.Scheme != "file" && (o.ClientID == "" || o.ClientSecret == ""):
		p.fail(keyOAuthClientID, ErrInvalid, "the client-credentials flow needs a client id and a client secret, here or in "+keyJAAS)
	}
}

// extensions reads SASL extensions: librdkafka's k=v list and JAAS options
// extension_k.
func (p *parser) extensions(module jaas) map[string]string {
	extensions := make(map[string]string)
	for pair := range strings.SplitSeq(p.text(keyOAuthExtensions), ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		key, value, found := strings.Cut(pair, "=")
		if !found {
			p.fail(keyOAuthExtensions, ErrInvalid, "must be a list of key=value")
			continue
		}
		extensions[key] = value
	}
	for option, value := range module.Options {
		if key, found := strings.CutPrefix(option, "extension_"); found {
			extensions[key] = value.Reveal()
		}
	}
	if len(extensions) == 0 {
		return nil
	}
	return extensions
}

// validate refuses credentials that would be readable on the wire.
func (s Security) validate() error {
	readable := s.SASL.Mechanism == MechanismPlain || s.SASL.Mechanism == MechanismOAuthBearer
	if s.Protocol == ProtocolSASLPlaintext && readable && !s.AllowPlaintextSASL {
		return fmt.Errorf("%s: %w: %s over SASL_PLAINTEXT shows the credentials to everyone on the network; use SASL_SSL, or set %s=true for a test cluster",
			keyProtocol, ErrInsecure, s.SASL.Mechanism, keyAllowPlain)
	}
	return nil
}
