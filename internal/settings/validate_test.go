package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCrossChecks holds, for each check, values that it must name and the nearest
// ones that it must let pass.
func TestCrossChecks(t *testing.T) {
	for _, c := range []struct {
		name       string
		bad, good  []string
		key        string
		severity   Severity
		message    []string
		suggestion string
	}{
		{name: "commit below transaction",
			bad:  []string{"commit.interval.ms", "10000"},
			good: []string{"commit.interval.ms", "5000"},
			key:  "commit.interval.ms", message: []string{"10000 ms", "transaction.timeout.ms, 10000 ms", "lower the first or raise the second"}},
		{name: "prefixed key is named as written",
			bad:  []string{"commit.interval.ms", "3000", "producer.transaction.timeout.ms", "2000"},
			good: []string{"commit.interval.ms", "3000", "producer.transaction.timeout.ms", "6000"},
			key:  "commit.interval.ms", message: []string{"3000 ms", "producer.transaction.timeout.ms, 2000 ms"}},
		{name: "no transaction, no check",
			bad:  []string{"commit.interval.ms", "60000"},
			good: []string{"commit.interval.ms", "60000", "processing.guarantee", "at_least_once"},
			key:  "commit.interval.ms", message: []string{"60000 ms"}},
		{name: "commit near transaction",
			bad:  []string{"commit.interval.ms", "5001"},
			good: []string{"commit.interval.ms", "5000"},
			key:  "commit.interval.ms", severity: Warning, message: []string{"5001 ms", "10000 ms", "more than half"}},
		{name: "transaction above session",
			bad:  []string{"transaction.timeout.ms", "45001"},
			good: []string{"transaction.timeout.ms", "45000"},
			key:  "transaction.timeout.ms", severity: Warning, message: []string{"45001 ms", "session.timeout.ms, 45000 ms"}},
		{name: "the broker knows the session under consumer",
			bad:  []string{"transaction.timeout.ms", "60000"},
			good: []string{"transaction.timeout.ms", "60000", "group.protocol", "consumer"},
			key:  "transaction.timeout.ms", severity: Warning, message: []string{"60000 ms"}},
		{name: "transaction above rebalance",
			bad:  []string{"transaction.timeout.ms", "20000", "max.poll.interval.ms", "19999", "group.protocol", "consumer"},
			good: []string{"transaction.timeout.ms", "20000", "max.poll.interval.ms", "20000", "group.protocol", "consumer"},
			key:  "transaction.timeout.ms", severity: Warning, message: []string{"20000 ms", "max.poll.interval.ms, 19999 ms"}},
		{name: "linger",
			bad:  []string{"linger.ms", "100"},
			good: []string{"linger.ms", "99"},
			key:  "linger.ms", severity: Warning, message: []string{"100 ms", "commit.interval.ms, 100 ms"}},
		{name: "heartbeat not below session",
			bad:  []string{"heartbeat.interval.ms", "10000", "session.timeout.ms", "10000"},
			good: []string{"heartbeat.interval.ms", "3333", "session.timeout.ms", "10000"},
			key:  "heartbeat.interval.ms", message: []string{"10000 ms", "session.timeout.ms, 10000 ms", "3333"}},
		{name: "heartbeat above a third",
			bad:  []string{"heartbeat.interval.ms", "15001"},
			good: []string{"heartbeat.interval.ms", "15000"},
			key:  "heartbeat.interval.ms", severity: Warning, message: []string{"15001 ms", "45000 ms", "third"}},
		{name: "rebalance below session",
			bad:  []string{"max.poll.interval.ms", "44999"},
			good: []string{"max.poll.interval.ms", "45000"},
			key:  "max.poll.interval.ms", severity: Warning, message: []string{"44999 ms", "45000 ms"}},
		{name: "consumer groups ignore the session",
			bad:  []string{"group.protocol", "consumer", "consumer.session.timeout.ms", "30000"},
			good: []string{"group.protocol", "classic", "consumer.session.timeout.ms", "30000"},
			key:  "consumer.session.timeout.ms", severity: Warning, message: []string{"no effect", "group.consumer.session.timeout.ms"}},
		{name: "consumer groups ignore the heartbeat",
			bad:  []string{"group.protocol", "consumer", "heartbeat.interval.ms", "1000"},
			good: []string{"heartbeat.interval.ms", "1000"},
			key:  "heartbeat.interval.ms", severity: Warning, message: []string{"group.consumer.heartbeat.interval.ms"}},
		{name: "static member",
			bad:  []string{"group.instance.id", strings.Repeat("a", 247), "num.stream.threads", "10"},
			good: []string{"group.instance.id", strings.Repeat("a", 247), "num.stream.threads", "9"},
			key:  "group.instance.id", message: []string{"249"}},
		{name: "static member's letters",
			bad:  []string{"group.instance.id", "pod/1"},
			good: []string{"group.instance.id", "pod-1"},
			key:  "group.instance.id", message: []string{"pod/1-1"}},
		{name: "retries and transaction",
			bad:  []string{"eosproc.retries.attempts", "4", "eosproc.retries.backoff.ms", "1000", "eosproc.retries.backoff.max.ms", "4000", "transaction.timeout.ms", "11000"},
			good: []string{"eosproc.retries.attempts", "4", "eosproc.retries.backoff.ms", "1000", "eosproc.retries.backoff.max.ms", "4000", "transaction.timeout.ms", "11001"},
			key:  "eosproc.retries.attempts", severity: Warning, message: []string{"4 attempts", "11000 ms", "transaction.timeout.ms, 11000 ms"}},
		{name: "retries and rebalance",
			bad:  []string{"eosproc.retries.attempts", "303", "processing.guarantee", "at_least_once"},
			good: []string{"eosproc.retries.attempts", "303", "processing.guarantee", "at_least_once", "max.poll.interval.ms", "400000"},
			key:  "eosproc.retries.attempts", severity: Warning, message: []string{"max.poll.interval.ms, 300000 ms"}},
		{name: "retry pauses",
			bad:  []string{"eosproc.retries.attempts", "1", "eosproc.retries.backoff.ms", "2000"},
			good: []string{"eosproc.retries.attempts", "1", "eosproc.retries.backoff.ms", "2000", "eosproc.retries.backoff.max.ms", "2000"},
			key:  "eosproc.retries.backoff.ms", message: []string{"2000 ms", "1000 ms"}},
		{name: "isolation",
			bad:  []string{"isolation.level", "read_uncommitted"},
			good: []string{"isolation.level", "read_uncommitted", "processing.guarantee", "at_least_once"},
			key:  "isolation.level", message: []string{"aborted"}, suggestion: "read_committed"},
		{name: "transactions under at_most_once",
			bad:  []string{"processing.guarantee", "at_most_once", "transaction.timeout.ms", "5000"},
			good: []string{"transaction.timeout.ms", "5000"},
			key:  "transaction.timeout.ms", severity: Warning, message: []string{"processing.guarantee=at_most_once"}},
		{name: "producers under at_least_once",
			bad:  []string{"processing.guarantee", "at_least_once", "eosproc.producers.per.thread", "3"},
			good: []string{"eosproc.producers.per.thread", "3"},
			key:  "eosproc.producers.per.thread", severity: Warning, message: []string{"at_least_once"}},
		{name: "adaptive without transactions",
			bad:  []string{"processing.guarantee", "at_least_once", "eosproc.commit.interval.mode", "adaptive"},
			good: []string{"processing.guarantee", "at_least_once", "eosproc.commit.interval.mode", "fixed"},
			key:  "eosproc.commit.interval.mode", severity: Warning, message: []string{"at_least_once"}, suggestion: "fixed"},
		{name: "record above transaction",
			bad:  []string{"eosproc.transaction.max.bytes", "1048575"},
			good: []string{"eosproc.transaction.max.bytes", "1048576"},
			key:  "eosproc.transaction.max.bytes", message: []string{"1048575", "1048576"}, suggestion: "1048576"},
		{name: "partition above fetch",
			bad:  []string{"fetch.max.bytes", "524287"},
			good: []string{"fetch.max.bytes", "524288"},
			key:  "max.partition.fetch.bytes", severity: Warning, message: []string{"524288", "524287"}},
		{name: "fetch in vain",
			bad:  []string{"fetch.min.bytes", "52428801"},
			good: []string{"fetch.min.bytes", "52428800"},
			key:  "fetch.min.bytes", message: []string{"52428801", "52428800"}},
		{name: "delivery below request",
			bad:  []string{"delivery.timeout.ms", "30004", "request.timeout.ms", "30000", "linger.ms", "5"},
			good: []string{"delivery.timeout.ms", "30005", "request.timeout.ms", "30000", "linger.ms", "5"},
			key:  "delivery.timeout.ms", message: []string{"30004 ms", "5 ms + 30000 ms"}},
		{name: "dead letters without a topic",
			bad:  []string{"production.exception.handler", "dlq"},
			good: []string{"production.exception.handler", "dlq", "errors.dead.letter.queue.topic.name", "dlq"},
			key:  "production.exception.handler", message: []string{"errors.dead.letter.queue.topic.name"}},
		{name: "topic without dead letters",
			bad:  []string{"errors.dead.letter.queue.topic.name", "dlq"},
			good: []string{"errors.dead.letter.queue.topic.name", "dlq", "deserialization.exception.handler", "dlq"},
			key:  "errors.dead.letter.queue.topic.name", severity: Warning, message: []string{"no handler is dlq"}},
		{name: "rate without dead letters",
			bad:  []string{"eosproc.dlq.max.error.rate", "0.1"},
			good: []string{"eosproc.dlq.max.error.rate", "0.1", "errors.dead.letter.queue.topic.name", "dlq", "processing.exception.handler", "dlq"},
			key:  "eosproc.dlq.max.error.rate", severity: Warning, message: []string{"no effect"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := Parse(minimal(c.bad...))
			require.Len(t, problems, 1)
			require.Equal(t, c.key, problems[0].Key)
			require.Equal(t, c.severity, problems[0].Severity)
			for _, part := range c.message {
				require.Contains(t, problems[0].Message, part)
			}
			if c.suggestion != "" {
				require.Equal(t, c.suggestion, problems[0].Suggestion)
			}
			_, problems = Parse(minimal(c.good...))
			require.Empty(t, problems)
		})
	}
}

