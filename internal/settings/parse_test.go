package settings

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

func parsed(t *testing.T, more ...string) Settings {
	t.Helper()
	s, problems := Parse(minimal(more...))
	require.Empty(t, problems)
	return s
}

func TestDefaults(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/srv/state")
	props := minimal()
	delete(props, "state.dir")
	s, problems := Parse(props)
	require.Empty(t, problems)
	s.given = nil
	require.Equal(t, Settings{
		ApplicationID: "orders",
		Client:        kafkaconf.Client{BootstrapServers: []string{"localhost:9092"}, Security: kafkaconf.Security{Protocol: kafkaconf.ProtocolPlaintext}},
		ClientMetrics: true,
		Guarantee:     ExactlyOnceV2,
		Threads:       1,
		Commit:        Commit{Interval: 100 * time.Millisecond, Mode: CommitAdaptive},
		Transaction:   Transaction{Timeout: 10 * time.Second, MaxRecords: 200000, MaxBytes: 64 << 20, Producers: 2},
		Tasks:         Tasks{BufferedRecords: 1000, Timeout: 5 * time.Minute},
		Group: Group{Protocol: GroupClassic, SessionTimeout: 45 * time.Second,
			HeartbeatInterval: 3 * time.Second, RebalanceTimeout: 5 * time.Minute},
		Consumer: Consumer{
			Fetch:       Fetch{MinBytes: 1, MaxWait: 500 * time.Millisecond, MaxBytes: 52428800, MaxPartitionBytes: 1 << 19},
			OffsetReset: ResetEarliest, Isolation: ReadCommitted, MaxPollRecords: 10000,
		},
		Restore:  Fetch{MinBytes: 1, MaxWait: 500 * time.Millisecond, MaxBytes: 52428800, MaxPartitionBytes: 1 << 19},
		Global:   Fetch{MinBytes: 1, MaxWait: 500 * time.Millisecond, MaxBytes: 52428800, MaxPartitionBytes: 1 << 19},
		Producer: Producer{Linger: 5 * time.Millisecond, MaxBatchBytes: 1 << 20, Compression: CompressionNone, DeliveryTimeout: maxInt32 * time.Millisecond},
		Errors: Errors{Deserialization: HandlerFail, Processing: HandlerFail, Production: HandlerFail,
			RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second},
		Topics: InternalTopics{ReplicationFactor: -1, PurgeInterval: 30 * time.Second, WindowRetention: 24 * time.Hour},
		State: State{Dir: "/srv/state/eosproc", MaxWarmups: 2, RecoveryLag: 10000, ProbingInterval: 10 * time.Minute,
			CacheBytes: 10 << 20, UncommittedBytes: 64 << 20, CleanupDelay: 10 * time.Minute, CleanupAge: -time.Millisecond,
			QueryIsolation: ReadCommitted},
		Registry:        Registry{UseLatest: true},
		MetricsLevel:    RecordInfo,
		ShutdownTimeout: 30 * time.Second,
	}, s)
}

func TestDerivedDefaults(t *testing.T) {
	s := parsed(t, "processing.guarantee", "at_least_once")
	require.Equal(t, Commit{Interval: 30 * time.Second, Mode: CommitFixed}, s.Commit)
	require.Equal(t, 2*time.Minute, s.Producer.DeliveryTimeout)

	s = parsed(t, "commit.interval.ms", "250")
	require.Equal(t, Commit{Interval: 250 * time.Millisecond, Mode: CommitFixed}, s.Commit)

	s = parsed(t, "commit.interval.ms", "250", "eosproc.commit.interval.mode", "adaptive")
	require.Equal(t, Commit{Interval: 250 * time.Millisecond, Mode: CommitAdaptive}, s.Commit)

	s = parsed(t, "eosproc.commit.interval.mode", "fixed")
	require.Equal(t, Commit{Interval: 100 * time.Millisecond, Mode: CommitFixed}, s.Commit)

	s = parsed(t, "compression.type", "zstd", "producer.compression.zstd.level", "7", "compression.lz4.level", "4")
	require.Equal(t, 7, s.Producer.CompressionLevel)
	s = parsed(t, "compression.type", "gzip", "compression.gzip.level", "-1")
	require.Zero(t, s.Producer.CompressionLevel)
}

