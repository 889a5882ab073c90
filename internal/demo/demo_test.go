package demo

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc"
)

// TestMain lets the test binary be its own `eosproc demo …`, since the demo
// starts the program that it is part of.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "demo" {
		root := &cobra.Command{Use: "eosproc"}
		root.AddCommand(Command())
		if err := root.Execute(); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// shown is what a demo has printed.
type shown struct {
	report report
	events map[string]int
	dir    string // the working directory
	stderr string
}

// demo runs a demo in a process of its own and an empty working directory.
func demo(t *testing.T, args ...string) (shown, error) {
	t.Helper()
	out := shown{dir: t.TempDir(), events: map[string]int{}}
	cmd := exec.Command(os.Args[0], append([]string{"demo", "-o", "json", "--events", "--duration", "6s"}, args...)...)
	cmd.Dir = out.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	out.stderr = stderr.String()
	lines := bytes.Split(bytes.TrimSpace(stdout), []byte("\n"))
	for _, line := range lines[:len(lines)-1] {
		var e event
		require.NoError(t, json.Unmarshal(line, &e), "%s", line)
		out.events[e.Event]++
	}
	require.NoError(t, json.Unmarshal(lines[len(lines)-1], &out.report), "%s\n%s", stdout, out.stderr)
	if t.Failed() || err != nil {
		t.Logf("%s\n%s", stdout, out.stderr)
	}
	return out, err
}

func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	d, err := demo(t)
	require.NoError(t, err)
	assert.Empty(t, d.stderr)
	r := d.report
	assert.Equal(t, exact, r.Verdict)
	assert.Empty(t, r.Problems)
	assert.Greater(t, r.Counts.In, r.Counts.Expected)
	assert.Greater(t, r.Counts.Expected, int64(6*2000/2))
	assert.Equal(t, r.Counts.Expected, r.Counts.Out)
	assert.Positive(t, r.Faults.OpenAtKill)
	// The killed worker's transaction and the frozen one's.
	assert.Greater(t, r.Counts.Aborted, r.Faults.OpenAtKill)
	assert.Equal(t, 1, r.Faults.Kills)
	assert.Equal(t, 1, r.Faults.Freezes)
	assert.True(t, r.Faults.ZombieFenced)
	assert.Positive(t, r.FirstPaymentSeconds)
	for _, name := range []string{"start", "kill", "restart", "rejoin", "freeze", "thaw", "drain"} {
		assert.Equal(t, 1, d.events[name], name)
	}
	assert.Equal(t, r.Faults.FencedCommits, d.events["fenced"])
	assert.Zero(t, d.events["crash"])

	entries, err := os.ReadDir(d.dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "only its own directory")
	assert.Equal(t, filepath.Join(d.dir, "eosproc-demo"), r.Setup.Directory)
	var again report
	text, err := os.ReadFile(filepath.Join(r.Setup.Directory, reportFile))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &again))
	assert.Equal(t, r, again)
}

func TestAtLeastOnce(t *testing.T) {
	t.Parallel()
	d, err := demo(t, "--guarantee", "at_least_once", "--seed", "2")
	require.NoError(t, err)
	r := d.report
	assert.Equal(t, repeated, r.Verdict)
	assert.Positive(t, r.Counts.Duplicates)
	assert.Zero(t, r.Counts.Missing)
	assert.Zero(t, r.Counts.Aborted)
	assert.Equal(t, r.Counts.Expected+r.Counts.Duplicates, r.Counts.Out)
	assert.Equal(t, 1, r.Faults.Kills)
	assert.Equal(t, 1, r.Faults.Freezes)
	assert.Equal(t, eosproc.AtLeastOnce, r.Guarantee)
}

func TestOnesOwnClusterIsLeftAsItWas(t *testing.T) {
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(1, "orders", "payments"))
	require.NoError(t, err)
	defer cluster.Close()
	d, err := demo(t, "-b", cluster.ListenAddrs()[0]+","+cluster.ListenAddrs()[1])
	require.NoError(t, err)
	assert.Equal(t, exact, d.report.Verdict)
	assert.False(t, d.report.Setup.Embedded)

	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	require.NoError(t, err)
	defer client.Close()
	admin := kadm.NewClient(client)
	topics, err := admin.ListTopics(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"orders", "payments"}, topics.Names())
	groups, err := admin.ListGroups(t.Context())
	require.NoError(t, err)
	assert.Empty(t, groups.Groups())
}

func TestAForeignDirectoryIsRefusedBeforeAnythingStarts(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.txt")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	out, err := exec.Command(os.Args[0], "demo", "--dir", dir).CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "mine.txt")
	assert.Contains(t, string(out), "--dir")
	assert.FileExists(t, file)
}

func TestAWorkerEndsWithItsDemo(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders", "payments"))
	require.NoError(t, err)
	defer cluster.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, pipelineFile)
	require.NoError(t, os.WriteFile(path, pipelineYAML, 0o600))
	cmd := exec.Command(os.Args[0], "demo", "worker", path, "-X", "state.dir="+filepath.Join(dir, "state"))
	cmd.Env = append(os.Environ(), "KAFKA_BROKERS="+cluster.ListenAddrs()[0])
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	running := false
	buf := make([]byte, 64<<10)
	for !running {
		n, err := stderr.Read(buf)
		require.NoError(t, err)
		running = bytes.Contains(buf[:n], []byte(`"to":"RUNNING"`))
	}
	require.NoError(t, stdin.Close())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	assert.Error(t, <-done, "it was cut short")
}
