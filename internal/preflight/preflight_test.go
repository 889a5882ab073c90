package preflight

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"go.uber.org/goleak"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/topology"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func textTopic(name string) topology.Topic[string, string] {
	return topology.NewTopic(name, codec.String, codec.String)
}

// copying is orders → payments.
func copying(t *testing.T) *topology.Topology {
	b := topology.NewBuilder()
	topology.From(b, textTopic("orders")).To(textTopic("payments"))
	return build(t, b)
}

// repartitioning is orders → app-by-user-repartition → app-by-shop-repartition → payments.
func repartitioning(t *testing.T, opts ...topology.Option) *topology.Topology {
	b := topology.NewBuilder()
	topology.From(b, textTopic("orders")).
		Repartition(textTopic("by-user"), opts...).
		Repartition(textTopic("by-shop")).
		To(textTopic("payments"))
	return build(t, b)
}

func build(t *testing.T, b *topology.Builder) *topology.Topology {
	t.Helper()
	top, err := b.Build()
	require.NoError(t, err)
	return top
}

func fake(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.ClusterID("cluster-a")}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// seeded has the topics of copying and repartitioning.
func seeded(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	return fake(t, append([]kfake.Opt{kfake.SeedTopics(3, "orders"), kfake.SeedTopics(1, "payments")}, opts...)...)
}

type props map[string]string

// outcome is what one Run gave.
type outcome struct {
	found *Found
	err   error
	log   string
}

func (o outcome) text() string { return o.err.Error() }

func run(t *testing.T, addresses []string, top *topology.Topology, p props) outcome {
	t.Helper()
	return runContext(t.Context(), t, addresses, top, p)
}

func runContext(ctx context.Context, t *testing.T, addresses []string, top *topology.Topology, p props) outcome {
	t.Helper()
	all := props{"application.id": "app", "bootstrap.servers": strings.Join(addresses, ",")}
	maps.Copy(all, p)
	s, problems := settings.Parse(all)
	require.NoError(t, problems.Err())
	log := &lockedBuffer{}
	client, err := s.Client.Options(nil)
	require.NoError(t, err)
	var o outcome
	o.found, o.err = Run(ctx, client, top, &s, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	o.log = log.String()
	return o
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func admin(t *testing.T, addresses []string, opts ...kgo.Opt) *kadm.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(addresses...)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return kadm.NewClient(c)
}

func TestAllIsWell(t *testing.T) {
	c := seeded(t)
	o := run(t, c.ListenAddrs(), copying(t), nil)
	require.NoError(t, o.err)
	assert.Equal(t, "cluster-a", o.found.ClusterID)
	assert.Equal(t, 2, o.found.TransactionVersion)
	assert.Equal(t, map[string]int{"orders": 3}, o.found.Partitions)
	assert.Equal(t, 1, strings.Count(o.log, "level=WARN"), "one line about the one broker, and no other: %s", o.log)
	assert.Contains(t, o.log, "the cluster has one broker")
}

func TestMissingTopicsAreReportedTogether(t *testing.T) {
	c := fake(t, kfake.SeedTopics(1, "order", "elsewhere"))
	o := run(t, c.ListenAddrs(), copying(t), props{
		"processing.exception.handler": "dlq", "errors.dead.letter.queue.topic.name": "failures",
	})
	require.ErrorIs(t, o.err, ErrNoTopic)
	addr := c.ListenAddrs()[0]
	assert.Equal(t, strings.Join([]string{
		`dead letter topic "failures": topic does not exist; eosproc makes no topics of yours: kafka-topics.sh --bootstrap-server ` + addr + ` --create --topic failures --partitions <n>`,
		`input topic "orders": topic does not exist, did you mean order?; eosproc makes no topics of yours: kafka-topics.sh --bootstrap-server ` + addr + ` --create --topic orders --partitions <n>`,
		`output topic "payments": topic does not exist; eosproc makes no topics of yours: kafka-topics.sh --bootstrap-server ` + addr + ` --create --topic payments --partitions <n>`,
	}, "\n"), o.text())
}

func TestDeadLetterTopicMattersOnlyWithItsHandler(t *testing.T) {
	c := seeded(t)
	o := run(t, c.ListenAddrs(), copying(t), props{"errors.dead.letter.queue.topic.name": "failures"})
	assert.NoError(t, o.err)
}

func TestPatterns(t *testing.T) {
	c := fake(t, kfake.SeedTopics(2, "eu-orders"), kfake.SeedTopics(4, "us-orders"), kfake.SeedTopics(1, "payments", "orders"))
	b := topology.NewBuilder()
	topology.FromPattern(b, "(eu|us)-orders", codec.String, codec.String).Repartition(textTopic("by-user")).To(textTopic("payments"))
	topology.FromPattern(b, "returns-.*", codec.String, codec.String).To(textTopic("payments"))
	o := run(t, c.ListenAddrs(), build(t, b), nil)
	require.NoError(t, o.err)
	assert.Equal(t, map[string]int{"eu-orders": 2, "us-orders": 4, "app-by-user-repartition": 4}, o.found.Partitions)
	assert.Contains(t, o.log, "the pattern matches no topic yet")
	assert.Contains(t, o.log, "returns-")
	assert.NotContains(t, o.log, "pattern=\"^(?:(eu")
}

func TestUnreachable(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	o := runContext(ctx, t, []string{closed.Addr().String(), "no-such-host.invalid:9092"}, copying(t), nil)
	require.ErrorIs(t, o.err, ErrUnreachable)
	assert.Contains(t, o.text(), closed.Addr().String()+": connection refused: nothing listens there")
	assert.Contains(t, o.text(), "no-such-host.invalid:9092: ")
	assert.Contains(t, o.text(), "tried for ")
}

func TestOneLivingAddressIsEnough(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	c := seeded(t)
	o := run(t, append([]string{closed.Addr().String()}, c.ListenAddrs()...), copying(t), nil)
	assert.NoError(t, o.err)
}

func TestWaitsForABrokerThatStarts(t *testing.T) {
	held, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := held.Addr().(*net.TCPAddr).Port
	require.NoError(t, held.Close())
	done := make(chan outcome)
	go func() { done <- run(t, []string{held.Addr().String()}, copying(t), nil) }()
	seeded(t, kfake.Ports(port))
	assert.NoError(t, (<-done).err)
}

func TestAdvertisedAddressIsWrong(t *testing.T) {
	c := seeded(t)
	c.ControlKey(kmsg.Metadata.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		resp.ClusterID = kmsg.StringPtr("cluster-a")
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Host, b.Port = 7, "127.0.0.1", 1
		resp.Brokers = append(resp.Brokers, b)
		return resp, nil, true
	})
	o := run(t, c.ListenAddrs(), copying(t), nil)
	require.ErrorIs(t, o.err, ErrUnreachable)
	assert.Contains(t, o.text(), "advertised.listeners")
	assert.Contains(t, o.text(), "broker 7 (127.0.0.1:1): connection refused")
}

