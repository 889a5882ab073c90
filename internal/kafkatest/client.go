package kafkatest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// opLimit bounds one helper call, so that a broker that does not answer fails
// the test at the call instead of at the test binary's timeout.
const opLimit = time.Minute

func limit(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), opLimit)
	t.Cleanup(cancel)
	return ctx
}

var names atomic.Int64

// Name returns a name for a topic, group or transactional id that no other test
// on the same cluster has: prefix, process start and a number.
func Name(prefix string) string {
	return fmt.Sprintf("%s-%x-%d", prefix, processStart, names.Add(1))
}

var processStart = time.Now().UnixMilli()

// Client returns a client that is closed when the test ends.
func Client(t testing.TB, bootstrap string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	all := append([]kgo.Opt{
		kgo.SeedBrokers(strings.Split(bootstrap, ",")...),
		// Topics and brokers come and go within a second in tests.
		kgo.MetadataMinAge(50 * time.Millisecond),
	}, opts...)
	cl, err := kgo.NewClient(all...)
	if err != nil {
		t.Fatalf("create client: %v", err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// withAdmin runs fn with a client that lives as long as the call, so that a
// helper that is polled does not pile up connections.
func withAdmin(t testing.TB, bootstrap string, fn func(context.Context, *kadm.Client)) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(bootstrap, ",")...), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		t.Fatalf("create client: %v", err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), opLimit)
	defer cancel()
	fn(ctx, kadm.NewClient(cl))
}
