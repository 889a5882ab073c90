package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// cluster is where the demo takes place: a broker in this process, or the user's
// own cluster, on which it uses topics and a group with a name of their own.
type cluster struct {
	embedded *kfake.Cluster // nil on one's own cluster
	brokers  string
	options  []kgo.Opt
	client   *kgo.Client
	admin    *kadm.Client
	timing   timing

	app, orders, payments string
}

func openCluster(ctx context.Context, o *options) (c *cluster, err error) {
	if o.bootstrap == "" {
		c, err = startBroker()
	} else {
		c, err = reachCluster(o)
	}
	if err != nil {
		return nil, err
	}
	if c.client, err = kgo.NewClient(c.options...); err != nil {
		c.stop()
		return nil, fmt.Errorf("make client: %w", err)
	}
	c.admin = kadm.NewClient(c.client)
	if err := c.createTopics(ctx); err != nil {
		return nil, errors.Join(err, c.close(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// startBroker starts kfake on a free port of the loopback interface.
func startBroker() (*cluster, error) {
	k, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(embeddedTiming.session))
	if err != nil {
		return nil, fmt.Errorf("start embedded broker: %w", err)
	}
	addresses := k.ListenAddrs()
	return &cluster{
		embedded: k, brokers: strings.Join(addresses, ","), options: []kgo.Opt{kgo.SeedBrokers(addresses...)}, timing: embeddedTiming,
		app: "payments-demo", orders: "orders", payments: "payments",
	}, nil
}

func reachCluster(o *options) (*cluster, error) {
	properties := map[string]string{}
	if o.commandConfig != "" {
		loaded, err := kafkaconf.Load(o.commandConfig)
		if err != nil {
			return nil, err
		}
		properties = loaded
	}
	properties["bootstrap.servers"] = o.bootstrap
	conf, _, err := kafkaconf.FromProperties(properties)
	if err != nil {
		return nil, fmt.Errorf("read client settings: %w", err)
	}
	opts, err := conf.Options(nil)
	if err != nil {
		return nil, fmt.Errorf("read client settings: %w", err)
	}
	name := "demo-" + strings.ToLower(rand.Text()[:8])
	return &cluster{
		brokers: o.bootstrap, options: opts, timing: clusterTiming,
		app: name, orders: name + "-orders", payments: name + "-payments",
	}, nil
}

func (c *cluster) createTopics(ctx context.Context) error {
	made, err := c.admin.CreateTopics(ctx, partitions, -1, nil, c.orders, c.payments)
	if err == nil {
		err = made.Error()
	}
	if err != nil {
		return fmt.Errorf("create topics at %s: %w", c.brokers, err)
	}
	return nil
}

// transactionalIDs are those that a worker may use: producers of one thread
// that runs under the worker's name.
func (c *cluster) transactionalIDs(worker int) []string {
	var ids []string
	for slot := range 4 {
		if id, err := fencing.NewTransactionalID(c.app, workerName(worker), 1, slot); err == nil {
			ids = append(ids, string(id))
		}
	}
	return ids
}

// lag returns how many orders the group has not committed yet.
func (c *cluster) lag(ctx context.Context) (int64, error) {
	ends, err := c.admin.ListEndOffsets(ctx, c.orders)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("list end offsets: %w", err)
	}
	committed, err := c.admin.FetchOffsets(ctx, c.app)
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
		return 0, fmt.Errorf("fetch committed offsets: %w", err)
	}
	var lag int64
	ends.Each(func(o kadm.ListedOffset) {
		at, _ := committed.Lookup(o.Topic, o.Partition)
		lag += o.Offset - max(at.At, 0)
	})
	return lag, nil
}

// close deletes what the demo has made on one's own cluster.
func (c *cluster) close(ctx context.Context) error {
	defer c.stop()
	if c.embedded != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, drainPatience)
	defer cancel()
	deleted, err := c.admin.DeleteTopics(ctx, c.orders, c.payments)
	if err == nil {
		err = deleted.Error()
	}
	if err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) {
		err = fmt.Errorf("delete topics %s and %s: %w", c.orders, c.payments, err)
	} else {
		err = nil
	}
	if _, gerr := c.admin.DeleteGroup(ctx, c.app); gerr != nil && !errors.Is(gerr, kerr.GroupIDNotFound) {
		err = errors.Join(err, fmt.Errorf("delete group %s: %w", c.app, gerr))
	}
	return err
}

func (c *cluster) stop() {
	if c.client != nil {
		c.client.Close()
	}
	if c.embedded != nil {
		c.embedded.Close()
	}
}
