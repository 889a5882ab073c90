package localkafka

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// startLimit ends a start or stop that hangs. A broker needs about 2 s on an idle
// machine; on one that runs several test packages at once it can need 20 s.
const startLimit = 2 * time.Minute

// Broker is one Kafka process of a [Cluster]. Its methods are safe for
// concurrent use; those that change its state wait for each other.
type Broker struct {
	node
	dir      string
	install  install
	heapMB   int
	jvmArgs  []string
	detached bool

	mu     sync.Mutex
	proc   *process // nil before the first start
	frozen bool
}

// ID is the broker's node id, from 1.
func (b *Broker) ID() int { return b.id }

// Addr is the host:port on which the broker itself listens.
func (b *Broker) Addr() string { return hostPort(b.client) }

// Advertised is the host:port that clients are told.
func (b *Broker) Advertised() string { return b.node.advertised }

// Log is the path of the broker's log, appended to over restarts.
func (b *Broker) Log() string { return filepath.Join(b.dir, "broker.log") }

// PID is the process id, or 0 when the broker does not run.
func (b *Broker) PID() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil || !b.proc.running() {
		return 0
	}
	return b.proc.cmd.Process.Pid
}

func (b *Broker) config() string { return filepath.Join(b.dir, "server.properties") }

// Start starts a broker that was stopped or killed, on the same ports and data,
// and returns once it answers and is registered with the controller. It returns
// [ErrRunning] when the broker runs.
func (b *Broker) Start(ctx context.Context) error {
	if err := b.launch(); err != nil {
		return err
	}
	return b.await(ctx, b.id)
}

// launch starts the process without waiting for its readiness.
func (b *Broker) launch() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc != nil && b.proc.running() {
		return fmt.Errorf("start broker %d: %w", b.id, ErrRunning)
	}
	flags := append([]string{"-Xmx" + strconv.Itoa(b.heapMB) + "m"}, b.jvmArgs...)
	p, err := spawn(b.install.command(flags, "kafka.Kafka", b.config()), b.Log(), b.detached)
	if err != nil {
		return fmt.Errorf("start broker %d: %w", b.id, err)
	}
	b.proc, b.frozen = p, false
	return nil
}

// await returns when the broker lists all ids as alive.
func (b *Broker) await(ctx context.Context, ids ...int) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	b.mu.Lock()
	p := b.proc
	b.mu.Unlock()
	err := poll(ctx, p.done, func() (bool, error) { return knows(ctx, b.Addr(), ids...) })
	if errors.Is(err, ErrNotRunning) {
		return fmt.Errorf("start broker %d: it ended (%v): %s", b.id, p.err, lastFault(b.Log()))
	}
	if err != nil {
		return fmt.Errorf("wait for broker %d: %w", b.id, err)
	}
	return nil
}

// Kill ends the broker with SIGKILL, as a crash would, and waits until the
// process is gone. A broker that does not run is no error.
func (b *Broker) Kill() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil || !b.proc.running() {
		return nil
	}
	if err := b.proc.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill broker %d: %w", b.id, err)
	}
	<-b.proc.done
	return nil
}

// Stop ends the broker with SIGTERM, so that it hands over its leaderships, and
// waits for it. A frozen broker is thawed first. One that has not ended after two
// minutes is killed, which is reported as an error. A broker that does not run
// is no error.
func (b *Broker) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	return b.stop(ctx)
}

func (b *Broker) stop(ctx context.Context) error {
	err := b.terminate(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("stop broker %d: %w", b.id, err), b.Kill())
	}
	return nil
}

func (b *Broker) terminate(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil || !b.proc.running() {
		return nil
	}
	for _, s := range []os.Signal{sigCont, sigTerm} {
		if err := b.proc.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
	}
	b.frozen = false
	return b.proc.wait(ctx)
}

// Freeze suspends the process with SIGSTOP: its connections stay open and
// nothing is answered. It returns [ErrNotRunning] when there is no process.
func (b *Broker) Freeze() error { return b.suspend(sigStop, true) }

// Thaw continues a frozen process; a broker that is not frozen stays as it is.
func (b *Broker) Thaw() error { return b.suspend(sigCont, false) }

func (b *Broker) suspend(s os.Signal, frozen bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil || !b.proc.running() {
		return fmt.Errorf("signal broker %d: %w", b.id, ErrNotRunning)
	}
	if err := b.proc.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("signal broker %d: %w", b.id, err)
	}
	b.frozen = frozen
	return nil
}

// Running says whether the process exists and is not frozen.
func (b *Broker) Running() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.proc != nil && b.proc.running() && !b.frozen
}

// lastFault returns the last line of a log at level ERROR or FATAL, or of an
// uncaught exception; it is what a person would look for first.
func lastFault(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	fault := "no error in " + path
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		for _, mark := range []string{"] ERROR ", "] FATAL ", "Exception", "Error: "} {
			if strings.Contains(s.Text(), mark) {
				fault = s.Text()
			}
		}
	}
	if err := s.Err(); err != nil {
		return err.Error()
	}
	return fault
}
