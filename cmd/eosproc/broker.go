package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"
)

// brokerFlags are the flags of broker.
type brokerFlags struct {
	port, brokers int
	topics        []string
	faults        []string
	configs       []string
	dataDir       string
	addressFile   string
	asVersion     string
}

func newBroker() *cobra.Command {
	var f brokerFlags
	cmd := &cobra.Command{
		Use:   "broker",
		Short: "Run a Kafka broker in this process, for trying things out",
		Long: `Run a fake Kafka cluster (franz-go's kfake) on loopback until interrupted. Any client can use
it: groups, transactions and admin requests work. It keeps everything in memory
unless --data-dir is given, and is not for production.

Topics are made with --topic NAME:PARTITIONS, or by a client that asks for a topic
that does not exist.

--fault answers matching requests with an error. A rule is a list of pairs, or
JSON with the same names (an object or an array), or @FILE with JSON; the syntax is
that of "kcl fake":

  topic=orders,error=NOT_LEADER_OR_FOLLOWER,count=3
  keys=EndTxn,keys=TxnOffsetCommit,error=NOT_COORDINATOR,count=-1
  {"group": "payments", "error": "COORDINATOR_LOAD_IN_PROGRESS"}

Names: keys (requests, by name or number), nodes, topic, topic_id, partitions, group,
txn_id, resource, top_level, error (by name or number), count (0 is one, -1 is always), observe.`,
		Example: `  eosproc broker --topic orders:4 --topic payments:4
  eosproc broker --port 0 --address-file broker.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	p := cmd.Flags()
	p.IntVar(&f.port, "port", 9092, "port of the first broker, the others follow; 0, or a port that is taken, means any free ones")
	p.IntVar(&f.brokers, "brokers", 1, "number of brokers")
	p.StringArrayVar(&f.topics, "topic", nil, "topic to make, as NAME or NAME:PARTITIONS; repeatable")
	p.StringArrayVar(&f.faults, "fault", nil, "fault rule; repeatable")
	p.StringArrayVar(&f.configs, "broker-config", nil, "broker configuration, as key=value; repeatable")
	p.StringVar(&f.dataDir, "data-dir", "", "keep data in this directory over restarts")
	p.StringVar(&f.asVersion, "as-version", "", "be a Kafka of this version, such as 3.9, as far as requests tell")
	p.StringVar(&f.addressFile, "address-file", "", "write the addresses to this file once the broker is ready")
	return cmd
}

func (f *brokerFlags) run(cmd *cobra.Command) error {
	opts, err := f.options()
	if err != nil {
		return err
	}
	faults, err := parseFaults(cmd.InOrStdin(), f.faults)
	if err != nil {
		return usage(err)
	}
	c, taken, err := f.start(opts)
	if err != nil {
		return err
	}
	defer c.Close()
	if len(faults) > 0 {
		c.Fault(faults...)
	}
	if taken {
		fmt.Fprintf(cmd.ErrOrStderr(), "eosproc: port %d is taken: using another\n", f.port)
	}
	addresses := strings.Join(c.ListenAddrs(), ",")
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n", addresses)
	if f.addressFile != "" {
		if err := writeWhole(f.addressFile, addresses+"\n"); err != nil {
			return fmt.Errorf("write address file: %w", err)
		}
	}
	<-cmd.Context().Done()
	return nil
}

func (f *brokerFlags) options() ([]kfake.Opt, error) {
	if f.brokers < 1 || f.port < 0 || f.port > 65535 {
		return nil, usagef("--brokers must be at least 1, and --port between 0 and 65535")
	}
	opts := []kfake.Opt{kfake.AllowAutoTopicCreation(), kfake.ListenFn(listen)}
	for _, t := range f.topics {
		name, count, given := strings.Cut(t, ":")
		partitions := 1
		if given {
			var err error
			if partitions, err = strconv.Atoi(count); err != nil || partitions < 1 || partitions > 10_000 {
				return nil, usagef("--topic %q: want NAME or NAME:PARTITIONS", t)
			}
		}
		if name == "" {
			return nil, usagef("--topic %q: want NAME or NAME:PARTITIONS", t)
		}
		opts = append(opts, kfake.SeedTopics(int32(partitions), name))
	}
	configs := map[string]string{}
	for _, pair := range f.configs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, usagef("--broker-config %q: want key=value", pair)
		}
		configs[key] = value
	}
	if len(configs) > 0 {
		opts = append(opts, kfake.BrokerConfigs(configs))
	}
	if f.asVersion != "" {
		versions := kversion.FromString(f.asVersion)
		if versions == nil {
			return nil, usagef("--as-version %q: want one of %s", f.asVersion, strings.Join(kversion.VersionStrings(), ", "))
		}
		opts = append(opts, kfake.MaxVersions(versions))
	}
	if f.dataDir != "" {
		opts = append(opts, kfake.DataDir(f.dataDir))
	}
	return opts, nil
}

// listen keeps the fake, which has no protection, from the network.
func listen(network, address string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	var l net.ListenConfig
	return l.Listen(context.Background(), network, net.JoinHostPort("127.0.0.1", port))
}

// start takes the ports asked for, else any; taken reports the latter.
func (f *brokerFlags) start(opts []kfake.Opt) (c *kfake.Cluster, taken bool, err error) {
	if f.port != 0 {
		ports := make([]int, f.brokers)
		for i := range ports {
			ports[i] = f.port + i
		}
		c, err = kfake.NewCluster(append(opts[:len(opts):len(opts)], kfake.Ports(ports...))...)
		if err == nil {
			return c, false, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, false, fmt.Errorf("start broker: %w", err)
		}
	}
	c, err = kfake.NewCluster(append(opts, kfake.NumBrokers(f.brokers))...)
	if err != nil {
		return nil, false, fmt.Errorf("start broker: %w", err)
	}
	return c, f.port != 0, nil
}

// writeWhole makes a file appear with its whole content: a script may be waiting for it.
func writeWhole(path, content string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".eosproc-*")
	if err != nil {
		return err
	}
	_, err = tmp.WriteString(content)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
