package preflight

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
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