func TestCredentials(t *testing.T) {
	c := fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "right"))
	wrong := props{
		"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "alice", "sasl.password": "canary-7f3",
		"eosproc.allow.plaintext.sasl": "true",
	}
	refuse := func(key kmsg.Key, code int16) {
		c.ControlKey(key.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
			switch resp := req.ResponseKind().(type) {
			case *kmsg.SASLAuthenticateResponse:
				resp.ErrorCode, resp.ErrorMessage = code, kmsg.StringPtr("Authentication failed: Invalid username or password")
				return resp, nil, true
			case *kmsg.SASLHandshakeResponse:
				resp.ErrorCode = code
				return resp, nil, true
			}
			return nil, nil, false
		})
	}
	for name, test := range map[string]struct {
		prepare func()
		want    string
	}{
		"password":  {func() { refuse(kmsg.SASLAuthenticate, kerr.SaslAuthenticationFailed.Code) }, `the broker refuses the credentials (SASL PLAIN, user "alice"): check user and password`},
		"mechanism": {func() { refuse(kmsg.SASLHandshake, kerr.UnsupportedSaslMechanism.Code) }, "the broker does not offer SASL mechanism PLAIN: check sasl.mechanism"},
		"no SASL":   {func() { refuse(kmsg.SASLHandshake, kerr.IllegalSaslState.Code) }, "the listener takes no SASL"},
	} {
		t.Run(name, func(t *testing.T) {
			test.prepare()
			begin := time.Now()
			o := run(t, c.ListenAddrs(), copying(t), wrong)
			require.ErrorIs(t, o.err, ErrUnreachable)
			assert.Contains(t, o.text(), test.want)
			assert.NotContains(t, o.text()+o.log, "canary-7f3")
			assert.Less(t, time.Since(begin), patience/3, "waiting does not make a refusal better")
		})
	}
}

