package settings

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/eosproc/eosproc/fencing"
)

// DefaultStateDir is where state is kept without state.dir: $XDG_STATE_HOME/eosproc,
// ~/.local/state/eosproc (%LOCALAPPDATA%\eosproc on Windows), or /var/lib/eosproc for
// a user without a home. It isn't Kafka Streams' /tmp/kafka-streams, because systems
// clean /tmp and the directory also holds the instance's identity.
func DefaultStateDir() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "eosproc")
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("LOCALAPPDATA"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "eosproc")
		}
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) && home != string(filepath.Separator) {
		return filepath.Join(home, ".local", "state", "eosproc")
	}
	return "/var/lib/eosproc"
}

func applicationKeys() []key {
	return []key{
		{name: "application.id", required: true,
			doc:   "Name of the application: its consumer group, and the prefix of its transactional ids and internal topics.",
			value: text(func(s *Settings) *string { return &s.ApplicationID }, fencing.ValidateApplicationID)},
		{name: "processing.guarantee", byDefault: string(ExactlyOnceV2),
			doc: "What holds when something fails: exactly_once_v2, at_least_once, or at_most_once.",
			value: enum[Guarantee]{
				values: []Guarantee{ExactlyOnceV2, AtLeastOnce, AtMostOnce},
				refused: map[string]fault{
					"exactly_once":      {message: "exactly_once was removed in Kafka Streams 4.0, and its successor needs no more than brokers from 2.5 on", suggestion: string(ExactlyOnceV2)},
					"exactly_once_beta": {message: "exactly_once_beta was removed in Kafka Streams 4.0 and is today's exactly_once_v2", suggestion: string(ExactlyOnceV2)},
				},
				field: func(s *Settings) *Guarantee { return &s.Guarantee },
			}.value()},
		{name: "commit.interval.ms", note: "100 under exactly_once_v2, else 30000",
			doc:   "Longest time between commits, and so the longest wait until results are visible.",
			value: millis(0, maxInt32, func(s *Settings) *time.Duration { return &s.Commit.Interval })},
		{name: "eosproc.commit.interval.mode", note: "adaptive under exactly_once_v2 unless commit.interval.ms is given, else fixed",
			doc: "adaptive commits as soon as the transaction before is settled while the input is caught up, and every commit.interval.ms under a backlog; fixed always waits for the interval.",
			value: enum[CommitMode]{
				values: []CommitMode{CommitAdaptive, CommitFixed},
				field:  func(s *Settings) *CommitMode { return &s.Commit.Mode },
			}.value()},
		{name: "num.stream.threads", byDefault: "1",
			doc:   "Number of workers in this process, each with its own group member and transactions.",
			value: integer(1, 1024, func(s *Settings) *int { return &s.Threads })},
		{name: "max.task.idle.ms", byDefault: "0",
			doc:   "How long a task with several inputs waits for an empty one to keep timestamp order; 0 waits only for records that the broker already has, -1 never waits.",
			value: millis(-1, maxMillis, func(s *Settings) *time.Duration { return &s.Tasks.MaxIdle })},
		{name: "buffered.records.per.partition", byDefault: "1000",
			doc:   "Records of one partition waiting in memory above which fetching it pauses.",
			value: integer(1, maxInt32, func(s *Settings) *int { return &s.Tasks.BufferedRecords })},
		{name: "task.timeout.ms", byDefault: "300000",
			doc:   "How long a task may fail to make progress before the application stops; 0 stops at the first failure.",
			value: millis(0, maxMillis, func(s *Settings) *time.Duration { return &s.Tasks.Timeout })},
		{name: "replication.factor", byDefault: "-1",
			doc:   "Replicas of internal topics; -1 is the broker's default.",
			value: value{kind: TypeInteger, low: -1, high: 32767, set: replicationFactor}},
		{name: "repartition.purge.interval.ms", byDefault: "30000",
			doc:   "Time between deletions of repartition records that are processed and committed.",
			value: millis(0, maxMillis, func(s *Settings) *time.Duration { return &s.Topics.PurgeInterval })},
		{name: "ensure.explicit.internal.resource.naming", byDefault: "true",
			doc: "Every internal topic and store carries a name given by the user.",
			value: only(TypeBoolean, []string{"true"}, Error,
				"generated names would let an edit of the topology orphan its state, so names are always given by the user")},
		{name: "topology.optimization", byDefault: "none",
			doc: "Rewriting of the topology.",
			value: only(TypeString, []string{"none", "NO_OPTIMIZATION"}, Error,
				"the topology runs as it is written; write the merged form yourself where it is wanted")},
	}
}

func replicationFactor(s *Settings, text string) *fault {
	var n int
	if f := integer(-1, 32767, func(*Settings) *int { return &n }).set(s, text); f != nil {
		return f
	}
	if n == 0 {
		return &fault{message: "a topic needs at least one replica; -1 is the broker's default"}
	}
	s.Topics.ReplicationFactor = n
	return nil
}

var errTopicName = errors.New("a topic name has 1 to 249 letters, digits, dots, underscores and hyphens, and is neither \".\" nor \"..\"")

// topicName applies Kafka's rule.
func topicName(name string) error {
	if name == "" || len(name) > 249 || name == "." || name == ".." {
		return errTopicName
	}
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return errTopicName
		}
	}
	return nil
}
