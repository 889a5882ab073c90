package registryconf_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc"
	"github.com/eosproc/eosproc/codec/registry"
	"github.com/eosproc/eosproc/internal/kafkatest"
	"github.com/eosproc/eosproc/internal/pipeline"
	"github.com/eosproc/eosproc/internal/registryconf"
)

// The example runs against a broker and a registry. The registry is down when the
// first record comes: the record waits, whatever the handlers say.
func TestAvroPipelineOutlivesAnOutage(t *testing.T) {
	f := newFixture(t)
	f.seed(t, "orders-value", orderSchema)
	payments := f.seed(t, "payments-value", paymentSchema)
	_, brokers := kafkatest.Fake(t)
	kafkatest.CreateTopic(t, brokers, "orders", 1, nil)
	kafkatest.CreateTopic(t, brokers, "payments", 1, nil)

	file, err := pipeline.Load("../../examples/pipelines/avro.yaml", pipeline.Options{Lookup: func(string) (string, bool) { return "", false }})
	require.NoError(t, err)
	overrides := map[string]string{
		"bootstrap.servers": brokers, "schema.registry.url": f.URL(), "state.dir": t.TempDir(),
		"deserialization.exception.handler": "continue", "processing.exception.handler": "continue", "production.exception.handler": "continue",
	}
	s, _, err := file.Settings(overrides)
	require.NoError(t, err)
	connect, done, err := registryconf.Connect(t.Context(), s.Registry)
	require.NoError(t, err)
	topo, err := file.WithRegistry(connect).Build()
	require.NoError(t, err)
	done()

	orders, err := registry.AvroAny(t.Context(), f.client(t), "orders-value")
	require.NoError(t, err)
	for i, status := range []string{"PLACED", "NEW", "PLACED"} {
		b, err := orders.Append(nil, map[string]any{"id": int64(i), "status": status, "amount": int64(100 + i), "customer": "ada"})
		require.NoError(t, err)
		kafkatest.Produce(t, brokers, kafkatest.Record("orders", fmt.Sprint(i), string(b)))
	}
	f.down.Store(true)

	app, err := eosproc.New(topo, eosproc.Config{Properties: file.Config(overrides), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx) }()
	running := func() bool {
		select {
		case err := <-ended:
			require.NoError(t, err)
			require.Fail(t, "the application has ended")
		default:
		}
		return true
	}
	require.Eventually(t, func() bool { return running() && f.refused.Load() >= 2 }, 30*time.Second, 10*time.Millisecond, "no second try")
	require.Empty(t, kafkatest.ReadAll(t, brokers, "payments", kgo.ReadUncommitted()))
	f.down.Store(false)
	var got []*kgo.Record
	require.Eventually(t, func() bool {
		got = kafkatest.ReadAll(t, brokers, "payments", kgo.ReadCommitted())
		return running() && len(got) >= 2
	}, 30*time.Second, 20*time.Millisecond)
	stop()
	require.NoError(t, <-ended)

	written, err := registry.AvroAny(t.Context(), f.client(t), "payments-value")
	require.NoError(t, err)
	require.Len(t, got, 2)
	for i, want := range []map[string]any{{"order": int64(0), "cents": int64(100)}, {"order": int64(2), "cents": int64(102)}} {
		require.Equal(t, "ada", string(got[i].Key))
		require.Equal(t, uint32(payments), binary.BigEndian.Uint32(got[i].Value[1:]))
		value, err := written.Decode(got[i].Value)
		require.NoError(t, err)
		require.Equal(t, want, value)
	}
}
