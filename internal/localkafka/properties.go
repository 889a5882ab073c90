package localkafka

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// node is one broker's place in the cluster.
type node struct {
	id                           int
	client, internal, controller int // ports
	advertised                   string
}

// properties renders server.properties of one node. Clients, brokers and
// controllers have a listener each: a proxy that is advertised to clients must
// not sit between brokers, where it would act on replication and on the
// transaction coordinator's own requests.
func properties(cfg Config, nodes []node, n node, dataDir string) string {
	voters := make([]string, len(nodes))
	for i, v := range nodes {
		voters[i] = fmt.Sprintf("%d@%s", v.id, hostPort(v.controller))
	}
	replicas := strconv.Itoa(len(nodes))
	minISR := "1"
	if len(nodes) > 1 {
		minISR = "2"
	}
	p := map[string]string{
		"process.roles":                  "broker,controller",
		"node.id":                        strconv.Itoa(n.id),
		"controller.quorum.voters":       strings.Join(voters, ","),
		"listeners":                      fmt.Sprintf("CLIENT://%s,INTERNAL://%s,CONTROLLER://%s", hostPort(n.client), hostPort(n.internal), hostPort(n.controller)),
		"advertised.listeners":           fmt.Sprintf("CLIENT://%s,INTERNAL://%s", n.advertised, hostPort(n.internal)),
		"listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"inter.broker.listener.name":     "INTERNAL",
		"controller.listener.names":      "CONTROLLER",
		// Java's properties format eats single backslashes.
		"log.dirs": strings.ReplaceAll(dataDir, `\`, `\\`),

		"auto.create.topics.enable":                                   "false",
		"default.replication.factor":                                  replicas,
		"min.insync.replicas":                                         minISR,
		"offsets.topic.replication.factor":                            replicas,
		"offsets.topic.num.partitions":                                "3",
		"transaction.state.log.replication.factor":                    replicas,
		"transaction.state.log.min.isr":                               minISR,
		"transaction.state.log.num.partitions":                        "3",
		"share.coordinator.state.topic.replication.factor":            replicas,
		"share.coordinator.state.topic.min.isr":                       minISR,
		"share.coordinator.state.topic.num.partitions":                "3",
		"transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
		"transaction.remove.expired.transaction.cleanup.interval.ms":  "1000",

		"group.initial.rebalance.delay.ms": "0",
		"group.min.session.timeout.ms":     "1000",
		// KIP-848 sessions are the broker's setting, not the client's.
		"group.consumer.min.session.timeout.ms":    "1000",
		"group.consumer.session.timeout.ms":        "6000",
		"group.consumer.min.heartbeat.interval.ms": "100",
		"group.consumer.heartbeat.interval.ms":     "500",

		// A dead or frozen broker is fenced after 3 s instead of 9 s. A broker
		// that was killed may also register again only then.
		"broker.session.timeout.ms":    "3000",
		"broker.heartbeat.interval.ms": "500",

		"log.cleaner.backoff.ms":          "200",
		"log.cleaner.dedupe.buffer.size":  "16777216",
		"log.retention.check.interval.ms": "1000",
	}
	maps.Copy(p, cfg.Properties)
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "%s=%s\n", k, p[k])
	}
	return b.String()
}
