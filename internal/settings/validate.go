package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// finding is a problem between keys, with all keys that take part in it.
type finding struct {
	problem Problem
	keys    []string
}

// Validate checks the values against each other; each on its own is checked by
// [Parse], which also calls this. Use it after changing fields of parsed settings.
func (s Settings) Validate() Problems {
	var problems Problems
	for _, f := range s.check() {
		problems = append(problems, f.problem)
	}
	problems.sort()
	return problems
}

func (s Settings) check() []finding {
	var c checks
	c.settings = s
	c.required()
	c.times()
	c.group()
	c.guarantee()
	c.sizes()
	c.errors()
	c.state()
	return c.found
}

type checks struct {
	settings Settings
	found    []finding
}

// add records a finding; the first key is the one to change.
func (c *checks) add(severity Severity, keys []string, suggestion, format string, args ...any) {
	c.found = append(c.found, finding{keys: keys, problem: Problem{
		Key: c.settings.name(keys[0]), Message: fmt.Sprintf(format, args...), Suggestion: suggestion, Severity: severity,
	}})
}

func (c *checks) given(key string) bool {
	_, given := c.settings.given[key]
	return given
}

func (c *checks) required() {
	if c.settings.ApplicationID == "" {
		c.add(Error, []string{"application.id"}, "", "must be set: it names the consumer group, the transactions and the internal topics")
	}
	if len(c.settings.Client.BootstrapServers) == 0 {
		c.add(Error, []string{"bootstrap.servers"}, "", "must be set: at least one broker, as host:port")
	}
}

// times checks commit < transaction, and what a transaction longer than the
// membership means.
//
// Only the first is needed for exactly once. A transaction that outlives the
// session is still fenced by the generation in its offsets, and since KIP-447 a
// successor waits for its end instead of reading around it; what it costs is that
// wait, which is why the other two are advice.
func (c *checks) times() {
	s := c.settings
	if s.Guarantee != ExactlyOnceV2 {
		return
	}
	commit, transaction := s.Commit.Interval, s.Transaction.Timeout
	keys := []string{"commit.interval.ms", "transaction.timeout.ms"}
	switch {
	case commit >= transaction:
		c.add(Error, keys, "", "%d ms is not below %s, %d ms: the broker would abort every transaction before it commits; lower the first or raise the second",
			ms(commit), s.name("transaction.timeout.ms"), ms(transaction))
	case commit > transaction/2:
		c.add(Warning, keys, "", "%d ms is more than half of %s, %d ms: a slow flush or a slow broker would let transactions time out; lower the first or raise the second",
			ms(commit), s.name("transaction.timeout.ms"), ms(transaction))
	}
	if s.Group.Protocol == GroupClassic && transaction > s.Group.SessionTimeout {
		c.add(Warning, []string{"transaction.timeout.ms", "session.timeout.ms"}, "", "%d ms is above %s, %d ms: when an instance is gone for good, its partitions move after the session but wait for its transaction; lower the first",
			ms(transaction), s.name("session.timeout.ms"), ms(s.Group.SessionTimeout))
	}
	if transaction > s.Group.RebalanceTimeout {
		c.add(Warning, []string{"transaction.timeout.ms", "max.poll.interval.ms"}, "", "%d ms is above %s, %d ms: a member may be put out of the group while its transaction can still commit, and the work is done again; lower the first or raise the second",
			ms(transaction), s.name("max.poll.interval.ms"), ms(s.Group.RebalanceTimeout))
	}
	if c.given("linger.ms") && s.Producer.Linger > 0 && s.Producer.Linger >= commit {
		c.add(Warning, []string{"linger.ms", "commit.interval.ms"}, "", "%d ms is not below %s, %d ms: every batch would wait for the commit, which then has all of them to send",
			ms(s.Producer.Linger), s.name("commit.interval.ms"), ms(commit))
	}
}