func TestValues(t *testing.T) {
	s := parsed(t,
		"processing.guarantee", "EXACTLY_ONCE_V2", "num.stream.threads", " 4 ", "max.task.idle.ms", "-1",
		"group.protocol", "Consumer", "auto.offset.reset", "none", "metrics.recording.level", "debug",
		"eosproc.instance.id", "orders-0", "eosproc.http.address", ":9090", "eosproc.provenance.headers", "TRUE",
		"errors.dead.letter.queue.topic.name", "orders.dlq", "processing.exception.handler", "dlq", "eosproc.dlq.max.error.rate", "0.25",
		"topic.min.insync.replicas", "2", "replication.factor", "3", "enable.metrics.push", "false",
		"client.id", "orders", "client.rack", "a")
	require.Equal(t, 4, s.Threads)
	require.Equal(t, -time.Millisecond, s.Tasks.MaxIdle)
	require.Equal(t, GroupConsumer, s.Group.Protocol)
	require.Equal(t, ResetNone, s.Consumer.OffsetReset)
	require.Equal(t, RecordDebug, s.MetricsLevel)
	require.Equal(t, "orders-0", s.InstanceID)
	require.Equal(t, ":9090", s.HTTPAddress)
	require.True(t, s.ProvenanceHeaders)
	require.Equal(t, "orders.dlq", s.Errors.DeadLetterTopic)
	require.InEpsilon(t, 0.25, s.Errors.DeadLetterMaxRate, 1e-9)
	require.Equal(t, map[string]string{"min.insync.replicas": "2"}, s.Topics.Configs)
	require.Equal(t, 3, s.Topics.ReplicationFactor)
	require.False(t, s.ClientMetrics)
	require.Equal(t, "orders", s.Client.ClientID)
	require.Equal(t, "a", s.Client.ClientRack)
}

func TestPrefixes(t *testing.T) {
	s := parsed(t,
		"max.poll.records", "1", "consumer.max.poll.records", "2", "main.consumer.max.poll.records", "3",
		"consumer.fetch.max.bytes", "20000000", "main.consumer.fetch.max.bytes", "30000000",
		"restore.consumer.fetch.max.bytes", "40000000", "fetch.min.bytes", "5", "global.consumer.fetch.min.bytes", "6",
		"producer.linger.ms", "7", "linger.ms", "8", "admin.client.id", "orders")
	require.Equal(t, 3, s.Consumer.MaxPollRecords)
	require.Equal(t, 30000000, s.Consumer.MaxBytes)
	require.Equal(t, 40000000, s.Restore.MaxBytes)
	require.Equal(t, 20000000, s.Global.MaxBytes)
	require.Equal(t, 5, s.Consumer.MinBytes)
	require.Equal(t, 5, s.Restore.MinBytes)
	require.Equal(t, 6, s.Global.MinBytes)
	require.Equal(t, 7*time.Millisecond, s.Producer.Linger)
	require.Equal(t, "orders", s.Client.ClientID)

	written, given := s.Given("max.poll.records")
	require.True(t, given)
	require.Equal(t, "main.consumer.max.poll.records", written)
	_, given = s.Given("acks")
	require.False(t, given)
}

