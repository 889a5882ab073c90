package kafkaconf

import "time"

// Client is how to reach one Kafka cluster. The zero value of every field means
// kgo's default; only BootstrapServers must be set before [Client.Options]. It is
// a value without hidden state: copy it freely, use it from several goroutines.
type Client struct {
	// BootstrapServers are host:port pairs; a missing port is 9092.
	BootstrapServers []string
	// ClientID is sent to the broker for its logs and quotas.
	ClientID string
	// ClientRack is where this client runs, so that it can read from near replicas.
	ClientRack string
	Security   Security

	// RequestTimeout is what a request may take beyond its own time limit
	// (100 ms to 15 min).
	RequestTimeout time.Duration
	// DialTimeout bounds the opening of a connection, with its TLS handshake.
	DialTimeout time.Duration
	// ConnIdle closes connections unused that long (100 ms to 15 min).
	ConnIdle time.Duration
	// MetadataMaxAge is how old the knowledge of leaders may grow (up to 1 h).
	MetadataMaxAge time.Duration
	// Backoff and BackoffMax are the first and the longest pause between
	// attempts; kgo has one pause for connecting and for requests, so it is the
	// longer of Java's reconnect.backoff.ms and retry.backoff.ms.
	Backoff, BackoffMax time.Duration
}

// Protocol is Kafka's security.protocol.
type Protocol string

// The protocols of Kafka's clients. The zero value stands for ProtocolPlaintext.
const (
	ProtocolPlaintext     Protocol = "PLAINTEXT"
	ProtocolSSL           Protocol = "SSL"
	ProtocolSASLPlaintext Protocol = "SASL_PLAINTEXT"
	ProtocolSASLSSL       Protocol = "SASL_SSL"
)

func (p Protocol) tls() bool  { return p == ProtocolSSL || p == ProtocolSASLSSL }
func (p Protocol) sasl() bool { return p == ProtocolSASLPlaintext || p == ProtocolSASLSSL }

// Security is how the connection is protected and who we are.
type Security struct {
	Protocol Protocol
	TLS      TLS
	SASL     SASL
	// AllowPlaintextSASL permits SASL PLAIN and OAUTHBEARER without TLS, and a
	// token endpoint without TLS (eosproc.allow.plaintext.sasl).
	AllowPlaintextSASL bool
}

// TLS holds PEM material, each piece as a file or in line. Files are read again
// for every new connection, so that renewed ones take effect without a restart.
type TLS struct {
	// CAFile or CA are the authorities trusted in place of the system's.
	CAFile string
	CA     string
	// CertFile or Cert is the client's certificate chain, for mTLS.
	CertFile string
	Cert     string
	// KeyFile or Key is its private key, not encrypted.
	KeyFile string
	Key     Secret
	// SkipHostCheck accepts a valid certificate that was issued for another host.
	// The chain is verified all the same.
	SkipHostCheck bool
	// MinTLS13 refuses TLS 1.2.
	MinTLS13 bool
}

// Mechanism is Kafka's sasl.mechanism.
type Mechanism string

// The mechanisms offered.
const (
	MechanismPlain       Mechanism = "PLAIN"
	MechanismSCRAM256    Mechanism = "SCRAM-SHA-256"
	MechanismSCRAM512    Mechanism = "SCRAM-SHA-512"
	MechanismOAuthBearer Mechanism = "OAUTHBEARER"
)

// SASL is the identity shown to the broker. Username and Password are for PLAIN
// and SCRAM, OAuth for OAUTHBEARER.
type SASL struct {
	Mechanism Mechanism
	Username  string
	Password  Secret
	OAuth     OAuth
}

// OAuth is the client-credentials grant (RFC 6749 §4.4), or a token kept in a
// file by someone else.
type OAuth struct {
	// TokenURL is the token endpoint, or file:///path of a file with the token.
	TokenURL     string
	ClientID     string
	ClientSecret Secret
	// Scope is sent with the request when it is not empty.
	Scope string
	// CAFile are the authorities trusted for the token endpoint, in place of the
	// system's.
	CAFile string
	// Extensions are the SASL extensions (KIP-342).
	Extensions map[string]string
}
