package preflight

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/topology"
)

// Run checks the cluster that client leads to against what the topology and the
// settings need, and makes the internal topics that are missing. Several
// instances may do so at the same time. What is only unwise is logged as a warning.
//
// The error joins all faults; errors.Is finds the kinds among them: [ErrUnreachable],
// [ErrBrokerTooOld], [ErrNoTopic], [ErrNotAuthorized], [ErrInternalTopic],
// [ErrTransactionTimeout]. Run returns within about 30 s, or when ctx ends.
func Run(ctx context.Context, client []kgo.Opt, t *topology.Topology, s *settings.Settings, log *slog.Logger) (*Found, error) {
	c, err := kgo.NewClient(client...)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	defer c.Close()
	k := &check{
		client: c, settings: s, log: log, plan: newPlan(t, s), commands: newCommands(s),
		found: &Found{Partitions: map[string]int{}},
	}
	return k.run(ctx)
}

// check is one run of the questions.
type check struct {
	client   *kgo.Client
	settings *settings.Settings
	log      *slog.Logger
	plan     *plan
	commands commands

	found  *Found
	faults []error
	exist  map[string]*kmsg.MetadataResponseTopic // of the plan and of the patterns
	denied map[string]bool                        // topics of the plan that may not even be seen
	config map[string]map[string]string           // of topics, as far as it may be read
}

func (c *check) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf(format, args...))
}

func (c *check) run(ctx context.Context) (*Found, error) {
	m, err := metadata(ctx, c.client, askFor(c.plan.names()), c.settings, c.log)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if m.ClusterID != nil {
		c.found.ClusterID = *m.ClusterID
	}
	brokers := askVersions(ctx, c.client, m)
	c.checkVersions(brokers)
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...) // further questions would be answered by errors of their own
	}
	if err := c.ask(ctx, m); err != nil {
		return nil, err
	}
	if len(c.faults) == 0 {
		c.createInternal(ctx)
	}
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	c.hints(m)
	c.limitRecords()
	return c.found, nil
}

// ask puts the questions that do not depend on each other at the same time, and
// judges the answers in a fixed order.
func (c *check) ask(ctx context.Context, m *kmsg.MetadataResponse) error {
	var wg sync.WaitGroup
	var everything *kmsg.MetadataResponse
	var listing, group, producing error
	var limit string
	if needsListing(c.plan, m) {
		wg.Go(func() { everything, listing = c.list(ctx) })
	}
	wg.Go(func() { c.config = c.topicConfigs(ctx, c.plan.names()) })
	wg.Go(func() { group = c.probeGroup(ctx) })
	if c.settings.Guarantee == settings.ExactlyOnceV2 {
		wg.Go(func() { producing = c.probeProducer(ctx) })
		wg.Go(func() { limit = c.brokerConfig(ctx, m.ControllerID, "transaction.max.timeout.ms") })
	}
	wg.Wait()
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("check the cluster: %w", context.Cause(ctx))
	}
	if listing != nil {
		return fmt.Errorf("list topics: %w", listing)
	}
	c.gather(m, everything)
	c.checkTopics(everything)
	c.checkRights()
	c.checkProbe(group, producing)
	c.checkTransactionTimeout(limit)
	c.checkInternal()
	return nil
}

func askFor(topics []string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.IncludeTopicAuthorizedOperations = true
	req.Topics = make([]kmsg.MetadataRequestTopic, 0, len(topics)) // nil would mean all
	for _, name := range topics {
		rt := kmsg.NewMetadataRequestTopic()
		rt.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, rt)
	}
	return req
}

// needsListing reports whether the names of all topics are of use: for patterns,
// and for guessing what a wrong name was meant to be.
func needsListing(p *plan, m *kmsg.MetadataResponse) bool {
	if len(p.patterns()) > 0 {
		return true
	}
	for _, t := range m.Topics {
		if t.ErrorCode == kerr.UnknownTopicOrPartition.Code {
			return true
		}
	}
	return false
}

func (c *check) list(ctx context.Context) (*kmsg.MetadataResponse, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = nil
	resp, err := req.RequestWith(ctx, c.client)
	return resp, err
}
