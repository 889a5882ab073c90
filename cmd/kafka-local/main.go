// Command kafka-local runs a real Kafka on the loopback interface for
// development: `make kafka-up` and `make kafka-down` call it.
//
//	kafka-local up   [--brokers 1|3] [--port 9092] [--transaction-version 0|1|2] [--dir .eosproc/kafka]
//	kafka-local down [--dir .eosproc/kafka]
//
// up leaves the brokers running in the background, waits until they are ready
// and prints their bootstrap addresses; when they run already it only prints
// these. down stops them and waits; the data stays in the directory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/eosproc/eosproc/internal/localkafka"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

const usage = `usage:
  kafka-local up   [--brokers 1|3] [--port 9092] [--transaction-version 0|1|2] [--heap-mb 512] [--dir .eosproc/kafka]
  kafka-local down [--dir .eosproc/kafka]
`

// grace is how long a broker may take to shut down in order before it is killed.
const grace = 30 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	flags := flag.NewFlagSet("kafka-local "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	dir := flags.String("dir", filepath.Join(".eosproc", "kafka"), "directory of configuration, logs and data")

	var err error
	switch args[0] {
	case "up":
		cfg := localkafka.Config{TransactionVersion: new(int), Detached: true}
		flags.IntVar(&cfg.Brokers, "brokers", 1, "number of brokers, 1 or 3")
		flags.IntVar(&cfg.Port, "port", 9092, "client port of the first broker; the others follow")
		flags.IntVar(cfg.TransactionVersion, "transaction-version", 2, "level of the feature transaction.version")
		flags.IntVar(&cfg.HeapMB, "heap-mb", 512, "maximum heap of each broker in MiB")
		if code, ok := parse(flags, args[1:], stderr); !ok {
			return code
		}
		cfg.Dir = *dir
		err = up(ctx, cfg, stdout, stderr)
	case "down":
		if code, ok := parse(flags, args[1:], stderr); !ok {
			return code
		}
		err = down(ctx, *dir, stderr)
	case "help", "-h", "--help":
		fmt.Fprint(stdout, usage)
		return exitOK
	default:
		fmt.Fprintf(stderr, "kafka-local: unknown command %q\n%s", args[0], usage)
		return exitUsage
	}
	if err != nil {
		fmt.Fprintf(stderr, "kafka-local: %v\n", err)
		return exitError
	}
	return exitOK
}

// parse returns the exit code for arguments that end the command.
func parse(flags *flag.FlagSet, args []string, stderr io.Writer) (code int, ok bool) {
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK, false
	case err != nil:
		return exitUsage, false
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "kafka-local: unexpected argument %q\n", flags.Arg(0))
		return exitUsage, false
	}
	return exitOK, true
}

func up(ctx context.Context, cfg localkafka.Config, stdout, stderr io.Writer) error {
	addr, err := localkafka.Up(cfg.Dir)
	if errors.Is(err, localkafka.ErrNotRunning) {
		return fmt.Errorf("%w; run kafka-local down first", err)
	}
	if err != nil {
		return err
	}
	if addr != "" {
		fmt.Fprintf(stderr, "Kafka is already running in %s\n", cfg.Dir)
		fmt.Fprintln(stdout, addr)
		return nil
	}
	fmt.Fprintf(stderr, "starting Kafka %s in %s (the first start downloads it)\n", localkafka.Version, cfg.Dir)
	c, err := localkafka.Start(ctx, cfg)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, c.Bootstrap())
	return nil
}

// down treats a cluster that does not run as done, as make targets are repeated.
func down(ctx context.Context, dir string, stderr io.Writer) error {
	err := localkafka.Down(ctx, dir, grace)
	if errors.Is(err, localkafka.ErrNotRunning) {
		fmt.Fprintf(stderr, "no Kafka is running in %s\n", dir)
		return nil
	}
	return err
}
