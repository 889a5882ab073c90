package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/worker"
	"github.com/eosproc/eosproc/topology"
	"github.com/eosproc/eosproc/txn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 30 * time.Second

// fleet is a fake cluster and any number of workers of one application.
type fleet struct {
	t         *testing.T
	cluster   *kfake.Cluster
	addrs     []string
	client    *kgo.Client
	define    func(*topology.Builder)
	props     map[string]string
	memory    worker.Memory
	maxRecord func(topic string) int
	sent      int
}

func bytesTopic(name string) topology.Topic[[]byte, []byte] {
	return topology.NewTopic(name, codec.Bytes, codec.Bytes)
}

func copyTopology(b *topology.Builder) { topology.From(b, bytesTopic("in")).To(bytesTopic("out")) }

func newFleet(t *testing.T, partitions int32, props map[string]string, topics ...string) *fleet {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, append(topics, "in", "out")...))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	f := &fleet{t: t, cluster: c, addrs: c.ListenAddrs(), define: copyTopology, props: props}
	f.client = f.newClient()
	return f
}

func (f *fleet) newClient(opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(f.addrs...))...)
	require.NoError(f.t, err)
	f.t.Cleanup(cl.Close)
	return cl
}

func (f *fleet) admin() *kadm.Client { return kadm.NewClient(f.client) }

// running is one worker that runs.
type running struct {
	f        *fleet
	worker   *worker.Worker
	notes    *notes
	graceful context.CancelFunc
	abort    context.CancelFunc
	done     chan error
}

// start runs a worker; when the test ends, it is aborted if it has not ended by then.
func (f *fleet) start(index int, props ...string) *running {
	b := topology.NewBuilder()
	f.define(b)
	topo, err := b.Build()
	require.NoError(f.t, err)
	all := map[string]string{
		"application.id": "app", "bootstrap.servers": f.addrs[0], "session.timeout.ms": "6000", "heartbeat.interval.ms": "100",
		"commit.interval.ms": "10", "fetch.max.wait.ms": "50", "eosproc.shutdown.timeout.ms": "10000",
	}
	maps.Copy(all, f.props)
	for i := 0; i < len(props); i += 2 {
		all[props[i]] = props[i+1]
	}
	s, problems := settings.Parse(all)
	require.NoError(f.t, problems.Err())
	r := &running{f: f, notes: newNotes(), done: make(chan error, 1)}
	r.worker = worker.New(worker.Config{
		Index: index, InstanceID: "i" + strconv.Itoa(index), Settings: s, Topology: topo, Memory: f.memory, Observer: r.notes, MaxRecordBytes: f.maxRecord,
		Client: []kgo.Opt{kgo.SeedBrokers(f.addrs...), kgo.MetadataMinAge(10 * time.Millisecond)},
		Log:    testLog(),
	})
	graceful, cancel := context.WithCancel(context.Background())
	abort, cut := context.WithCancel(context.Background())
	r.graceful, r.abort = cancel, cut
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.done <- r.worker.Run(graceful, abort)
	}()
	f.t.Cleanup(func() {
		cut()
		cancel()
		select {
		case <-ended:
		case <-time.After(patience):
			f.t.Error("the worker does not end")
		}
	})
	return r
}

// end waits for the end of the worker and returns its error.
func (r *running) end() error {
	select {
	case err := <-r.done:
		return err
	case <-time.After(patience):
		r.f.t.Fatal("the worker does not end")
		return nil
	}
}

func (r *running) stop() {
	r.graceful()
	require.NoError(r.f.t, r.end())
}

func (r *running) until(s worker.State) {
	select {
	case <-r.notes.reached(s):
	case <-time.After(patience):
		r.f.t.Fatalf("the worker never becomes %s", s)
	}
}

// notes are what a worker has reported.
type notes struct {
	worker.Unobserved
	mu      sync.Mutex
	states  map[worker.State]chan struct{}
	aborted []error
	fenced  []fencing.By
	waiting int
	most    int // records that have waited at once

	consumed, processed, committed atomic.Int64
}

func newNotes() *notes { return &notes{states: map[worker.State]chan struct{}{}} }

func (n *notes) reached(s worker.State) chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.states[s] == nil {
		n.states[s] = make(chan struct{})
	}
	return n.states[s]
}

