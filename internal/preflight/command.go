package preflight

import (
	"fmt"
	"strings"

	"github.com/eosproc/eosproc/internal/kafkaconf"
	"github.com/eosproc/eosproc/internal/settings"
)

// commands words the remedies: Kafka's own tools, with this cluster's address and
// this application's principal. Names need no quotes: Kafka's and ours hold
// nothing that a shell would take apart.
type commands struct {
	bootstrap, principal string
}

func newCommands(s *settings.Settings) commands {
	c := commands{bootstrap: strings.Join(s.Client.BootstrapServers, ","), principal: "'User:<principal>'"}
	sec := s.Client.Security
	switch {
	case sec.SASL.Username != "" && sec.SASL.Mechanism != kafkaconf.MechanismOAuthBearer:
		c.principal = "'User:" + strings.ReplaceAll(sec.SASL.Username, "'", `'\''`) + "'"
	case sec.TLS.Cert != "" || sec.TLS.CertFile != "":
		c.principal = "'User:<subject of the client certificate>'"
	}
	return c
}

func (c commands) createTopic(name string, partitions int) string {
	count := "<n>"
	if partitions > 0 {
		count = fmt.Sprint(partitions)
	}
	return fmt.Sprintf("kafka-topics.sh --bootstrap-server %s --create --topic %s --partitions %s", c.bootstrap, name, count)
}

func (c commands) deleteTopic(name string) string {
	return fmt.Sprintf("kafka-topics.sh --bootstrap-server %s --delete --topic %s", c.bootstrap, name)
}

func (c commands) alterTopic(name string, configs []string) string {
	return fmt.Sprintf("kafka-configs.sh --bootstrap-server %s --alter --entity-type topics --entity-name %s --add-config %s",
		c.bootstrap, name, strings.Join(configs, ","))
}

// grant adds rights; resource is in kafka-acls.sh's own words.
func (c commands) grant(resource string, operations ...string) string {
	return fmt.Sprintf("kafka-acls.sh --bootstrap-server %s --add --allow-principal %s --operation %s %s",
		c.bootstrap, c.principal, strings.Join(operations, " --operation "), resource)
}

func topicResource(name string) string { return "--topic " + name }

// prefixed grants by prefix. The prefix ends with the delimiter, or the rights
// of "pay" would cover those of "payroll".
func prefixed(kind, applicationID string) string {
	return fmt.Sprintf("--%s %s- --resource-pattern-type prefixed", kind, applicationID)
}
