//go:build linux

package faulttest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/internal/kafkatest"
)

// Times of the workers, short so that a takeover takes seconds.
const (
	sessionTimeout     = 3 * time.Second
	transactionTimeout = 2 * time.Second
	partitions         = 4
)

// rig is one application under test: its topics, its input, and those who watch.
type rig struct {
	t         *testing.T
	bootstrap string
	app       string
	topology  string
	guarantee string
	in, out   string
	dlq       string
	binary    string
	extra     map[string]string
	environ   []string
	dir       string
	random    *rand.Rand

	gen       *generator
	reader    *reader
	watcher   *watcher
	processes []*process
}

type rigOption func(*rig)

func withTopology(name string) rigOption  { return func(r *rig) { r.topology = name } }
func withGuarantee(name string) rigOption { return func(r *rig) { r.guarantee = name } }
func withBinary(path string) rigOption    { return func(r *rig) { r.binary = path } }
func withProperty(k, v string) rigOption  { return func(r *rig) { r.extra[k] = v } }
func withEnvironment(kv string) rigOption { return func(r *rig) { r.environ = append(r.environ, kv) } }

func newRig(t *testing.T, bootstrap string, opts ...rigOption) *rig {
	return makeRig(t, bootstrap, true, opts)
}

// newSteadyRig has no transactions in its input: while brokers die, their fate
// could not be told.
func newSteadyRig(t *testing.T, bootstrap string, opts ...rigOption) *rig {
	return makeRig(t, bootstrap, false, opts)
}

func makeRig(t *testing.T, bootstrap string, transactions bool, opts []rigOption) *rig {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("EOSPROC_FAULT_SEED"); text != "" {
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	r := &rig{
		t: t, bootstrap: bootstrap, app: kafkatest.Name("app"), topology: topologyCopy, guarantee: "exactly_once_v2",
		binary: self, extra: map[string]string{}, dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 1)),
	}
	for _, o := range opts {
		o(r)
	}
	r.in, r.out = r.app+"-in", r.app+"-out"
	outputs := []string{r.out}
	if r.topology == topologyDeadLetters {
		r.dlq = r.app + "-dlq"
		outputs = append(outputs, r.dlq)
	}
	for _, topic := range append([]string{r.in}, outputs...) {
		kafkatest.CreateTopic(t, bootstrap, topic, partitions, nil)
		awaitTopic(t, bootstrap, topic)
	}
	r.gen = startGenerator(t, bootstrap, r.in, partitions, transactions)
	r.reader = startReader(t, bootstrap, outputs...)
	r.watcher = startWatcher(t, bootstrap, r.app, r.in, r.gen, r.reader, r.guarantee == "exactly_once_v2")
	t.Logf("application %s, seed %d", r.app, seed)
	return r
}

// awaitTopic waits until every broker knows a topic: a worker asks any of them.
func awaitTopic(t *testing.T, bootstrap, topic string) {
	t.Helper()
	for _, b := range kafkatest.Client(t, bootstrap).SeedBrokers() {
		await(t, patience, "all brokers know "+topic, func() bool {
			req := kmsg.NewPtrMetadataRequest()
			rt := kmsg.NewMetadataRequestTopic()
			rt.Topic = &topic
			req.Topics = append(req.Topics, rt)
			resp, err := b.RetriableRequest(t.Context(), req)
			if err != nil {
				return false
			}
			topics := resp.(*kmsg.MetadataResponse).Topics
			return len(topics) == 1 && topics[0].ErrorCode == 0 && len(topics[0].Partitions) == partitions
		})
	}
}

// start runs a worker process with the state directory of the given instance.
func (r *rig) start(instance string, environment ...string) *process {
	r.t.Helper()
	props := map[string]string{
		"application.id":         r.app,
		"bootstrap.servers":      r.bootstrap,
		"client.id":              r.app + "-" + instance,
		"processing.guarantee":   r.guarantee,
		"state.dir":              filepath.Join(r.dir, instance),
		"session.timeout.ms":     fmt.Sprint(sessionTimeout.Milliseconds()),
		"heartbeat.interval.ms":  "300",
		"transaction.timeout.ms": fmt.Sprint(transactionTimeout.Milliseconds()),
		"max.poll.interval.ms":   "20000",
		"metadata.max.age.ms":    "2000",
	}
	if r.guarantee != "exactly_once_v2" {
		props["commit.interval.ms"] = "100"
	}
	if r.dlq != "" {
		props["processing.exception.handler"] = "dlq"
		props["errors.dead.letter.queue.topic.name"] = r.dlq
	}
	maps.Copy(props, r.extra)
	p := spawn(r.t, instance, r.binary, job{r.topology, r.in, r.out, props}, append(environment, r.environ...)...)
	r.processes = append(r.processes, p)
	return p
}

// failAt makes a process do something at its nth passing of a step.
func failAt(step string, nth int, action string) string {
	return fmt.Sprintf("EOSPROC_FAILPOINT=%s:%d:%s", step, nth, action)
}

// awaitProgress waits until something that is written after the call is committed
// in every partition, with all that was written before.
func (r *rig) awaitProgress(limit time.Duration) {
	r.t.Helper()
	before := r.gen.ends()
	await(r.t, limit, "more input is written", func() bool {
		require.NoError(r.t, r.gen.failure())
		return r.gen.beyond(before)
	})
	r.awaitCommitted(limit)
}

// awaitCommitted waits until everything that has been written by now is committed.
func (r *rig) awaitCommitted(limit time.Duration) {
	r.t.Helper()
	ends := r.gen.ends()
	deadline := time.Now().Add(limit)
	await(r.t, 2*limit, "the committed offsets have been read", func() bool {
		if r.watcher.beyond(ends) {
			return true
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("waited %s until %v is committed; %v is%s%s", limit, ends, r.watcher.offsets(), r.troubles(), r.pending())
		}
		return false
	})
}