// TestConnectionsEnd is what a client meets that has the wrong security.protocol:
// brokers do not explain themselves to those.
func TestConnectionsEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 16))
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-ended })
	for _, protocol := range []string{"PLAINTEXT", "SSL"} {
		t.Run(protocol, func(t *testing.T) {
			begin := time.Now()
			o := run(t, []string{l.Addr().String()}, copying(t), props{"security.protocol": protocol})
			require.ErrorIs(t, o.err, ErrUnreachable)
			assert.Contains(t, o.text(), "its listener most likely wants another security.protocol than "+protocol)
			assert.Less(t, time.Since(begin), patience/2)
		})
	}
}

func TestNoAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	o := runContext(ctx, t, []string{l.Addr().String()}, copying(t), nil)
	require.ErrorIs(t, o.err, ErrUnreachable)
	require.ErrorIs(t, o.err, context.DeadlineExceeded)
	assert.Contains(t, o.text(), "no answer: a firewall, a frozen broker, or a listener that wants another security.protocol than PLAINTEXT")
}

func TestOldBrokers(t *testing.T) {
	for name, test := range map[string]struct {
		version *kversion.Versions
		props   props
		want    string
	}{
		"exactly once":   {kversion.V2_4_0(), nil, ": processing.guarantee=exactly_once_v2 needs Kafka 2.5 or later (KIP-447"},
		"consumer group": {kversion.V3_6_0(), props{"group.protocol": "consumer"}, ": group.protocol=consumer needs Kafka 4.0 or later (KIP-848)"},
	} {
		t.Run(name, func(t *testing.T) {
			c := seeded(t, kfake.MaxVersions(test.version))
			o := run(t, c.ListenAddrs(), copying(t), test.props)
			require.ErrorIs(t, o.err, ErrBrokerTooOld)
			assert.Contains(t, o.text(), test.want)
			assert.Equal(t, 1, strings.Count(o.text(), ErrBrokerTooOld.Error()), "one reason, one fault")
		})
	}
	t.Run("at least once runs on them", func(t *testing.T) {
		c := seeded(t, kfake.MaxVersions(kversion.V2_4_0()))
		o := run(t, c.ListenAddrs(), copying(t), props{"processing.guarantee": "at_least_once"})
		assert.NoError(t, o.err)
	})
	t.Run("transaction.version 0", func(t *testing.T) {
		c := seeded(t, kfake.MaxVersions(kversion.V3_9_0()))
		o := run(t, c.ListenAddrs(), copying(t), nil)
		require.NoError(t, o.err)
		assert.Equal(t, 0, o.found.TransactionVersion)
		assert.Contains(t, o.log, "KIP-890")
	})
}

func TestGroupVersionIsOff(t *testing.T) {
	c := seeded(t)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	req := kmsg.NewPtrUpdateFeaturesRequest()
	feature := kmsg.NewUpdateFeaturesRequestFeatureUpdate()
	feature.Feature, feature.UpgradeType = "group.version", 3
	req.FeatureUpdates = append(req.FeatureUpdates, feature)
	resp, err := req.RequestWith(t.Context(), client)
	require.NoError(t, err)
	require.NoError(t, kerr.ErrorForCode(resp.ErrorCode))
	o := run(t, c.ListenAddrs(), copying(t), props{"group.protocol": "consumer"})
	require.ErrorIs(t, o.err, ErrBrokerTooOld)
	assert.Contains(t, o.text(), "upgrade --feature group.version=1")
}

func TestTransactionTimeout(t *testing.T) {
	c := seeded(t, kfake.BrokerConfigs(map[string]string{"transaction.max.timeout.ms": "5000"}))
	o := run(t, c.ListenAddrs(), copying(t), props{"transaction.timeout.ms": "9000"})
	require.ErrorIs(t, o.err, ErrTransactionTimeout)
	assert.Contains(t, o.text(), "it is 9000, the brokers' transaction.max.timeout.ms is 5000")
	assert.NoError(t, run(t, c.ListenAddrs(), copying(t), props{"transaction.timeout.ms": "9000", "processing.guarantee": "at_least_once"}).err)
}

func allow(resource kmsg.ACLResourceType, name string, ops ...kmsg.ACLOperation) []kfake.ACL {
	var acls []kfake.ACL
	for _, op := range ops {
		acls = append(acls, kfake.ACL{Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true})
	}
	return acls
}