func (n *notes) State(_ int, s worker.State) {
	c := n.reached(s)
	select {
	case <-c:
	default:
		close(c)
	}
}

func (n *notes) Aborted(_ int, cause error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.aborted = append(n.aborted, cause)
}

func (n *notes) Fenced(_ int, by fencing.By) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fenced = append(n.fenced, by)
}

func (n *notes) aborts() []error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.aborted)
}

func (n *notes) Consumed(_ string, records int) {
	n.consumed.Add(int64(records))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting += records
	n.most = max(n.most, n.waiting)
}

func (n *notes) Processed(_ topology.TaskID, records int) {
	n.processed.Add(int64(records))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting -= records
}

func (n *notes) Committed(int, *txn.Sealed) { n.committed.Add(1) }

// send produces n numbered records with the keys k0 … k16 to a topic.
func (f *fleet) send(topic string, n int) {
	for range n {
		i := f.sent
		f.sent++
		f.client.Produce(context.Background(), &kgo.Record{Topic: topic, Key: fmt.Appendf(nil, "k%d", i%17), Value: fmt.Appendf(nil, "%d", i)}, nil)
	}
	require.NoError(f.t, f.client.Flush(context.Background()))
}

// read returns the committed records of a topic: at least n of them, and all up to
// its end, which must be stable by then.
func (f *fleet) read(topic string, n int) []*kgo.Record {
	cl, err := kgo.NewClient(kgo.SeedBrokers(f.addrs...), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.FetchMaxWait(50*time.Millisecond))
	require.NoError(f.t, err)
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out []*kgo.Record
	at := map[int32]int64{}
	for {
		if len(out) >= n && f.atEnd(ctx, topic, at) {
			return out
		}
		short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
		cl.PollFetches(short).EachRecord(func(r *kgo.Record) {
			at[r.Partition] = r.Offset + 1
			if !r.Attrs.IsControl() {
				out = append(out, r)
			}
		})
		stop()
		require.NoError(f.t, ctx.Err(), "%s: saw %d records of %d", topic, len(out), n)
	}
}

func (f *fleet) atEnd(ctx context.Context, topic string, at map[int32]int64) bool {
	stable, err := f.admin().ListCommittedOffsets(ctx, topic)
	require.NoError(f.t, err)
	high, err := f.admin().ListEndOffsets(ctx, topic)
	require.NoError(f.t, err)
	end := true
	high.Each(func(h kadm.ListedOffset) {
		s, _ := stable.Lookup(topic, h.Partition)
		end = end && s.Offset == h.Offset && at[h.Partition] == h.Offset
	})
	return end
}

// exactly asserts that the output holds each of the numbered records once, and
// those of a key in their order.
func (f *fleet) exactly(topic string, n int) {
	f.t.Helper()
	seen, last := map[int]int{}, map[string]int{}
	for _, r := range f.read(topic, n) {
		i, err := strconv.Atoi(string(r.Value))
		require.NoError(f.t, err)
		seen[i]++
		before, ok := last[string(r.Key)]
		require.True(f.t, !ok || before < i, "key %s: %d after %d", r.Key, i, before)
		last[string(r.Key)] = i
	}
	for i := range n {
		require.Equal(f.t, 1, seen[i], "record %d", i)
	}
	require.Len(f.t, seen, n)
}

// position returns the sum of the group's offsets of a topic.
func (f *fleet) position(topic string) (sum int64, partitions int) {
	offsets, err := f.admin().FetchOffsets(context.Background(), "app")
	if errors.Is(err, kerr.GroupIDNotFound) {
		return 0, 0
	}
	require.NoError(f.t, err)
	offsets.Each(func(o kadm.OffsetResponse) {
		if o.Topic == topic && o.At >= 0 {
			sum += o.At
			partitions++
		}
	})
	return sum, partitions
}

// silence makes the broker stop answering requests of a kind, and tells of the first.
func (f *fleet) silence(key kmsg.Key) (asked chan struct{}) {
	asked = make(chan struct{})
	var once sync.Once
	f.cluster.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		once.Do(func() { close(asked) })
		return nil, nil, true
	})
	return asked
}

func (f *fleet) wait(what string, c <-chan struct{}) {
	f.t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		f.t.Fatal("never: ", what)
	}
}

// testLog shows what the workers log if EOSPROC_TEST_LOG is set.
func testLog() *slog.Logger {
	if os.Getenv("EOSPROC_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
