package kafkatest

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/eosproc/eosproc/internal/localkafka"
)

// requireEnv lists, separated by commas, the external programs whose absence
// fails tests instead of skipping them; "all" means each of them.
const requireEnv = "EOSPROC_REQUIRE"

// startLimit covers the download of Kafka's jars at the very first use.
const startLimit = 10 * time.Minute

// Option changes the configuration of a cluster.
type Option func(*localkafka.Config)

// WithBrokers sets the number of brokers, 1 or 3.
func WithBrokers(n int) Option { return func(c *localkafka.Config) { c.Brokers = n } }

// WithTransactionVersion sets the feature transaction.version: 0, 1 or 2.
func WithTransactionVersion(level int) Option {
	return func(c *localkafka.Config) { c.TransactionVersion = &level }
}

// WithProperty overrides one key of server.properties.
func WithProperty(key, value string) Option {
	return func(c *localkafka.Config) {
		c.Properties = maps.Clone(c.Properties)
		if c.Properties == nil {
			c.Properties = make(map[string]string)
		}
		c.Properties[key] = value
	}
}

// WithAdvertised advertises other addresses to clients, as
// [localkafka.Config.Advertised].
func WithAdvertised(fn func(broker int, real string) (string, error)) Option {
	return func(c *localkafka.Config) { c.Advertised = fn }
}

// WithJVMArgs replaces the arguments that make a broker cheap to start. Use it
// without arguments in a benchmark, to give the broker its optimising compiler.
func WithJVMArgs(args ...string) Option {
	return func(c *localkafka.Config) { c.JVMArgs = args }
}

func config(opts []Option) localkafka.Config {
	// The optimising compiler competes for the processor with the test, and
	// brokers of a test end before it pays.
	cfg := localkafka.Config{JVMArgs: []string{"-XX:TieredStopAtLevel=1"}}
	for _, o := range opts {
		o(&cfg)
	}
	return cfg
}

// Real starts a Kafka of its own for the test, by default one broker with
// transaction.version 2, and stops it when the test ends. Without a usable Java
// and Kafka the test is skipped, or fails where EOSPROC_REQUIRE asks for it. The
// warnings of the brokers' logs are printed when the test has failed.
func Real(t testing.TB, opts ...Option) *localkafka.Cluster {
	t.Helper()
	Need(t)
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	c, err := localkafka.Start(ctx, config(opts))
	if err != nil {
		t.Fatalf("start Kafka: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			logWarnings(t, c)
		}
		if err := c.Stop(); err != nil {
			t.Errorf("stop Kafka: %v", err)
		}
	})
	return c
}

// shared is the cluster of the test binary.
var shared struct {
	sync.Mutex
	managed bool // Main runs, so that somebody will stop it
	cluster *localkafka.Cluster
	err     error
}

// Shared returns the one-broker cluster (transaction.version 2) of the test
// binary, starting it at the first call. Tests that use it take topics, groups
// and transactional ids with names of their own (see [Name]) and do not stop or
// freeze brokers. The package needs a TestMain that calls [Main].
func Shared(t testing.TB) *localkafka.Cluster {
	t.Helper()
	Need(t)
	shared.Lock()
	defer shared.Unlock()
	if !shared.managed {
		t.Fatal("kafkatest.Shared needs func TestMain(m *testing.M) { os.Exit(kafkatest.Main(m)) }")
	}
	if shared.cluster == nil && shared.err == nil {
		// Not the test's context: the cluster outlives the test.
		ctx, cancel := context.WithTimeout(context.Background(), startLimit)
		defer cancel()
		shared.cluster, shared.err = localkafka.Start(ctx, config(nil))
	}
	if shared.err != nil {
		t.Fatalf("start shared Kafka: %v", shared.err)
	}
	return shared.cluster
}

// Main runs the tests, stops the shared cluster, and returns the exit code.
func Main(m *testing.M) int {
	shared.Lock()
	shared.managed = true
	shared.Unlock()
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster != nil {
		if err := shared.cluster.Stop(); err != nil {
			fmt.Fprintf(os.Stderr, "stop shared Kafka: %v\n", err)
			return max(code, 1)
		}
	}
	return code
}

// Fake starts an in-process kfake cluster for the test and returns it with its
// bootstrap addresses.
func Fake(t testing.TB, opts ...kfake.Opt) (*kfake.Cluster, string) {
	t.Helper()
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatalf("start kfake: %v", err)
	}
	t.Cleanup(c.Close)
	return c, strings.Join(c.ListenAddrs(), ",")
}

// Need skips the test, or fails it where EOSPROC_REQUIRE asks for Kafka, when no
// real Kafka can be started here.
func Need(t testing.TB) {
	t.Helper()
	err := localkafka.Available()
	if err == nil {
		return
	}
	if required(os.Getenv(requireEnv)) {
		t.Fatalf("%s=%s: %v", requireEnv, os.Getenv(requireEnv), err)
	}
	t.Skip(err)
}

func required(list string) bool {
	words := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	return slices.Contains(words, "kafka") || slices.Contains(words, "all")
}

// logWarnings prints the last lines of each broker's log that are not INFO.
func logWarnings(t testing.TB, c *localkafka.Cluster) {
	t.Helper()
	const keep = 20
	for _, b := range c.Brokers() {
		f, err := os.Open(b.Log())
		if err != nil {
			t.Logf("broker %d: %v", b.ID(), err)
			continue
		}
		var lines []string
		s := bufio.NewScanner(f)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			if line := s.Text(); strings.Contains(line, "] WARN ") || strings.Contains(line, "] ERROR ") || strings.Contains(line, "] FATAL ") {
				lines = append(lines, line)
			}
		}
		if err := s.Err(); err != nil {
			lines = append(lines, err.Error())
		}
		f.Close()
		t.Logf("broker %d, last warnings:\n%s", b.ID(), strings.Join(lines[max(0, len(lines)-keep):], "\n"))
	}
}