func allowPrefixed(resource kmsg.ACLResourceType, name string, ops ...kmsg.ACLOperation) []kfake.ACL {
	acls := allow(resource, name, ops...)
	for i := range acls {
		acls[i].Pattern = kmsg.ACLResourcePatternTypePrefixed
	}
	return acls
}

func guarded(t *testing.T, acls ...[]kfake.ACL) *kfake.Cluster {
	var all []kfake.ACL
	for _, a := range acls {
		all = append(all, a...)
	}
	return seeded(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "pw"), kfake.User("PLAIN", "alice", "pw", all...))
}

var alice = props{"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "alice", "sasl.password": "pw", "eosproc.allow.plaintext.sasl": "true"}

func TestNoRightsAtAll(t *testing.T) {
	c := guarded(t)
	o := run(t, c.ListenAddrs(), repartitioning(t), alice)
	require.ErrorIs(t, o.err, ErrNotAuthorized)
	acls := "kafka-acls.sh --bootstrap-server " + c.ListenAddrs()[0] + " --add --allow-principal 'User:alice' "
	internal := acls + "--operation Read --operation Write --operation Describe --operation Create --topic app- --resource-pattern-type prefixed"
	assert.Equal(t, strings.Join([]string{
		`internal topic "app-by-shop-repartition": not authorized to Read, Write and Describe it: ` + internal,
		`internal topic "app-by-user-repartition": not authorized to Read, Write and Describe it: ` + internal,
		`input topic "orders": not authorized to Read and Describe it: ` + acls + `--operation Read --operation Describe --topic orders`,
		`output topic "payments": not authorized to Write and Describe it: ` + acls + `--operation Write --operation Describe --topic payments`,
		`group "app": not authorized to use it: ` + acls + `--operation Read --operation Describe --group app`,
		`transactional ids "app-…": not authorized to use it: ` + acls + `--operation Write --operation Describe --transactional-id app- --resource-pattern-type prefixed`,
	}, "\n"), o.text())
}

// TestLeastPrivilege grants what the remedies say and nothing more.
func TestLeastPrivilege(t *testing.T) {
	c := guarded(t,
		allow(kmsg.ACLResourceTypeTopic, "orders", kmsg.ACLOperationRead, kmsg.ACLOperationDescribe),
		allow(kmsg.ACLResourceTypeTopic, "payments", kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe),
		allow(kmsg.ACLResourceTypeGroup, "app", kmsg.ACLOperationRead, kmsg.ACLOperationDescribe),
		allowPrefixed(kmsg.ACLResourceTypeTransactionalId, "app-", kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe),
		allowPrefixed(kmsg.ACLResourceTypeTopic, "app-", kmsg.ACLOperationRead, kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe, kmsg.ACLOperationCreate),
	)
	o := run(t, c.ListenAddrs(), repartitioning(t), alice)
	require.NoError(t, o.err)
	assert.Equal(t, 3, o.found.Partitions["app-by-shop-repartition"])
	assert.Equal(t, 1048576, o.found.MaxRecordBytes("payments"), "without DescribeConfigs the setting holds")
	assert.Contains(t, o.log, "level=DEBUG msg=\"broker setting is not known\"")
}

func TestReadAndWriteAreToldApart(t *testing.T) {
	c := guarded(t,
		allow(kmsg.ACLResourceTypeTopic, "orders", kmsg.ACLOperationDescribe),
		allow(kmsg.ACLResourceTypeTopic, "payments", kmsg.ACLOperationRead),
		allow(kmsg.ACLResourceTypeGroup, "app", kmsg.ACLOperationRead),
		allowPrefixed(kmsg.ACLResourceTypeTransactionalId, "app-", kmsg.ACLOperationDescribe),
	)
	o := run(t, c.ListenAddrs(), copying(t), alice)
	require.ErrorIs(t, o.err, ErrNotAuthorized)
	assert.Contains(t, o.text(), `input topic "orders": not authorized to Read it:`)
	assert.Contains(t, o.text(), `output topic "payments": not authorized to Write it:`)
	assert.Contains(t, o.text(), `transactional ids "app-…": not authorized`, "Describe alone does not do")
	assert.NotContains(t, o.text(), `group "app"`)
}

func TestGroupMayOnlyBeDescribed(t *testing.T) {
	c := seeded(t)
	c.ControlKey(kmsg.Heartbeat.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.HeartbeatResponse)
		resp.ErrorCode = kerr.GroupAuthorizationFailed.Code
		return resp, nil, true
	})
	o := run(t, c.ListenAddrs(), copying(t), nil)
	require.ErrorIs(t, o.err, ErrNotAuthorized)
	assert.Contains(t, o.text(), `group "app": not authorized`)
}

