package settings

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// Registry is how to reach the schema registry, and what may be done there.
type Registry struct {
	// URLs (schema.registry.url) are asked in turn; they hold no user. Empty means
	// that there is no registry.
	URLs []string
	// User and Password are for basic authentication; "" means none.
	User     string
	Password kafkaconf.Secret
	// TLS (schema.registry.ssl.…) is for https; the zero value trusts the system's
	// authorities.
	TLS kafkaconf.TLS
	// AutoRegister (auto.register.schemas, false) registers schemas that are given.
	AutoRegister bool
	// UseLatest (use.latest.version, true) permits to write with the latest schema.
	UseLatest bool
}

// registry reads the connection to the schema registry.
func (p *parser) registry() {
	r := &p.settings.Registry
	inURL := p.registryURLs(r)
	p.registryUser(r, inURL)
	p.registryTLS(r)
	if r.User == "" || strings.EqualFold(p.client[keyAllowPlaintext], "true") {
		return
	}
	for _, at := range r.URLs {
		if u, err := url.Parse(at); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			p.fault(keyRegistryURL, "the password would cross the network readable for everyone; use https, or permit it for a test with "+keyAllowPlaintext+"=true")
			return
		}
	}
}

func (p *parser) fault(key, message string) {
	p.report(key, p.settings.name(key), fault{message: message})
}

// registryURLs reads the addresses and returns the user in them. Nothing that it
// says quotes them: url.Error would, with the password.
func (p *parser) registryURLs(r *Registry) *url.Userinfo {
	raw, given := p.raw[keyRegistryURL]
	if !given {
		return nil
	}
	list, err := kafkaconf.ResolveSecret(raw)
	if err != nil {
		p.fault(keyRegistryURL, err.Error())
		return nil
	}
	var user *url.Userinfo
	var urls []string
	for at := range strings.SplitSeq(list.Reveal(), ",") {
		u, err := url.Parse(strings.TrimSpace(at))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
			p.fault(keyRegistryURL, "an address is neither http://host:port nor https://host:port")
			return nil
		}
		if u.User != nil {
			if user != nil && user.String() != u.User.String() {
				p.fault(keyRegistryURL, "the addresses have different users, but they are to be one registry")
				return nil
			}
			user, u.User = u.User, nil
		}
		urls = append(urls, u.String())
	}
	r.URLs = urls
	return user
}

// registryUser finds the user where the source says.
func (p *parser) registryUser(r *Registry, inURL *url.Userinfo) {
	raw, given := p.raw[keyRegistryUser]
	source := CredentialsSource(strings.ToUpper(p.raw[keyRegistryAuth]))
	known := []CredentialsSource{CredentialsURL, CredentialsUserInfo, CredentialsSASL}
	switch {
	case source == "" && given:
		source = CredentialsUserInfo
	case source == "":
		source = CredentialsURL
	case !slices.Contains(known, source):
		p.fault(keyRegistryAuth, quote(p.raw[keyRegistryAuth])+" is not one of URL, USER_INFO, SASL_INHERIT")
		return
	}
	if given && source != CredentialsUserInfo {
		p.report(keyRegistryUser, p.settings.name(keyRegistryUser), fault{message: "has no effect unless " + keyRegistryAuth + " is USER_INFO", severity: Warning})
	}
	if inURL != nil && source != CredentialsURL {
		p.fault(keyRegistryURL, "holds a user, but "+keyRegistryAuth+" asks for another one; remove one of the two")
		return
	}
	switch source {
	case CredentialsURL:
		if inURL != nil {
			password, _ := inURL.Password()
			r.User, r.Password = inURL.Username(), kafkaconf.Secret(password)
		}
	case CredentialsUserInfo:
		info, err := kafkaconf.ResolveSecret(raw)
		if err != nil {
			p.fault(keyRegistryUser, err.Error())
			return
		}
		user, password, found := strings.Cut(info.Reveal(), ":")
		if !found || user == "" {
			p.fault(keyRegistryUser, "must be set to user:password")
			return
		}
		r.User, r.Password = user, kafkaconf.Secret(password)
	case CredentialsSASL:
		sasl := p.settings.Client.Security.SASL
		if r.User, r.Password = sasl.Username, sasl.Password; r.User == "" && !p.disconnected {
			p.fault(keyRegistryAuth, "SASL_INHERIT needs the user and password of PLAIN or SCRAM")
		}
	}
}

// registryTLS has kafkaconf read the keys, which are those of Kafka's connection
// but for their beginning.
func (p *parser) registryTLS(r *Registry) {
	props := map[string]string{}
	for name, text := range p.raw {
		if plain, ours := strings.CutPrefix(name, registryPrefix); ours && strings.HasPrefix(plain, "ssl.") {
			props[plain] = text
		}
	}
	if len(props) == 0 {
		return
	}
	props["security.protocol"] = string(kafkaconf.ProtocolSSL)
	client, _, err := kafkaconf.FromProperties(props)
	for _, f := range connectionFaults(err) {
		key := keyRegistryURL
		if f.key != "" {
			key = registryPrefix + f.key
		}
		p.fault(key, f.message)
	}
	r.TLS = client.Security.TLS
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
