package bench

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"
)

// TestMain lets the test binary be the child process of the raw arms, as any
// binary that measures them must.
func TestMain(m *testing.M) {
	if ran, err := ChildMain(); ran {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func cluster(t *testing.T) []string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c.ListenAddrs()
}

func small(records int64) Workload {
	return Workload{Records: records, RecordBytes: 100, Partitions: 4, Keys: 50, Seed: 7}
}

func fill(t *testing.T, brokers []string, topic string, w Workload) {
	t.Helper()
	require.NoError(t, Fill(context.Background(), brokers, topic, w))
}