func TestProbesLeaveNothingBehind(t *testing.T) {
	c := seeded(t)
	require.NoError(t, run(t, c.ListenAddrs(), copying(t), nil).err)
	adm := admin(t, c.ListenAddrs())
	groups, err := adm.ListGroups(t.Context())
	require.NoError(t, err)
	assert.Empty(t, groups)
	txns, err := adm.ListTransactions(t.Context(), nil, nil)
	require.NoError(t, err)
	assert.Empty(t, txns)
}

func TestCreateIsDenied(t *testing.T) {
	c := seeded(t)
	c.ControlKey(kmsg.CreateTopics.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.CreateTopicsResponse)
		for _, rt := range req.(*kmsg.CreateTopicsRequest).Topics {
			st := kmsg.NewCreateTopicsResponseTopic()
			st.Topic, st.ErrorCode = rt.Topic, kerr.TopicAuthorizationFailed.Code
			resp.Topics = append(resp.Topics, st)
		}
		return resp, nil, true
	})
	o := run(t, c.ListenAddrs(), repartitioning(t), nil)
	require.ErrorIs(t, o.err, ErrInternalTopic)
	require.ErrorIs(t, o.err, ErrNotAuthorized)
	assert.Contains(t, o.text(), `internal topic "app-by-user-repartition": not authorized to Create it: kafka-acls.sh`)
}

func TestInternalTopicsAreMade(t *testing.T) {
	c := seeded(t)
	o := run(t, c.ListenAddrs(), repartitioning(t), props{"topic.retention.bytes": "12345"})
	require.NoError(t, o.err)
	assert.Equal(t, map[string]int{"orders": 3, "app-by-user-repartition": 3, "app-by-shop-repartition": 3}, o.found.Partitions)

	adm := admin(t, c.ListenAddrs())
	configs, err := adm.DescribeTopicConfigs(t.Context(), "app-by-user-repartition")
	require.NoError(t, err)
	got := map[string]string{}
	for _, cfg := range configs[0].Configs {
		got[cfg.Key] = cfg.MaybeValue()
	}
	for key, want := range map[string]string{"cleanup.policy": "delete", "retention.ms": "-1", "segment.bytes": "52428800", "message.timestamp.type": "CreateTime", "retention.bytes": "12345"} {
		assert.Equal(t, want, got[key], key)
	}

	again := run(t, c.ListenAddrs(), repartitioning(t), nil)
	require.NoError(t, again.err, "they are found as they were made")
	assert.NotContains(t, again.log, "made internal topic")
}

func TestPartitionsOfInternalTopics(t *testing.T) {
	c := seeded(t)
	o := run(t, c.ListenAddrs(), repartitioning(t, topology.Partitions(7)), nil)
	require.NoError(t, o.err)
	assert.Equal(t, 7, o.found.Partitions["app-by-user-repartition"])
	assert.Equal(t, 7, o.found.Partitions["app-by-shop-repartition"], "the next one follows the one before")
}

func TestInternalTopicWithAnotherShapeIsRefused(t *testing.T) {
	c := seeded(t)
	adm := admin(t, c.ListenAddrs())
	_, err := adm.CreateTopic(t.Context(), 5, 1, map[string]*string{"cleanup.policy": kadm.StringPtr("compact"), "retention.ms": kadm.StringPtr("-1")}, "app-by-user-repartition")
	require.NoError(t, err)
	o := run(t, c.ListenAddrs(), repartitioning(t), nil)
	require.ErrorIs(t, o.err, ErrInternalTopic)
	assert.Contains(t, o.text(), `internal topic "app-by-user-repartition": it has 5 partitions and needs 3`)
	assert.Contains(t, o.text(), "--delete --topic app-by-user-repartition")
	assert.Contains(t, o.text(), `"app-by-user-repartition": cleanup.policy is compact and must be delete; run: kafka-configs.sh`)
	assert.Contains(t, o.text(), "--add-config cleanup.policy=delete")
	topics, err := adm.ListTopics(t.Context())
	require.NoError(t, err)
	assert.False(t, topics.Has("app-by-shop-repartition"), "nothing is made while anything is wrong")
}