// pending tells which transactions hold up offsets or readers, for a test that has failed.
func (r *rig) pending() string {
	var b strings.Builder
	for _, open := range kafkatest.OpenTransactions(r.t, r.bootstrap, "") {
		fmt.Fprintf(&b, "\n\ttransaction %s of producer %d is %s", open.TxnID, open.ProducerID, open.State)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	adm := kadm.NewClient(kafkatest.Client(r.t, r.bootstrap))
	topics, err := adm.ListTopicsWithInternal(ctx, "__consumer_offsets", r.out)
	if err != nil {
		return b.String() + err.Error()
	}
	described, err := adm.DescribeProducers(ctx, topics.TopicsSet())
	if err != nil {
		return b.String() + err.Error()
	}
	described.EachProducer(func(p kadm.DescribedProducer) {
		if p.CurrentTxnStartOffset >= 0 {
			fmt.Fprintf(&b, "\n\tproducer %d epoch %d has a transaction open in %s-%d since offset %d, last written %s", p.ProducerID, p.ProducerEpoch, p.Topic, p.Partition, p.CurrentTxnStartOffset, time.UnixMilli(p.LastTimestamp).Format("15:04:05.000"))
		}
	})
	return b.String()
}

func (r *rig) troubles() string {
	var b strings.Builder
	for _, p := range r.processes {
		b.WriteString(p.troubles())
	}
	return b.String()
}

// finish ends the input, lets the workers reach its end, ends them in order and
// judges all that was seen.
func (r *rig) finish(allowed allowance) verdict {
	r.t.Helper()
	written := r.gen.finish(r.t)
	r.awaitCommitted(patience)
	for _, p := range r.processes {
		if !p.ended() {
			require.Equal(r.t, exitClean, p.terminate(r.t), "%s did not end cleanly%s", p.name, p.troubles())
		}
	}
	return r.judge(written, allowed)
}

func (r *rig) judge(written [][]entry, allowed allowance) verdict {
	r.t.Helper()
	e := &evidence{topology: r.topology, out: r.out, dlq: r.dlq, written: written, allowed: allowed, hanging: r.hanging()}
	for _, topic := range r.outputs() {
		ends := kafkatest.StableOffsets(r.t, r.bootstrap, topic)
		await(r.t, patience, "the reader is at the end of "+topic, func() bool { return r.reader.reached(topic, ends) })
		for _, rec := range kafkatest.ReadAll(r.t, r.bootstrap, topic, kgo.ReadCommitted()) {
			e.final = append(e.final, seen{topic: topic, partition: rec.Partition, offset: rec.Offset, value: string(rec.Value)})
		}
	}
	var err error
	e.live, err = r.reader.snapshot()
	require.NoError(r.t, err)
	r.watcher.stop()
	<-r.watcher.done
	require.Positive(r.t, r.watcher.samples, "the watcher never got an answer")
	e.sampled = r.watcher.faults
	e.committed = kafkatest.CommittedOffsets(r.t, r.bootstrap, r.app)[r.in]
	v := judge(e)
	r.t.Logf("%s; %d samples of offsets", v, r.watcher.samples)
	return v
}

func (r *rig) outputs() []string {
	if r.dlq != "" {
		return []string{r.out, r.dlq}
	}
	return []string{r.out}
}

// hanging finds what is still open after all workers have ended (C11). The
// coordinator gets the time that it needs to abort what a killed worker left.
func (r *rig) hanging() []string {
	r.t.Helper()
	deadline := time.NewTimer(transactionTimeout + 15*time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var found []string
		for _, open := range kafkatest.OpenTransactions(r.t, r.bootstrap, r.app+"-") {
			found = append(found, fmt.Sprintf("C11: transaction %s is %s", open.TxnID, open.State))
		}
		for _, topic := range r.outputs() {
			if stable, end := kafkatest.StableOffsets(r.t, r.bootstrap, topic), kafkatest.EndOffsets(r.t, r.bootstrap, topic); !maps.Equal(stable, end) {
				found = append(found, fmt.Sprintf("C11: %s ends at %v but is stable up to %v only", topic, end, stable))
			}
		}
		if len(found) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return found
		}
	}
}

// requireExact ends the run and requires that nothing was lost, doubled or reordered.
func (r *rig) requireExact() verdict {
	r.t.Helper()
	v := r.finish(allowance{})
	if len(v.faults) > 0 {
		r.t.Fatalf("%s\n%s%s", v, strings.Join(v.faults, "\n"), r.troubles())
	}
	require.Positive(r.t, v.outputs)
	return v
}

// rounds returns how often a case is repeated.
func rounds(t *testing.T, byDefault int) int {
	t.Helper()
	if os.Getenv(roundsEnv) == "" {
		return byDefault
	}
	n, err := strconv.Atoi(os.Getenv(roundsEnv))
	require.NoError(t, err, roundsEnv)
	return n
}

// full reports whether more than what fits into every commit is asked for.
func full() bool { return os.Getenv(roundsEnv) != "" }

const roundsEnv = "EOSPROC_FAULT_ROUNDS"

// spread describes durations: how many, smallest, middle, largest.
func spread(all []time.Duration) string {
	if len(all) == 0 {
		return "none"
	}
	sorted := slices.Sorted(slices.Values(all))
	return fmt.Sprintf("n=%d min=%s median=%s max=%s", len(sorted), sorted[0].Round(time.Millisecond), sorted[len(sorted)/2].Round(time.Millisecond), sorted[len(sorted)-1].Round(time.Millisecond))
}