func TestRequiredKeys(t *testing.T) {
	_, problems := Parse(nil)
	require.Len(t, problems, 2)
	require.Equal(t, "application.id", problems[0].Key)
	require.Equal(t, "bootstrap.servers", problems[1].Key)
	require.Len(t, Default().Validate(), 2)
}

// TestFaultyValuesAreNotCompared proves that a value that could not be read does
// not cause a second problem through its default.
func TestFaultyValuesAreNotCompared(t *testing.T) {
	_, problems := Parse(minimal("commit.interval.ms", "20000", "transaction.timeout.ms", "a lot"))
	require.Len(t, problems, 1)
	require.Equal(t, "transaction.timeout.ms", problems[0].Key)
}

func TestStateDirUnderTemp(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/srv/state")
	for _, dir := range []string{"/tmp/kafka-streams", "/tmp", "/var/../tmp/x", "/dev/shm/x", filepath.Join(os.TempDir(), "x")} {
		_, problems := Parse(minimal("state.dir", dir))
		require.Len(t, problems, 1, dir)
		require.Equal(t, Warning, problems[0].Severity)
		require.Equal(t, "/srv/state/eosproc", problems[0].Suggestion)
	}
	_, problems := Parse(minimal("state.dir", "/tmpfiles/x"))
	require.Empty(t, problems)
}

func TestMemberID(t *testing.T) {
	g := Group{InstanceID: "my-app"}
	require.Equal(t, "my-app-1", g.MemberID(1))
	require.Empty(t, Group{}.MemberID(1))
}

func TestRetryTime(t *testing.T) {
	e := Errors{RetryAttempts: 6, RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second}
	// 100 + 200 + 400 + 800 + 1000 + 1000
	require.Equal(t, 3500*time.Millisecond, e.RetryTime())
	require.Zero(t, Errors{}.RetryTime())
}
