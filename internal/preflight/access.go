package preflight

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/fencing"
)

// checkRights reads from the answer about the topics what may be done with them.
func (c *check) checkRights() {
	for _, name := range c.plan.names() {
		u := c.plan.topics[name]
		lacks := u.lacks(c.exist[name])
		if c.denied[name] {
			lacks = u.operations()
		}
		if len(lacks) == 0 {
			continue
		}
		resource, operations := topicResource(name), u.operations()
		if u.internal {
			resource = prefixed("topic", c.settings.ApplicationID)
			operations = append(operations, "Create", "Delete") // processed records are deleted
		}
		c.fault("%s %q: %w to %s it: %s", u.role(), name, ErrNotAuthorized, listed(lacks), c.commands.grant(resource, operations...))
	}
}

// operations are the rights that the topic's use takes, by the names of Kafka's tools.
func (u *use) operations() []string {
	var ops []string
	if u.read {
		ops = append(ops, "Read")
	}
	if u.write {
		ops = append(ops, "Write")
	}
	return append(ops, "Describe")
}

// lacks returns the operations that the topic's use takes and that the broker
// has not listed. Brokers before 2.3 list none.
func (u *use) lacks(t *kmsg.MetadataResponseTopic) []string {
	if t == nil || t.AuthorizedOperations == math.MinInt32 {
		return nil
	}
	var lacks []string
	for _, need := range []struct {
		of   bool
		op   kmsg.ACLOperation
		name string
	}{{u.read, kmsg.ACLOperationRead, "Read"}, {u.write, kmsg.ACLOperationWrite, "Write"}} {
		if need.of && t.AuthorizedOperations&(1<<int(need.op)) == 0 {
			lacks = append(lacks, need.name)
		}
	}
	return lacks
}

// probeGroup asks for a right that no request merely lists: Read on the group. A
// heartbeat of nobody is refused as such only after the right has been checked.
func (c *check) probeGroup(ctx context.Context) error {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.Generation = c.settings.ApplicationID, -1
	resp, err := req.RequestWith(ctx, c.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.ErrorCode)
}

// probeProducer asks for Write on the transactional id. To abort a transaction in
// the name of no producer is refused as such only after the right has been
// checked; an InitProducerId would fence the producer that has the id.
func (c *check) probeProducer(ctx context.Context) error {
	instance := c.settings.InstanceID
	if instance == "" {
		instance = "preflight" // the real one is random, so that rights by prefix are the only ones possible
	}
	id, err := fencing.NewTransactionalID(c.settings.ApplicationID, instance, 1, 0)
	if err != nil {
		return err
	}
	req := kmsg.NewPtrEndTxnRequest()
	req.TransactionalID, req.ProducerID, req.ProducerEpoch = id.String(), -1, -1
	resp, err := req.RequestWith(ctx, c.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.ErrorCode)
}

// checkProbe judges the answers to the probes. Anything but a missing right, or
// no coordinator to answer, is what nobody's requests deserve.
func (c *check) checkProbe(group, producing error) {
	app := c.settings.ApplicationID
	if group != nil {
		c.judgeProbe(group, fmt.Sprintf("group %q", app), c.commands.grant("--group "+app, "Read", "Describe"),
			"__consumer_offsets", "offsets.topic.replication.factor")
	}
	if producing != nil {
		c.judgeProbe(producing, fmt.Sprintf("transactional ids %q", app+"-…"), c.commands.grant(prefixed("transactional-id", app), "Write", "Describe"),
			"__transaction_state", "transaction.state.log.replication.factor")
	}
}

func (c *check) judgeProbe(err error, what, grant, topic, replicas string) {
	ke, refused := errors.AsType[*kerr.Error](err)
	switch {
	case errors.Is(err, kerr.GroupAuthorizationFailed), errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		c.fault("%s: %w to use it: %s", what, ErrNotAuthorized, grant)
	case !refused, ke.Retriable && !errors.Is(ke, kerr.RebalanceInProgress):
		// The client asks again until time is up, which hides what the brokers said.
		reason := err
		if errors.Is(err, context.DeadlineExceeded) {
			reason = errors.New("none in time")
		}
		c.fault("%s: %w as its coordinator (%w): the broker is down or frozen, or %s has no leader, as when %s is above the number of brokers",
			what, ErrUnreachable, reason, topic, replicas)
	}
}

func listed(words []string) string {
	switch n := len(words); n {
	case 1:
		return words[0]
	default:
		return fmt.Sprintf("%s and %s", joined(words[:n-1]), words[n-1])
	}
}