func (c *checks) group() {
	s := c.settings
	session, heartbeat := s.Group.SessionTimeout, s.Group.HeartbeatInterval
	if s.Group.Protocol == GroupConsumer {
		for key, broker := range map[string]string{
			"session.timeout.ms":    "group.consumer.session.timeout.ms",
			"heartbeat.interval.ms": "group.consumer.heartbeat.interval.ms",
		} {
			if c.given(key) {
				c.add(Warning, []string{key, "group.protocol"}, "", "has no effect under %s=consumer, where the broker decides (%s)", s.name("group.protocol"), broker)
			}
		}
	} else {
		keys := []string{"heartbeat.interval.ms", "session.timeout.ms"}
		switch {
		case heartbeat >= session:
			c.add(Error, keys, "", "%d ms is not below %s, %d ms: the member would be put out of the group between two heartbeats; set it to a third of the session, %d",
				ms(heartbeat), s.name("session.timeout.ms"), ms(session), ms(session)/3)
		case heartbeat > session/3:
			c.add(Warning, keys, "", "%d ms is more than a third of %s, %d ms: one or two lost heartbeats end the session; %d or less is safe",
				ms(heartbeat), s.name("session.timeout.ms"), ms(session), ms(session)/3)
		}
		if s.Group.RebalanceTimeout < session {
			c.add(Warning, []string{"max.poll.interval.ms", "session.timeout.ms"}, "", "%d ms is below %s, %d ms: a rebalance would give up a member whose session still stands; raise the first or lower the second",
				ms(s.Group.RebalanceTimeout), s.name("session.timeout.ms"), ms(session))
		}
	}
	if s.Group.InstanceID != "" {
		// Kafka applies its rule for topic names to the id, with our suffix.
		if longest := s.Group.MemberID(s.Threads); topicName(longest) != nil {
			c.add(Error, []string{"group.instance.id", "num.stream.threads"}, "", "with the worker's number it becomes %s, which Kafka refuses: it needs 1 to 249 letters, digits, dots, underscores and hyphens", quote(longest))
		}
	}
	if m := s.Group.RebalanceTimeout; s.Errors.RetryTime() >= m && s.Errors.RetryAttempts > 0 {
		c.add(Warning, []string{"eosproc.retries.attempts", "eosproc.retries.backoff.ms", "eosproc.retries.backoff.max.ms", "max.poll.interval.ms"}, "",
			"%d attempts pause for up to %d ms, which is not below %s, %d ms: a rebalance would not wait for them; allow fewer attempts or shorter pauses",
			s.Errors.RetryAttempts, ms(s.Errors.RetryTime()), s.name("max.poll.interval.ms"), ms(m))
	}
}

func (c *checks) guarantee() {
	s := c.settings
	if s.Guarantee == ExactlyOnceV2 {
		if s.Consumer.Isolation != ReadCommitted {
			c.add(Error, []string{"isolation.level", "processing.guarantee"}, string(ReadCommitted),
				"%s under %s=exactly_once_v2 would process records of aborted transactions", s.Consumer.Isolation, s.name("processing.guarantee"))
		}
		if t := s.Transaction.Timeout; s.Errors.RetryAttempts > 0 && s.Errors.RetryTime() >= t {
			c.add(Warning, []string{"eosproc.retries.attempts", "eosproc.retries.backoff.ms", "eosproc.retries.backoff.max.ms", "transaction.timeout.ms"}, "",
				"%d attempts pause for up to %d ms, which is not below %s, %d ms: the open transaction would time out and its records be processed again; allow fewer attempts, shorter pauses, or a longer transaction",
				s.Errors.RetryAttempts, ms(s.Errors.RetryTime()), s.name("transaction.timeout.ms"), ms(t))
		}
		return
	}
	for _, key := range []string{"transaction.timeout.ms", "eosproc.producers.per.thread"} {
		if c.given(key) {
			c.add(Warning, []string{key, "processing.guarantee"}, "", "has no effect under %s=%s, which uses no transactions", s.name("processing.guarantee"), s.Guarantee)
		}
	}
	if s.Commit.Mode == CommitAdaptive {
		c.add(Warning, []string{"eosproc.commit.interval.mode", "processing.guarantee"}, string(CommitFixed),
			"adaptive has no effect under %s=%s: there is no transaction whose end could be awaited", s.name("processing.guarantee"), s.Guarantee)
	}
}

