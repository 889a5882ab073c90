package preflight

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// internalConfigs are the settings of a repartition topic, as Kafka Streams has
// them (RepartitionTopicConfig) with what the user adds. Records must not expire:
// they are deleted when they are processed.
func (c *check) internalConfigs() map[string]string {
	configs := map[string]string{
		cleanupPolicy: "delete",
		retentionTime: "-1",
		timestampType: "CreateTime",
		segmentBytes:  "52428800",
	}
	maps.Copy(configs, c.settings.Topics.Configs)
	return configs
}

// checkInternal compares the internal topics that exist with what they must be,
// and finds out how those that do not exist are to be made.
func (c *check) checkInternal() {
	for _, name := range c.plan.names() {
		u := c.plan.topics[name]
		if !u.internal || c.denied[name] {
			continue
		}
		want := c.plan.partitions(name, c.found.Partitions)
		t := c.exist[name]
		if t == nil {
			if want == 0 && !c.upstreamAtFault() {
				c.fault("%w %q: nothing tells how many partitions it needs, since no topic that feeds it exists; give topology.Partitions(n), or run: %s",
					ErrInternalTopic, name, c.commands.createTopic(name, 0))
			}
			continue
		}
		if have := len(t.Partitions); want > 0 && have != want {
			c.fault("%w %q: it has %d partitions and needs %d, so keys would meet in other tasks than before; give topology.Partitions(%d), or stop all instances, let nothing be left in it, and run: %s",
				ErrInternalTopic, name, have, want, have, c.commands.deleteTopic(name))
		}
		c.compareConfig(name)
	}
}

// upstreamAtFault avoids a second complaint about one missing topic.
func (c *check) upstreamAtFault() bool {
	return slices.ContainsFunc(c.faults, func(err error) bool { return errors.Is(err, ErrNoTopic) || errors.Is(err, ErrNotAuthorized) })
}

// compareConfig refuses settings under which records would vanish or change. The
// other ones are a matter of taste.
func (c *check) compareConfig(name string) {
	have, known := c.config[name]
	if !known {
		return
	}
	want := c.internalConfigs()
	var differ, remedy []string
	for _, key := range []string{cleanupPolicy, retentionTime, timestampType} {
		if value, ok := have[key]; ok && value != want[key] {
			differ = append(differ, fmt.Sprintf("%s is %s and must be %s", key, value, want[key]))
			remedy = append(remedy, key+"="+want[key])
		}
	}
	if len(differ) > 0 {
		c.fault("%w %q: %s; run: %s", ErrInternalTopic, name, joined(differ), c.commands.alterTopic(name, remedy))
	}
}

// createInternal makes the internal topics that are missing. That another
// instance does the same at the same time is no fault.
func (c *check) createInternal(ctx context.Context) {
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = int32(patience.Milliseconds())
	for _, name := range c.plan.names() {
		if !c.plan.topics[name].internal || c.exist[name] != nil {
			continue
		}
		t := kmsg.NewCreateTopicsRequestTopic()
		t.Topic = name
		t.NumPartitions = int32(c.plan.partitions(name, c.found.Partitions))
		t.ReplicationFactor = int16(c.settings.Topics.ReplicationFactor)
		configs := c.internalConfigs()
		for _, key := range slices.Sorted(maps.Keys(configs)) {
			tc := kmsg.NewCreateTopicsRequestTopicConfig()
			tc.Name, tc.Value = key, kmsg.StringPtr(configs[key])
			t.Configs = append(t.Configs, tc)
		}
		req.Topics = append(req.Topics, t)
	}
	if len(req.Topics) == 0 {
		return
	}
	resp, err := req.RequestWith(ctx, c.client)
	if err != nil {
		c.fault("%w: create them: %s", ErrInternalTopic, explain(err, c.settings))
		return
	}
	for i := range resp.Topics {
		c.created(&resp.Topics[i])
	}
	if len(c.faults) == 0 {
		c.awaitInternal(ctx, req)
	}
}

func (c *check) created(t *kmsg.CreateTopicsResponseTopic) {
	err := kerr.ErrorForCode(t.ErrorCode)
	detail := ""
	if t.ErrorMessage != nil && *t.ErrorMessage != "" {
		detail = ": " + *t.ErrorMessage
	}
	partitions := c.plan.partitions(t.Topic, c.found.Partitions)
	switch {
	case err == nil:
		c.log.Info("made internal topic", "topic", t.Topic, "partitions", partitions)
	case errors.Is(err, kerr.TopicAlreadyExists):
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.ClusterAuthorizationFailed):
		c.fault("%w %q: %w to Create it: %s", ErrInternalTopic, t.Topic, ErrNotAuthorized,
			c.commands.grant(prefixed("topic", c.settings.ApplicationID), "Create", "Read", "Write", "Describe", "Delete"))
	case errors.Is(err, kerr.InvalidReplicationFactor):
		c.fault("%w %q: the cluster cannot give it %d replicas: set replication.factor: %w%s", ErrInternalTopic, t.Topic, c.settings.Topics.ReplicationFactor, err, detail)
	default:
		c.fault("%w %q: create it: %w%s", ErrInternalTopic, t.Topic, err, detail)
	}
}

// awaitInternal waits until the topics can be used, and looks at them: another
// instance, of another version, may have made them.
func (c *check) awaitInternal(ctx context.Context, made *kmsg.CreateTopicsRequest) {
	names := make([]string, len(made.Topics))
	for i, t := range made.Topics {
		names[i] = t.Topic
	}
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		m, err := askFor(names).RequestWith(ctx, c.client)
		if err == nil && c.settled(m) {
			break
		}
		if !rest(ctx, pause) {
			c.fault("%w %v: made, but its partitions have no leaders after %s; check the brokers' logs", ErrInternalTopic, joined(names), patience)
			return
		}
	}
	if fresh := c.topicConfigs(ctx, names); fresh != nil {
		if c.config == nil {
			c.config = map[string]map[string]string{}
		}
		maps.Copy(c.config, fresh)
	}
	c.checkInternal()
}

func (c *check) settled(m *kmsg.MetadataResponse) bool {
	for i := range m.Topics {
		t := &m.Topics[i]
		if t.ErrorCode != 0 || t.Topic == nil || len(t.Partitions) == 0 {
			return false
		}
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 || p.Leader < 0 {
				return false
			}
		}
	}
	for i := range m.Topics {
		name := *m.Topics[i].Topic
		c.exist[name] = &m.Topics[i]
		c.found.Partitions[name] = len(m.Topics[i].Partitions)
	}
	return true
}