func TestHandlerClasses(t *testing.T) {
	const (
		proceed = "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler"
		stop    = "class org.apache.kafka.streams.errors.LogAndFailProcessingExceptionHandler"
	)
	s := parsed(t, "deserialization.exception.handler", proceed, "processing.exception.handler", stop,
		"production.exception.handler", "DefaultProductionExceptionHandler")
	require.Equal(t, HandlerContinue, s.Errors.Deserialization)
	require.Equal(t, HandlerFail, s.Errors.Processing)
	require.Equal(t, HandlerFail, s.Errors.Production)

	// With a topic, Kafka's class writes a dead letter; our word does not.
	s = parsed(t, "deserialization.exception.handler", proceed, "processing.exception.handler", "continue",
		"errors.dead.letter.queue.topic.name", "dlq")
	require.Equal(t, HandlerDeadLetter, s.Errors.Deserialization)
	require.Equal(t, HandlerContinue, s.Errors.Processing)

	s, problems := Parse(minimal("default.deserialization.exception.handler", proceed))
	require.Equal(t, HandlerContinue, s.Errors.Deserialization)
	require.NoError(t, problems.Err())
	require.Len(t, problems.Warnings(), 1)

	s, _ = Parse(minimal("default.deserialization.exception.handler", proceed, "deserialization.exception.handler", "fail"))
	require.Equal(t, HandlerFail, s.Errors.Deserialization, "the current name wins")
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, key, value, message, suggestion string
		warning                               bool
	}{
		{name: "older guarantee", key: "processing.guarantee", value: "exactly_once", message: "removed in Kafka Streams 4.0", suggestion: "exactly_once_v2"},
		{name: "beta guarantee", key: "processing.guarantee", value: "exactly_once_beta", message: "removed in Kafka Streams 4.0", suggestion: "exactly_once_v2"},
		{name: "mistyped guarantee", key: "processing.guarantee", value: "at_least_onse", message: "not one of", suggestion: "at_least_once"},
		{name: "streams groups", key: "group.protocol", value: "streams", message: "KIP-1071", suggestion: "classic"},
		{name: "duration", key: "commit.interval.ms", value: "2s", message: "milliseconds", suggestion: "2000"},
		{name: "size", key: "eosproc.transaction.max.bytes", value: "64MiB", message: "whole number", suggestion: "67108864"},
		{name: "range", key: "eosproc.producers.per.thread", value: "5", message: "outside of 1 to 4"},
		{name: "negative", key: "consumer.session.timeout.ms", value: "-1", message: "outside"},
		{name: "overflow", key: "task.timeout.ms", value: "99999999999999999999", message: "whole number"},
		{name: "boolean", key: "eosproc.provenance.headers", value: "yes", message: "neither true nor false"},
		{name: "application id", key: "application.id", value: "a/b", message: "a/b"},
		{name: "instance id", key: "eosproc.instance.id", value: "a b", message: "a b"},
		{name: "naming", key: "ensure.explicit.internal.resource.naming", value: "false", message: "orphan", suggestion: "true"},
		{name: "optimization", key: "topology.optimization", value: "all", message: "as it is written", suggestion: "none"},
		{name: "auto commit", key: "consumer.enable.auto.commit", value: "true", message: "together with the results", suggestion: "false"},
		{name: "idempotence", key: "producer.enable.idempotence", value: "false", message: "transactions need it", suggestion: "true"},
		{name: "acks", key: "acks", value: "1", message: "acks=all", suggestion: "all"},
		{name: "in flight", key: "max.in.flight.requests.per.connection", value: "6", message: "1 to 5", suggestion: "5"},
		{name: "foreign class", key: "processing.exception.handler", value: "com.acme.Handler", message: "fail, continue or dlq"},
		{name: "topic name", key: "errors.dead.letter.queue.topic.name", value: "a b", message: "249"},
		{name: "error rate", key: "eosproc.dlq.max.error.rate", value: "NaN", message: "share", suggestion: "off"},
		{name: "http address", key: "eosproc.http.address", value: "9090", message: "host:port"},
		{name: "replicas", key: "replication.factor", value: "0", message: "at least one"},
		{name: "connect's key", key: "errors.deadletterqueue.topic.name", value: "x", message: "Kafka Connect", suggestion: "errors.dead.letter.queue.topic.name"},
		{name: "mistyped key", key: "comit.interval.ms", value: "1", message: "unknown key", suggestion: "commit.interval.ms"},
		{name: "mistyped with prefix", key: "producer.lingr.ms", value: "1", message: "unknown key", suggestion: "producer.linger.ms"},
		{name: "own prefix left out", key: "http.address", value: ":1", message: "unknown key", suggestion: "eosproc.http.address"},
		{name: "topic prefix left out", key: "retention.ms", value: "1", message: "unknown key", suggestion: "topic.retention.ms"},
		{name: "wrong prefix", key: "producer.session.timeout.ms", value: "1", message: "does not belong", suggestion: "consumer.session.timeout.ms"},
		{name: "prefix on plain key", key: "consumer.application.id", value: "x", message: "does not belong", suggestion: "application.id"},
		{name: "topic policy", key: "topic.cleanup.policy", value: "delete", message: "lose state"},
		{name: "topic setting", key: "topic.retention.m", value: "1", message: "unknown topic setting", suggestion: "topic.retention.ms"},
		{name: "transactional id", key: "producer.transactional.id", value: "x", message: "not offered"},
		{name: "java class", key: "rocksdb.config.setter", value: "com.acme.Setter", message: "Pebble"},
		{name: "connection", key: "security.protocol", value: "TLS", message: "SSL"},
		{name: "connection with prefix", key: "producer.request.timeout.ms", value: "soon", message: "milliseconds"},
		{name: "kerberos", key: "sasl.kerberos.service.name", value: "kafka", message: "Kerberos"},

		{name: "older name", key: "cache.max.bytes.buffering", value: "1", message: "older name", suggestion: "statestore.cache.max.bytes", warning: true},
		{name: "stores", key: "enable.transactional.statestores", value: "false", message: "always transactional", suggestion: "true", warning: true},
		{name: "no effect", key: "producer.batch.size", value: "65536", message: "no effect", warning: true},
		{name: "no effect on restore", key: "restore.consumer.max.poll.records", value: "5", message: "no effect", warning: true},
		{name: "tags", key: "client.tag.zone", value: "a", message: "tags", warning: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := Parse(minimal(c.key, c.value))
			require.Len(t, problems, 1)
			require.Equal(t, c.key, problems[0].Key)
			require.Contains(t, problems[0].Message, c.message)
			if c.suggestion != "" {
				require.Equal(t, c.suggestion, problems[0].Suggestion)
			}
			require.Equal(t, c.warning, problems[0].Severity == Warning)
		})
	}
}

