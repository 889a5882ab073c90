package txn_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/txn"
)

const patience = 20 * time.Second

// rig is a fake cluster, a real member of the group "app" and a session. The
// input "in" is never read: its offsets stand for work done.
type rig struct {
	t        *testing.T
	cluster  *kfake.Cluster
	addrs    []string
	member   *kgo.Client
	version  int
	timeout  time.Duration
	mode     txn.Mode
	slots    int
	retries  int
	delivery time.Duration

	session *txn.Session
	wire    *wire
}

// wire notes the requests in their order.
type wire struct {
	mu  sync.Mutex
	log []kmsg.Request
}

func (w *wire) see(r kmsg.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, r)
}

func (w *wire) requests(keys ...kmsg.Key) (out []kmsg.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.log {
		if slices.Contains(keys, kmsg.Key(r.Key())) {
			out = append(out, r)
		}
	}
	return out
}

func (w *wire) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = nil
}

type rigOption func(*rig)

func version(v int) rigOption           { return func(r *rig) { r.version = v } }
func timeout(d time.Duration) rigOption { return func(r *rig) { r.timeout = d } }
func mode(m txn.Mode) rigOption         { return func(r *rig) { r.mode = m } }

func newRig(t *testing.T, opts ...rigOption) *rig {
	r := &rig{t: t, version: 2, timeout: 10 * time.Second, slots: 2, wire: &wire{}}
	for _, o := range opts {
		o(r)
	}
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "in", "out"))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	r.cluster, r.addrs = c, c.ListenAddrs()
	c.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		r.wire.see(req)
		return nil, nil, false
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if r.version < 2 {
		admin := r.client()
		req := kmsg.NewPtrUpdateFeaturesRequest()
		up := kmsg.NewUpdateFeaturesRequestFeatureUpdate()
		up.Feature, up.MaxVersionLevel, up.UpgradeType = "transaction.version", int16(r.version), 2
		req.FeatureUpdates = append(req.FeatureUpdates, up)
		resp, err := req.RequestWith(ctx, admin)
		require.NoError(t, err)
		require.Zero(t, resp.ErrorCode)
	}
	joined := make(chan struct{})
	r.member, err = kgo.NewClient(kgo.SeedBrokers(r.addrs...), kgo.ConsumerGroup("app"), kgo.ConsumeTopics("in"), kgo.DisableAutoCommit(),
		kgo.MaxVersions(txn.Versions()), kgo.OnPartitionsAssigned(func(context.Context, *kgo.Client, map[string][]int32) { close(joined) }))
	require.NoError(t, err)
	t.Cleanup(r.member.Close)
	select {
	case <-joined:
	case <-ctx.Done():
		t.Fatal("did not join")
	}
	r.begin()
	return r
}

func (r *rig) client(opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(r.addrs...))...)
	require.NoError(r.t, err)
	r.t.Cleanup(cl.Close)
	return cl
}

func (r *rig) token() fencing.Token {
	id, generation := r.member.GroupMetadata()
	return fencing.Token{Group: "app", MemberID: id, Generation: generation}
}

func (r *rig) config() txn.Config {
	ids := make([]fencing.TransactionalID, r.slots)
	for i := range ids {
		ids[i] = fencing.TransactionalID(fmt.Sprintf("app-i-1-%d", i))
	}
	return txn.Config{
		Mode: r.mode, IDs: ids, Timeout: r.timeout, DeliveryTimeout: r.delivery, Membership: r.token,
		Client: func() []kgo.Opt {
			opts := []kgo.Opt{kgo.SeedBrokers(r.addrs...), kgo.MaxBufferedRecords(20_000), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0), kgo.MetadataMinAge(10 * time.Millisecond), kgo.RetryBackoffFn(func(int) time.Duration { return 5 * time.Millisecond })}
			if r.retries > 0 {
				opts = append(opts, kgo.RequestRetries(r.retries))
			}
			return opts
		},
	}
}

// begin makes and initialises a session.
func (r *rig) begin() {
	r.session = txn.New(r.config())
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	require.NoError(r.t, r.session.Init(ctx))
	s := r.session
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Close(ctx) // what a case has broken may well fail here
	})
}

// produce adds output to the open transaction.
func (r *rig) produce(values ...string) {
	for _, v := range values {
		require.NoError(r.t, r.session.Produce(&kgo.Record{Topic: "out", Value: []byte(v)}))
	}
}

// seal seals what is open, with the offset of all input that it covers.
func (r *rig) seal(next int64) {
	require.NoError(r.t, r.session.Seal(txn.Sealed{Offsets: []txn.Offset{{Topic: "in", Next: next, LeaderEpoch: -1, StreamTime: 1000 + next}}, Token: r.token(), Payload: next}))
}

// settle takes answers until the cycle rests, and returns what they amount to.
func (r *rig) settle() (all txn.Outcome) {
	deadline := time.After(patience)
	for !r.session.State().Idle() {
		if r.session.State().CanSeal() && all.Stop == nil {
			return all
		}
		select {
		case a := <-r.session.Answers():
			out := r.session.Take(a)
			if out.Committed != nil {
				all.Committed = out.Committed
			}
			if out.Rewind {
				all.Rewind, all.Cause = true, out.Cause
			}
			if out.Stop != nil {
				all.Stop = out.Stop
				return all
			}
		case <-deadline:
			r.t.Fatalf("the cycle stays in %s", r.session.State())
		}
	}
	return all
}

// committed returns the group's offset of the input: 0 if there is none.
func (r *rig) committed() int64 {
	adm := kadm.NewClient(r.client())
	offsets, err := adm.FetchOffsets(r.t.Context(), "app")
	require.NoError(r.t, err)
	o, ok := offsets.Lookup("in", 0)
	if !ok || o.At < 0 {
		return 0
	}
	return o.At
}

// visible returns what a reader of committed records gets, up to the last
// stable offset, which must be the end: nothing may be left open.
func (r *rig) visible() []string {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	adm := kadm.NewClient(r.client())
	var end int64
	require.Eventually(r.t, func() bool {
		stable, err := adm.ListCommittedOffsets(ctx, "out")
		require.NoError(r.t, err)
		high, err := adm.ListEndOffsets(ctx, "out")
		require.NoError(r.t, err)
		s, _ := stable.Lookup("out", 0)
		h, _ := high.Lookup("out", 0)
		end = h.Offset
		return s.Offset == h.Offset
	}, patience, 5*time.Millisecond, "a transaction stays open")
	var out []string
	if end == 0 {
		return out
	}
	cl := r.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"out": {0: kgo.NewOffset().AtStart()}}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	for last := int64(-1); last < end-1; {
		f := cl.PollFetches(ctx)
		require.NoError(r.t, f.Err())
		f.EachRecord(func(rec *kgo.Record) {
			last = rec.Offset
			if !rec.Attrs.IsControl() {
				out = append(out, string(rec.Value))
			}
		})
	}
	return out
}