func TestManyInstancesMakeTheTopicsAtOnce(t *testing.T) {
	c := seeded(t)
	outcomes := make([]outcome, 5)
	var wg sync.WaitGroup
	for i := range outcomes {
		wg.Go(func() { outcomes[i] = run(t, c.ListenAddrs(), repartitioning(t), nil) })
	}
	wg.Wait()
	for _, o := range outcomes {
		require.NoError(t, o.err)
		assert.Equal(t, 3, o.found.Partitions["app-by-shop-repartition"])
	}
}

func TestAnotherVersionMakesTheTopicMeanwhile(t *testing.T) {
	c := seeded(t)
	adm := admin(t, c.ListenAddrs())
	var once sync.Once
	c.ControlKey(kmsg.Heartbeat.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		// This question is put after the one about topics, and held until another process has made one.
		once.Do(func() {
			c.SleepControl(func() {
				_, err := adm.CreateTopic(t.Context(), 9, 1, nil, "app-by-user-repartition")
				assert.NoError(t, err)
			})
		})
		return nil, nil, false
	})
	o := run(t, c.ListenAddrs(), repartitioning(t), nil)
	require.ErrorIs(t, o.err, ErrInternalTopic)
	assert.Contains(t, o.text(), `"app-by-user-repartition": it has 9 partitions and needs 3`)
}

func TestTooManyReplicas(t *testing.T) {
	c := seeded(t)
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Err: kerr.InvalidReplicationFactor})
	o := run(t, c.ListenAddrs(), repartitioning(t), props{"replication.factor": "3"})
	require.ErrorIs(t, o.err, ErrInternalTopic)
	assert.Contains(t, o.text(), "the cluster cannot give it 3 replicas: set replication.factor")
}

func TestNothingTellsThePartitions(t *testing.T) {
	c := fake(t, kfake.SeedTopics(1, "payments"))
	b := topology.NewBuilder()
	topology.FromPattern(b, "none-.*", codec.String, codec.String).Repartition(textTopic("by-user")).To(textTopic("payments"))
	o := run(t, c.ListenAddrs(), build(t, b), nil)
	require.ErrorIs(t, o.err, ErrInternalTopic)
	assert.Contains(t, o.text(), "topology.Partitions(n)")
}

func TestRecordLimits(t *testing.T) {
	c := seeded(t)
	adm := admin(t, c.ListenAddrs())
	_, err := adm.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "max.message.bytes", Value: kadm.StringPtr("5000")}}, "payments")
	require.NoError(t, err)
	o := run(t, c.ListenAddrs(), copying(t), props{"max.request.size": "70000"})
	require.NoError(t, o.err)
	assert.Equal(t, 5000, o.found.MaxRecordBytes("payments"), "the topic takes less than the setting")
	assert.Equal(t, 70000, o.found.MaxRecordBytes("orders"), "the setting is smaller than the topic's limit")
	assert.Equal(t, 70000, o.found.MaxRecordBytes("chosen-later"))
}

func TestReplicationHints(t *testing.T) {
	c := fake(t, kfake.NumBrokers(3))
	adm := admin(t, c.ListenAddrs())
	_, err := adm.CreateTopic(t.Context(), 1, 1, nil, "orders")
	require.NoError(t, err)
	_, err = adm.CreateTopic(t.Context(), 1, 3, map[string]*string{"min.insync.replicas": kadm.StringPtr("1")}, "payments")
	require.NoError(t, err)
	o := run(t, c.ListenAddrs(), copying(t), nil)
	require.NoError(t, o.err)
	assert.Contains(t, o.log, `msg="the topic has one replica: what is committed is lost with its broker" topic=orders`)
	assert.Contains(t, o.log, `msg="min.insync.replicas is 1: a record counts as committed while one broker has it" topic=payments`)
	assert.NotContains(t, o.log, "the cluster has one broker")
}

func TestEndOfContext(t *testing.T) {
	c := seeded(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped by a test")
	c.ControlKey(kmsg.Heartbeat.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		cancel(why)
		return nil, nil, false
	})
	o := runContext(ctx, t, c.ListenAddrs(), copying(t), nil)
	assert.ErrorIs(t, o.err, why)

	refused, stop := context.WithCancel(t.Context())
	stop()
	assert.ErrorIs(t, runContext(refused, t, c.ListenAddrs(), copying(t), nil).err, context.Canceled)
}
