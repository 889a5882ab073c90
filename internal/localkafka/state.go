package localkafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// state is kept beside the brokers' directories: the layout, which later starts
// must match, and the processes of a detached cluster.
type state struct {
	ClusterID          string        `json:"clusterId"`
	Brokers            int           `json:"brokers"`
	TransactionVersion int           `json:"transactionVersion"`
	Processes          []processInfo `json:"processes,omitempty"`
}

type processInfo struct {
	PID        int    `json:"pid"`
	Config     string `json:"config"` // its path is on the command line and identifies the process
	Advertised string `json:"advertised"`
}

func statePath(dir string) string { return filepath.Join(dir, "cluster.json") }

// readState returns the zero state for a directory that holds none.
func readState(dir string) (state, error) {
	var st state
	text, err := os.ReadFile(statePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return st, fmt.Errorf("read cluster state: %w", err)
	}
	if err := json.Unmarshal(text, &st); err != nil {
		return st, fmt.Errorf("read cluster state: %w", err)
	}
	return st, nil
}

func (st state) write(dir string) error {
	text, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return fmt.Errorf("encode cluster state: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create cluster directory: %w", err)
	}
	return writeWhole(statePath(dir), append(text, '\n'))
}

func (st state) save(c *Cluster) error {
	st.Processes = nil
	for _, b := range c.brokers {
		st.Processes = append(st.Processes, processInfo{PID: b.PID(), Config: b.config(), Advertised: b.Advertised()})
	}
	return st.write(c.dir)
}

// running returns the processes that still live.
func (st state) running() []processInfo {
	var out []processInfo
	for _, p := range st.Processes {
		if alive(p.PID, p.Config) {
			out = append(out, p)
		}
	}
	return out
}

// claim fixes the layout of a directory at its first use and refuses another
// layout afterwards, as Kafka would silently keep the old one.
func claim(dir string, cfg Config) (state, error) {
	st, err := readState(dir)
	if err != nil {
		return st, err
	}
	want := state{ClusterID: st.ClusterID, Brokers: cfg.Brokers, TransactionVersion: cfg.featureLevel()}
	if st.ClusterID == "" {
		want.ClusterID = newClusterID()
		return want, want.write(dir)
	}
	if st.Brokers != want.Brokers || st.TransactionVersion != want.TransactionVersion {
		return st, fmt.Errorf("%w: %s has %d brokers and transaction.version %d; remove it or choose another",
			ErrLayout, dir, st.Brokers, st.TransactionVersion)
	}
	if n := len(st.running()); n > 0 {
		return st, fmt.Errorf("%s: %d processes of a detached cluster: %w", dir, n, ErrRunning)
	}
	return want, nil
}

// Up returns the bootstrap addresses of the detached cluster in dir, or the
// empty string when none of its brokers runs. When only some of them run it
// returns the error [ErrNotRunning].
func Up(dir string) (string, error) {
	st, err := readState(dir)
	if err != nil {
		return "", err
	}
	live := st.running()
	if len(live) == 0 {
		return "", nil
	}
	if len(live) < len(st.Processes) {
		return "", fmt.Errorf("%d of %d brokers in %s are gone: %w", len(st.Processes)-len(live), len(st.Processes), dir, ErrNotRunning)
	}
	addrs := make([]string, len(live))
	for i, p := range live {
		addrs[i] = p.Advertised
	}
	return strings.Join(addrs, ","), nil
}

// Down ends the detached cluster in dir and returns when its processes are
// gone. Brokers that have not stopped after grace are killed. It returns
// [ErrNotRunning] when nothing ran.
func Down(ctx context.Context, dir string, grace time.Duration) error {
	st, err := readState(dir)
	if err != nil {
		return err
	}
	if len(st.running()) == 0 {
		return fmt.Errorf("%s: %w", dir, ErrNotRunning)
	}
	if err := st.signalAll(sigCont); err != nil {
		return err
	}
	if err := st.signalAll(sigTerm); err != nil {
		return err
	}
	gone := func() (bool, error) { return len(st.running()) == 0, nil }
	graceCtx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if poll(graceCtx, nil, gone) != nil {
		if err := st.signalAll(os.Kill); err != nil {
			return err
		}
		if err := poll(ctx, nil, gone); err != nil {
			return fmt.Errorf("wait for killed brokers: %w", err)
		}
	}
	st.Processes = nil
	return st.write(dir)
}

func (st state) signalAll(s os.Signal) error {
	var errs []error
	for _, p := range st.running() {
		errs = append(errs, signalPID(p.PID, s))
	}
	return errors.Join(errs...)
}
