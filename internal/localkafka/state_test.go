package localkafka

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClaimFixesTheLayout(t *testing.T) {
	dir, one := t.TempDir(), 1
	first, err := claim(dir, Config{}.withDefaults())
	require.NoError(t, err)
	assert.Len(t, first.ClusterID, 22)
	again, err := claim(dir, Config{}.withDefaults())
	require.NoError(t, err)
	assert.Equal(t, first, again)
	for name, cfg := range map[string]Config{
		"brokers": {Brokers: 3}, "transaction version": {TransactionVersion: &one},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := claim(dir, cfg.withDefaults())
			require.ErrorIs(t, err, ErrLayout)
			assert.ErrorContains(t, err, "has 1 brokers and transaction.version 2")
		})
	}
}

func TestUpAndDownWithoutCluster(t *testing.T) {
	dir := t.TempDir()
	addr, err := Up(dir)
	require.NoError(t, err)
	assert.Empty(t, addr)
	require.ErrorIs(t, Down(t.Context(), dir, time.Second), ErrNotRunning)

	require.NoError(t, os.WriteFile(statePath(dir), []byte("{"), 0o644))
	_, err = Up(dir)
	require.ErrorContains(t, err, "read cluster state")
}

// A process number that another program has by now is not taken for a broker.
func TestStrangerIsNoBroker(t *testing.T) {
	dir := t.TempDir()
	st := state{ClusterID: "x", Brokers: 1, Processes: []processInfo{{PID: os.Getpid(), Config: "/elsewhere/server.properties"}}}
	require.NoError(t, st.write(dir))
	addr, err := Up(dir)
	require.NoError(t, err)
	assert.Empty(t, addr)
	require.ErrorIs(t, Down(t.Context(), dir, time.Second), ErrNotRunning)
}
