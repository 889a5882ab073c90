package preflight

import (
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// hints warns of what works and is unwise: settings under which committed records can be lost.
func (c *check) hints(m *kmsg.MetadataResponse) {
	hintTransactionVersion(c.found.TransactionVersion, c.settings, c.log)
	if len(m.Brokers) == 1 {
		c.log.Warn("the cluster has one broker: what is committed is lost with its disk")
	}
	for _, name := range c.plan.names() {
		t := c.exist[name]
		if t == nil {
			continue
		}
		c.hintReplicas(name, t, len(m.Brokers))
		if c.config[name][uncleanElection] == "true" {
			c.log.Warn("the topic may elect a leader that lacks committed records; set unclean.leader.election.enable to false", "topic", name)
		}
	}
}

func (c *check) hintReplicas(name string, t *kmsg.MetadataResponseTopic, brokers int) {
	replicas, leaderless := 0, 0
	for _, p := range t.Partitions {
		replicas = max(replicas, len(p.Replicas))
		if p.Leader < 0 {
			leaderless++
		}
	}
	if leaderless > 0 {
		c.log.Warn("partitions have no leader; processing waits for them", "topic", name, "partitions", leaderless)
	}
	if brokers == 1 {
		return
	}
	inSync, err := strconv.Atoi(c.config[name][minInSync])
	switch {
	case replicas == 1:
		c.log.Warn("the topic has one replica: what is committed is lost with its broker", "topic", name)
	case err == nil && inSync == 1:
		c.log.Warn("min.insync.replicas is 1: a record counts as committed while one broker has it", "topic", name, "replicas", replicas)
	case err == nil && inSync >= replicas:
		c.log.Warn("min.insync.replicas leaves no replica to spare: writing stops with the first broker that is down", "topic", name, "replicas", replicas, "min_insync_replicas", inSync)
	}
}
