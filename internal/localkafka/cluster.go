package localkafka

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Cluster is a running Kafka cluster. Its methods are safe for concurrent use.
type Cluster struct {
	brokers []*Broker
	dir     string
	keep    bool
	once    sync.Once
	stopErr error
}

// Start resolves Kafka, formats the brokers' storage unless Config.Dir already
// holds it, starts all brokers and returns when each of them answers and knows
// all of them: about 3 s for one broker, more when the cache is empty. When ctx
// ends or a broker fails, everything that was started is ended again.
//
// Errors: [ErrUnavailable], [ErrLayout], all faults of cfg joined, or the
// broker's own last error line.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("start Kafka: %w", err)
	}
	in, err := resolve(ctx)
	if err != nil {
		return nil, err
	}
	return start(ctx, cfg, in)
}

func start(ctx context.Context, cfg Config, in install) (_ *Cluster, err error) {
	c := &Cluster{dir: cfg.Dir, keep: cfg.Dir != ""}
	if c.keep {
		if c.dir, err = filepath.Abs(c.dir); err != nil {
			return nil, fmt.Errorf("find cluster directory: %w", err)
		}
	} else if c.dir, err = os.MkdirTemp("", "eosproc-kafka-"); err != nil {
		return nil, fmt.Errorf("create cluster directory: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	nodes, err := plan(cfg)
	if err != nil {
		return nil, err
	}
	st, err := claim(c.dir, cfg)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		b := &Broker{
			node: n, dir: filepath.Join(c.dir, "broker-"+strconv.Itoa(n.id)), install: in,
			heapMB: cfg.HeapMB, jvmArgs: cfg.JVMArgs, detached: cfg.Detached,
		}
		if err := os.MkdirAll(b.dir, 0o755); err != nil {
			return nil, fmt.Errorf("create broker directory: %w", err)
		}
		text := properties(cfg, nodes, n, filepath.Join(b.dir, "data"))
		if err := os.WriteFile(b.config(), []byte(text), 0o644); err != nil {
			return nil, fmt.Errorf("write broker configuration: %w", err)
		}
		c.brokers = append(c.brokers, b)
	}
	if err := c.launch(ctx, st); err != nil {
		return nil, err
	}
	if cfg.Detached {
		if err := st.save(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// launch formats and starts all brokers at the same time: a broker's start ends
// only when a majority of controllers is there.
func (c *Cluster) launch(ctx context.Context, st state) error {
	ids := make([]int, len(c.brokers))
	for i, b := range c.brokers {
		ids[i] = b.id
	}
	errs := make([]error, len(c.brokers))
	var wg sync.WaitGroup
	for i, b := range c.brokers {
		wg.Go(func() {
			if errs[i] = b.format(ctx, st); errs[i] == nil {
				errs[i] = b.launch()
			}
			if errs[i] == nil {
				errs[i] = b.await(ctx, ids...)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// plan gives every broker its ports and its advertised address.
func plan(cfg Config) ([]node, error) {
	free, err := freePorts(3 * cfg.Brokers)
	if err != nil {
		return nil, err
	}
	nodes := make([]node, cfg.Brokers)
	for i := range nodes {
		n := node{id: i + 1, client: free[3*i], internal: free[3*i+1], controller: free[3*i+2]}
		if cfg.Port != 0 {
			n.client = cfg.Port + i
		}
		if n.advertised, err = cfg.Advertised(n.id, hostPort(n.client)); err != nil {
			return nil, fmt.Errorf("advertise broker %d: %w", n.id, err)
		}
		nodes[i] = n
	}
	return nodes, nil
}

// Bootstrap is the comma-separated list of the addresses that clients are told.
func (c *Cluster) Bootstrap() string {
	addrs := make([]string, len(c.brokers))
	for i, b := range c.brokers {
		addrs[i] = b.Advertised()
	}
	return strings.Join(addrs, ",")
}

// Brokers returns the brokers in the order of their ids.
func (c *Cluster) Brokers() []*Broker { return slices.Clone(c.brokers) }

// Broker returns the broker with a node id as metadata shows it, or nil.
func (c *Cluster) Broker(id int32) *Broker {
	if id < 1 || int(id) > len(c.brokers) {
		return nil
	}
	return c.brokers[id-1]
}

// AwaitInSync returns when, in the eyes of every running broker, all brokers
// are alive and every partition has all of its replicas in sync: what a rolling
// restart waits for before it takes the next broker.
func (c *Cluster) AwaitInSync(ctx context.Context) error {
	ids := make([]int, len(c.brokers))
	for i, b := range c.brokers {
		ids[i] = b.id
	}
	for _, b := range c.brokers {
		if !b.Running() {
			return fmt.Errorf("wait for replicas: broker %d: %w", b.id, ErrNotRunning)
		}
		err := poll(ctx, nil, func() (bool, error) {
			if ok, err := knows(ctx, b.Addr(), ids...); !ok {
				return false, err
			}
			return inSync(ctx, b.Addr())
		})
		if err != nil {
			return fmt.Errorf("wait for replicas: %w", err)
		}
	}
	return nil
}

// Stop ends all brokers and returns when they are gone; a second call returns
// the first one's result. A temporary directory is removed, and then the
// brokers are killed, since nothing of them is kept; with Config.Dir they shut
// down in order.
func (c *Cluster) Stop() error {
	c.once.Do(func() {
		errs := make([]error, len(c.brokers))
		var wg sync.WaitGroup
		for i, b := range c.brokers {
			wg.Go(func() {
				if c.keep {
					errs[i] = b.Stop()
				} else {
					errs[i] = b.Kill()
				}
			})
		}
		wg.Wait()
		c.stopErr = errors.Join(errs...)
		if !c.keep {
			c.stopErr = errors.Join(c.stopErr, os.RemoveAll(c.dir))
		}
	})
	return c.stopErr
}