func (c *checks) sizes() {
	s := c.settings
	if int64(s.Producer.MaxBatchBytes) > s.Transaction.MaxBytes && s.Guarantee == ExactlyOnceV2 {
		c.add(Error, []string{"eosproc.transaction.max.bytes", "max.request.size"}, strconv.Itoa(s.Producer.MaxBatchBytes),
			"%d bytes is below %s, %d bytes: the largest allowed record would not fit into a transaction", s.Transaction.MaxBytes, s.name("max.request.size"), s.Producer.MaxBatchBytes)
	}
	if f := s.Consumer.Fetch; f.MaxPartitionBytes > f.MaxBytes {
		c.add(Warning, []string{"max.partition.fetch.bytes", "fetch.max.bytes"}, strconv.Itoa(f.MaxBytes),
			"%d bytes is above %s, %d bytes, and so lowered to it", f.MaxPartitionBytes, s.name("fetch.max.bytes"), f.MaxBytes)
	}
	if f := s.Consumer.Fetch; f.MinBytes > f.MaxBytes {
		c.add(Error, []string{"fetch.min.bytes", "fetch.max.bytes"}, "1",
			"%d bytes is above %s, %d bytes: every fetch would wait for %s in vain", f.MinBytes, s.name("fetch.max.bytes"), f.MaxBytes, s.name("fetch.max.wait.ms"))
	}
	// Kafka's own producer refuses this too: one request could use up the time of all.
	if d, r := s.Producer.DeliveryTimeout, s.Client.RequestTimeout+s.Producer.Linger; s.Client.RequestTimeout > 0 && d < r {
		c.add(Error, []string{"delivery.timeout.ms", "request.timeout.ms", "linger.ms"}, "",
			"%d ms is below linger.ms + request.timeout.ms, %d ms + %d ms: a record would fail while its first request is under way; raise the first or lower %s",
			ms(d), ms(s.Producer.Linger), ms(s.Client.RequestTimeout), s.name("request.timeout.ms"))
	}
}

func (c *checks) errors() {
	e := c.settings.Errors
	var deadLetters bool
	for key, handler := range map[string]Handler{
		"deserialization.exception.handler": e.Deserialization,
		"processing.exception.handler":      e.Processing,
		"production.exception.handler":      e.Production,
	} {
		if handler != HandlerDeadLetter {
			continue
		}
		deadLetters = true
		if e.DeadLetterTopic == "" {
			c.add(Error, []string{key, "errors.dead.letter.queue.topic.name"}, "", "dlq needs a topic to write to; set errors.dead.letter.queue.topic.name")
		}
	}
	handlers := []string{"deserialization.exception.handler", "processing.exception.handler", "production.exception.handler"}
	if !deadLetters && e.DeadLetterTopic != "" {
		c.add(Warning, append([]string{"errors.dead.letter.queue.topic.name"}, handlers...), "", "nothing is written to it while no handler is dlq; set processing.exception.handler=dlq, for instance")
	}
	if !deadLetters && e.DeadLetterMaxRate > 0 {
		c.add(Warning, append([]string{"eosproc.dlq.max.error.rate"}, handlers...), "", "has no effect while no handler is dlq")
	}
	if e.RetryAttempts > 0 && e.RetryBackoff > e.RetryBackoffMax {
		c.add(Error, []string{"eosproc.retries.backoff.ms", "eosproc.retries.backoff.max.ms"}, "",
			"%d ms is above %s, %d ms; lower the first or raise the second", ms(e.RetryBackoff), c.settings.name("eosproc.retries.backoff.max.ms"), ms(e.RetryBackoffMax))
	}
}

func (c *checks) state() {
	dir := c.settings.State.Dir
	_, given := c.settings.Given("state.dir")
	if temp := tempDirOf(dir); temp != "" && given {
		suggestion := DefaultStateDir()
		if tempDirOf(suggestion) != "" {
			suggestion = ""
		}
		c.add(Warning, []string{"state.dir"}, suggestion,
			"%s is under %s, which the system clears: the instance would lose its identity, and the transactions of its last run would have to time out", quote(dir), temp)
	}
}

// tempDirOf returns the directory for temporary files that dir is in, "" if none.
func tempDirOf(dir string) string {
	absolute, err := filepath.Abs(dir)
	if err != nil || dir == "" {
		return ""
	}
	for _, temp := range []string{filepath.Clean(os.TempDir()), "/tmp", "/var/tmp", "/dev/shm", "/run"} {
		if absolute == temp || strings.HasPrefix(absolute, temp+string(filepath.Separator)) {
			return temp
		}
	}
	return ""
}

func ms(d time.Duration) int64 { return d.Milliseconds() }
