package preflight

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The topic settings that are looked at.
const (
	cleanupPolicy   = "cleanup.policy"
	retentionTime   = "retention.ms"
	timestampType   = "message.timestamp.type"
	segmentBytes    = "segment.bytes"
	maxMessageBytes = "max.message.bytes"
	minInSync       = "min.insync.replicas"
	uncleanElection = "unclean.leader.election.enable"
)

// aside bounds questions whose answer may be missing.
const aside = 3 * time.Second

// topicConfigs reads the settings of topics; those that may not be read, or do
// not exist, are left out.
func (c *check) topicConfigs(ctx context.Context, topics []string) map[string]map[string]string {
	if len(topics) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, aside)
	defer cancel()
	req := kmsg.NewPtrDescribeConfigsRequest()
	for _, name := range topics {
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeTopic, name
		r.ConfigNames = []string{cleanupPolicy, retentionTime, timestampType, maxMessageBytes, minInSync, uncleanElection}
		req.Resources = append(req.Resources, r)
	}
	resp, err := req.RequestWith(ctx, c.client)
	if err != nil {
		c.log.Debug("topic settings are not known", "error", err)
		return nil
	}
	configs := map[string]map[string]string{}
	for _, r := range resp.Resources {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			c.log.Debug("topic settings are not known", "topic", r.ResourceName, "error", err)
			continue
		}
		configs[r.ResourceName] = values(r.Configs)
	}
	return configs
}

// brokerConfig reads one setting of a broker, empty if that may not be read.
func (c *check) brokerConfig(ctx context.Context, id int32, key string) string {
	ctx, cancel := context.WithTimeout(ctx, aside)
	defer cancel()
	req := kmsg.NewPtrDescribeConfigsRequest()
	r := kmsg.NewDescribeConfigsRequestResource()
	r.ResourceType, r.ResourceName, r.ConfigNames = kmsg.ConfigResourceTypeBroker, strconv.Itoa(int(id)), []string{key}
	req.Resources = append(req.Resources, r)
	resp, err := req.RequestWith(ctx, c.client)
	if err == nil && len(resp.Resources) == 1 {
		if err = kerr.ErrorForCode(resp.Resources[0].ErrorCode); err == nil {
			return values(resp.Resources[0].Configs)[key]
		}
	}
	c.log.Debug("broker setting is not known", "broker", id, "setting", key, "error", err)
	return ""
}

func values(configs []kmsg.DescribeConfigsResponseResourceConfig) map[string]string {
	m := map[string]string{}
	for _, c := range configs {
		if c.Value != nil {
			m[c.Name] = *c.Value
		}
	}
	return m
}

func (c *check) checkTransactionTimeout(limit string) {
	most, err := strconv.ParseInt(limit, 10, 64)
	if err != nil {
		return // not known, which brokerConfig has noted
	}
	if ours := c.settings.Transaction.Timeout.Milliseconds(); ours > most {
		c.fault("%w: it is %d, the brokers' transaction.max.timeout.ms is %d; lower the first or raise the second", ErrTransactionTimeout, ours, most)
	}
}

// limitRecords fixes how large a record each topic takes.
func (c *check) limitRecords() {
	setting := c.settings.Producer.MaxBatchBytes
	limits := map[string]int{}
	for topic, configs := range c.config {
		if n, err := strconv.Atoi(configs[maxMessageBytes]); err == nil && n > 0 && n < setting {
			limits[topic] = n
		}
	}
	c.found.MaxRecordBytes = func(topic string) int {
		if n, ok := limits[topic]; ok {
			return n
		}
		return setting
	}
}

func joined(words []string) string { return strings.Join(words, ", ") }
