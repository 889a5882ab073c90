package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/kafkatest"
	"github.com/eosproc/eosproc/internal/verify"
)

func TestMain(m *testing.M) { os.Exit(kafkatest.Main(m)) }

// kcat reads with librdkafka, which shares no code with the client used here: what
// it sees of a topic read_committed is what verify judges.
func TestKcatAgrees(t *testing.T) {
	kcat, err := exec.LookPath("kcat")
	if err != nil {
		if require := os.Getenv("EOSPROC_REQUIRE"); require == "all" || strings.Contains(require, "kcat") {
			t.Fatal("kcat is not installed")
		}
		t.Skip("kcat is not installed: an independent reader could not be asked")
	}
	brokers := kafkatest.Shared(t).Bootstrap()
	in, out := kafkatest.Name("in"), kafkatest.Name("out")
	kafkatest.CreateTopic(t, brokers, in, 2, nil)
	kafkatest.CreateTopic(t, brokers, out, 2, nil)
	var want []string
	for round := range 6 {
		end, topics := kgo.TryCommit, []string{in, out}
		if round%3 == 2 {
			end, topics = kgo.TryAbort, []string{out}
		}
		var records []*kgo.Record
		for i := range 50 {
			key, value := fmt.Sprintf("k%d", i%7), fmt.Sprintf("%d-%d", round, i)
			for _, topic := range topics {
				records = append(records, kafkatest.Record(topic, key, value))
			}
			if end == kgo.TryCommit {
				want = append(want, key+" "+value)
			}
		}
		kafkatest.ProduceTxn(t, brokers, kafkatest.Name("txn"), end, records...)
	}

	read := func(isolation string) []string {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(kcat, "-C", "-q", "-e", "-b", brokers, "-t", out, "-o", "beginning", "-X", "isolation.level="+isolation, "-f", `%k %s\n`)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		require.NoError(t, cmd.Run(), stderr.String())
		return slices.Sorted(strings.SplitSeq(strings.TrimRight(stdout.String(), "\n"), "\n"))
	}
	slices.Sort(want)
	committed := read("read_committed")
	require.Equal(t, want, committed)
	require.Len(t, read("read_uncommitted"), len(want)+100, "the aborted records are in the log")

	report, err := verify.Run(context.Background(), verify.Config{
		Client: []kgo.Opt{kgo.SeedBrokers(strings.Split(brokers, ",")...)}, Inputs: []string{in}, Outputs: []string{out},
	})
	require.NoError(t, err)
	require.NotEqual(t, verify.Violated, report.Verdict, "%+v", report)
	require.EqualValues(t, len(committed), report.Output.Counts.Visible)
	require.EqualValues(t, 100, report.Output.Counts.Aborted)
}