func TestConflictingConnections(t *testing.T) {
	_, problems := Parse(minimal("producer.client.id", "a", "consumer.client.id", "b"))
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Message, "consumer.client.id")
	require.Equal(t, "client.id", problems[0].Suggestion)
}

func TestEveryFaultIsReported(t *testing.T) {
	_, problems := Parse(map[string]string{
		"bootstrap.servers": "localhost:what", "num.stream.threads": "many", "nonsense": "1", "poll.ms": "7",
	})
	err := problems.Err()
	require.ErrorIs(t, err, ErrInvalid)
	var first Problem
	require.True(t, errors.As(err, &first))
	require.Equal(t, "application.id", first.Key)
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
	}
	require.Equal(t, []string{"application.id", "bootstrap.servers", "nonsense", "num.stream.threads", "poll.ms"}, keys)
	require.Len(t, problems.Warnings(), 1)
	require.NotContains(t, err.Error(), "poll.ms")
}

func TestSecretsAreNotPrinted(t *testing.T) {
	const secret = "s3cr3t-value"
	for _, props := range []map[string]string{
		minimal("sasl.password", secret),
		minimal("sasl.pasword", secret),
		minimal("ssl.key.password", secret),
		minimal("sasl.jaas.config", "org.PlainLoginModule required password="+secret),
		minimal("security.protocol", "SASL_SSL", "sasl.mechanism", "PLAIN", "sasl.jaas.config", `org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="`+secret+`"`),
		minimal("producer.sasl.password", secret, "consumer.sasl.password", secret+"2"),
		minimal("nonsense.token", secret),
		minimal("sasl.oauthbearer.assertion.private.key.passphrase", secret),
		minimal("topic.pasword", secret),
	} {
		s, problems := Parse(props)
		for _, p := range problems {
			require.NotContains(t, p.Error(), secret)
		}
		require.NotContains(t, s.name("sasl.password"), secret)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("commit.interval.ms", "100", "producer.linger.ms", "5")
	f.Add("topic.", "", "consumer.", "")
	f.Add("sasl.jaas.config", `x required a="`, "bootstrap.servers", ":::")
	f.Add("eosproc.retries.attempts", "1000", "eosproc.retries.backoff.max.ms", "3600000")
	f.Fuzz(func(t *testing.T, key1, value1, key2, value2 string) {
		props := map[string]string{key1: value1, key2: value2}
		s, problems := Parse(props)
		for _, p := range problems {
			if p.Error() == "" || p.Message == "" {
				t.Fatalf("a problem without words: %#v", p)
			}
		}
		if s.Guarantee == "" || s.Threads < 1 || s.Errors.RetryTime() < 0 {
			t.Fatalf("unusable settings: %+v", s)
		}
	})
}
