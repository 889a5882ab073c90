package preflight

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/eosproc/eosproc/internal/settings"
)

// grace is how long the other brokers have once the first has said its versions: a
// start must not wait for a frozen broker, whose partitions it may not even need.
const grace = 300 * time.Millisecond

// broker is one broker of the cluster, under the address that it advertises.
type broker struct {
	id       int32
	address  string
	versions *kmsg.ApiVersionsResponse // nil if it has not answered
	err      error
}

func (b *broker) String() string { return fmt.Sprintf("broker %d (%s)", b.id, b.address) }

// askVersions asks every broker. It also shows whether the advertised addresses
// can be reached, which may differ from those of bootstrap.servers.
func askVersions(ctx context.Context, client *kgo.Client, m *kmsg.MetadataResponse) []*broker {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var hurry sync.Once
	var wg sync.WaitGroup
	brokers := make([]*broker, len(m.Brokers))
	for i, mb := range m.Brokers {
		b := &broker{id: mb.NodeID, address: fmt.Sprintf("%s:%d", mb.Host, mb.Port)}
		brokers[i] = b
		wg.Go(func() {
			req := kmsg.NewPtrApiVersionsRequest()
			req.ClientSoftwareName, req.ClientSoftwareVersion = "eosproc", "preflight"
			resp, err := client.Broker(int(b.id)).Request(ctx, req)
			if b.err = err; err != nil {
				return
			}
			b.versions = resp.(*kmsg.ApiVersionsResponse)
			hurry.Do(func() { time.AfterFunc(grace, cancel) })
		})
	}
	wg.Wait()
	return brokers
}

// requirement is a version of a request that the configuration needs.
type requirement struct {
	key     kmsg.Key
	version int16
	reason  string
}

func requirements(s *settings.Settings) []requirement {
	var r []requirement
	if s.Guarantee == settings.ExactlyOnceV2 {
		r = append(r,
			requirement{kmsg.TxnOffsetCommit, 3, "processing.guarantee=exactly_once_v2 needs Kafka 2.5 or later (KIP-447: offsets of a transaction fenced by the group's generation)"},
			requirement{kmsg.OffsetFetch, 7, "processing.guarantee=exactly_once_v2 needs Kafka 2.5 or later (KIP-447: committed offsets that no open transaction can change)"},
		)
	}
	if s.Group.Protocol == settings.GroupConsumer {
		r = append(r, requirement{kmsg.ConsumerGroupHeartbeat, 0, "group.protocol=consumer needs Kafka 4.0 or later (KIP-848), or 3.7–3.9 with consumer in group.coordinator.rebalance.protocols; group.protocol=classic works on all"})
	}
	return r
}

// checkVersions judges what the brokers can do.
func (c *check) checkVersions(brokers []*broker) {
	answered := 0
	for _, b := range brokers {
		if b.versions == nil {
			c.log.Warn("broker does not answer under its advertised address", "broker", b.id, "address", b.address, "error", b.err)
			continue
		}
		answered++
		c.judge(b)
	}
	if answered > 0 {
		return
	}
	var tried []string
	for _, b := range brokers {
		tried = append(tried, fmt.Sprintf("%s: %s", b, explain(b.err, c.settings)))
	}
	c.fault("%w: bootstrap.servers answers, but no broker does under the address it advertises; correct advertised.listeners of the brokers, or the network between: %s",
		ErrUnreachable, strings.Join(tried, "; "))
}

func (c *check) judge(b *broker) {
	max := map[int16]int16{}
	for _, k := range b.versions.ApiKeys {
		max[k.ApiKey] = k.MaxVersion
	}
	said := map[string]bool{} // two requests can lack for one reason
	for _, r := range requirements(c.settings) {
		have, ok := max[r.key.Int16()]
		if ok && have >= r.version || said[release(r.reason)] {
			continue
		}
		said[release(r.reason)] = true
		c.fault("%w: %s runs %s: %s", ErrBrokerTooOld, b, guess(b.versions), r.reason)
	}
	if c.settings.Group.Protocol == settings.GroupConsumer && supports(b.versions, "group.version") && finalized(b.versions, "group.version") == 0 {
		c.fault("%w: %s could do group.protocol=consumer (KIP-848), but the cluster's group.version is 0; run kafka-features.sh --bootstrap-server %s upgrade --feature group.version=1, or use group.protocol=classic",
			ErrBrokerTooOld, b, c.commands.bootstrap)
	}
	c.found.TransactionVersion = int(finalized(b.versions, "transaction.version"))
}

// release is the part of a reason that names the Kafka release.
func release(reason string) string { before, _, _ := strings.Cut(reason, " ("); return before }

func guess(r *kmsg.ApiVersionsResponse) string {
	return "Kafka " + strings.TrimPrefix(kversion.FromApiVersionsResponse(r).VersionGuess(), "v")
}

func supports(r *kmsg.ApiVersionsResponse, feature string) bool {
	for _, f := range r.SupportedFeatures {
		if f.Name == feature {
			return true
		}
	}
	return false
}

func finalized(r *kmsg.ApiVersionsResponse, feature string) int16 {
	for _, f := range r.FinalizedFeatures {
		if f.Name == feature {
			return f.MaxVersionLevel
		}
	}
	return 0
}

// hintTransactionVersion says what an old transaction protocol leaves open.
func hintTransactionVersion(version int, s *settings.Settings, log *slog.Logger) {
	if s.Guarantee == settings.ExactlyOnceV2 && version < 2 {
		log.Info("the cluster's transaction.version is below 2 (KIP-890): a delayed request of an earlier transaction is kept out by the client alone",
			"transaction_version", version)
	}
}
