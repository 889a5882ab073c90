package localkafka_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/eosproc/eosproc/internal/kafkatest"
	"github.com/eosproc/eosproc/internal/localkafka"
)

// A kept directory: a failed start says why, a detached cluster is found again
// and brought down, and its log tells that the logging binding is the right one.
func TestDetached(t *testing.T) {
	kafkatest.Need(t)
	dir := t.TempDir()
	fast := []string{"-XX:TieredStopAtLevel=1"}

	_, err := localkafka.Start(t.Context(), localkafka.Config{Dir: dir, JVMArgs: fast, Properties: map[string]string{"num.io.threads": "many"}})
	require.ErrorContains(t, err, "num.io.threads")

	c, err := localkafka.Start(t.Context(), localkafka.Config{Dir: dir, JVMArgs: fast, Detached: true})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Stop()) })
	addr, err := localkafka.Up(dir)
	require.NoError(t, err)
	assert.Equal(t, c.Bootstrap(), addr)
	kafkatest.CreateTopic(t, addr, "kept", 1, nil)
	kafkatest.Produce(t, addr, kafkatest.Record("kept", "k", "v"))

	_, err = localkafka.Start(t.Context(), localkafka.Config{Dir: dir})
	require.ErrorIs(t, err, localkafka.ErrRunning)

	require.NoError(t, localkafka.Down(t.Context(), dir, 30*time.Second))
	require.Eventually(t, func() bool { return c.Brokers()[0].PID() == 0 }, 10*time.Second, 10*time.Millisecond)
	addr, err = localkafka.Up(dir)
	require.NoError(t, err)
	assert.Empty(t, addr)

	log, err := os.ReadFile(filepath.Join(dir, "broker-1", "broker.log"))
	require.NoError(t, err)
	assert.NotContains(t, string(log), "SLF4J")
	assert.Contains(t, string(log), "INFO [KafkaRaftServer nodeId=1] Kafka Server started")
	assert.Contains(t, string(log), "shut down completed", "Down lets the broker end in order")
}
