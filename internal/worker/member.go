package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/fencing"
	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/topology"
	"github.com/eosproc/eosproc/txn"
)

// member is the worker's membership in the consumer group, and its fetches.
//
// The client calls back on its own goroutine when the assignment changes. Each
// callback becomes an event for the loop and waits until the loop has dealt with
// it (R11). The client asks for a further generation, in which what it gave up
// may belong to another member, only when the callback has returned; so a token
// read by the loop is never newer than the loop's own idea of what it owns.
type member struct {
	group     string
	instance  string
	client    *kgo.Client
	admin     *kadm.Client
	events    chan groupEvent
	closing   chan struct{}
	resets    func(topic string) topology.Reset
	byDefault settings.OffsetReset
	log       *slog.Logger

	cut context.CancelFunc // ends the client's requests

	starts map[string]map[int32]int64 // of the offset fetch under way
}

type eventKind uint8

const (
	assigned eventKind = iota
	positioned
	revoked
	lost
)

type groupEvent struct {
	kind       eventKind
	partitions map[string][]int32
	positions  []position
	done       chan struct{}
}

// position is where a partition is to be read from.
type position struct {
	txn.Committed
	end    int64 // last stable offset; -1 if endErr says why it is unknown
	endErr error
}

func newMember(cfg *Config, inputs *inputs) (*member, error) {
	s := &cfg.Settings
	m := &member{
		group: s.ApplicationID, instance: s.Group.MemberID(cfg.Index), log: cfg.Log,
		events: make(chan groupEvent), closing: make(chan struct{}),
		resets: inputs.reset, byDefault: s.Consumer.OffsetReset,
		starts: map[string]map[int32]int64{},
	}
	ctx, cut := context.WithCancel(context.Background())
	m.cut = cut
	opts := append(slices.Clone(cfg.Client),
		kgo.WithContext(ctx),
		kgo.MaxVersions(txn.Versions()),
		kgo.RetryTimeoutFn(retryTimeout(s.Group.SessionTimeout)),
		kgo.ConsumerGroup(m.group),
		kgo.DisableAutoCommit(),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.KeepControlRecords(),
		kgo.WithPools(fetchedRecords),
		kgo.SessionTimeout(s.Group.SessionTimeout),
		kgo.HeartbeatInterval(s.Group.HeartbeatInterval),
		kgo.RebalanceTimeout(s.Group.RebalanceTimeout),
		kgo.FetchMinBytes(int32(s.Consumer.MinBytes)),
		kgo.FetchMaxWait(s.Consumer.MaxWait),
		kgo.FetchMaxBytes(int32(s.Consumer.MaxBytes)),
		kgo.FetchMaxPartitionBytes(int32(s.Consumer.MaxPartitionBytes)),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, p map[string][]int32) {
			m.post(groupEvent{kind: assigned, partitions: p})
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, p map[string][]int32) {
			m.post(groupEvent{kind: revoked, partitions: p})
		}),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, p map[string][]int32) {
			m.post(groupEvent{kind: lost, partitions: p})
		}),
		kgo.OnOffsetsFetched(func(ctx context.Context, _ *kgo.Client, r *kmsg.OffsetFetchResponse) error { return m.fetched(ctx, r) }),
		kgo.AdjustFetchOffsetsFn(func(_ context.Context, o map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
			return m.adjusted(o), nil
		}),
	)
	if s.Consumer.Isolation == settings.ReadCommitted {
		opts = append(opts, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	}
	if m.instance != "" {
		opts = append(opts, kgo.InstanceID(m.instance))
	}
	if s.Group.Protocol == settings.GroupConsumer {
		opts = append(opts, kgo.ServerSideBalancer(), kgo.Balancers(kgo.RangeBalancer()))
	} else {
		opts = append(opts, kgo.Balancers(inputs.balancer(cfg.InstanceID, cfg.Log)))
	}
	if inputs.pattern != "" {
		opts = append(opts, kgo.ConsumeRegex(), kgo.ConsumeTopics(inputs.pattern))
	} else {
		opts = append(opts, kgo.ConsumeTopics(inputs.topics...))
	}
	if gap := pace(s); gap > 0 && cfg.Dial != nil {
		opts = append(opts, paced(cfg.Dial, gap))
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		cut()
		return nil, fmt.Errorf("make consumer: %w", err)
	}
	m.client, m.admin = client, kadm.NewClient(client)
	return m, nil
}

// retryTimeout is kgo's default but for OffsetCommit, which commits start positions
// here: were it sent twice, the first copy could arrive when much more is committed. An
// error makes the client join again, and that first copy is refused.
func retryTimeout(session time.Duration) func(key int16) time.Duration {
	return func(key int16) time.Duration {
		switch kmsg.Key(key) {
		case kmsg.OffsetCommit:
			return time.Millisecond
		case kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.ConsumerGroupHeartbeat:
			return session
		default:
			return 30 * time.Second
		}
	}
}

// token proves the membership as it is now.
func (m *member) token() fencing.Token {
	id, generation := m.client.GroupMetadata()
	return fencing.Token{Group: m.group, MemberID: id, InstanceID: m.instance, Generation: generation}
}

// post hands an event to the loop and waits until it is dealt with.
func (m *member) post(e groupEvent) {
	e.done = make(chan struct{})
	select {
	case m.events <- e:
	case <-m.closing:
		return
	}
	select {
	case <-e.done:
	case <-m.closing:
	}
}

// fetched completes the committed offsets that the client has read: partitions
// without one get their start position, which is committed before any record is read (R12).
func (m *member) fetched(ctx context.Context, resp *kmsg.OffsetFetchResponse) error {
	var found []position
	var missing []txn.Offset
	m.starts = map[string]map[int32]int64{}
	list := kadm.TopicsSet{}
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if p.ErrorCode != 0 {
					continue // the client reports it as a fetch error
				}
				list.Add(t.Topic, p.Partition)
				c := txn.Committed{Topic: t.Topic, Partition: p.Partition, Next: p.Offset, LeaderEpoch: p.LeaderEpoch, Stamp: txn.Stamp{StreamTime: -1}}
				if p.Metadata != nil {
					c.Stamp, _ = txn.DecodeStamp(*p.Metadata)
				}
				found = append(found, position{Committed: c, end: -1})
			}
		}
	}
	ends, err := m.admin.ListCommittedOffsets(ctx, list.Topics()...)
	if err != nil {
		return fmt.Errorf("list last stable offsets: %w", err)
	}
	for i := range found {
		p := &found[i]
		end, ok := ends.Lookup(p.Topic, p.Partition)
		if p.endErr = end.Err; !ok {
			p.endErr = kerr.UnknownTopicOrPartition
		}
		if p.endErr == nil {
			p.end = end.Offset
		}
		if p.Next >= 0 {
			continue
		}
		if p.Next, err = m.start(ctx, p); err != nil {
			return err
		}
		if m.starts[p.Topic] == nil {
			m.starts[p.Topic] = map[int32]int64{}
		}
		m.starts[p.Topic][p.Partition] = p.Next
		missing = append(missing, txn.Offset{Topic: p.Topic, Partition: p.Partition, Next: p.Next, LeaderEpoch: -1, StreamTime: -1})
	}
	if len(missing) > 0 {
		if err := txn.CommitOffsets(ctx, m.client, m.token(), missing, txn.Stamp{}); err != nil {
			return fmt.Errorf("commit start positions: %w", err)
		}
	}
	m.post(groupEvent{kind: positioned, positions: found})
	return nil
}

// start resolves where to begin without a committed offset.
func (m *member) start(ctx context.Context, p *position) (int64, error) {
	policy := m.resets(p.Topic)
	if policy == topology.ResetDefault {
		policy = map[settings.OffsetReset]topology.Reset{
			settings.ResetEarliest: topology.ResetEarliest, settings.ResetLatest: topology.ResetLatest, settings.ResetNone: topology.ResetNone,
		}[m.byDefault]
	}
	switch policy {
	case topology.ResetNone:
		return 0, fmt.Errorf("%w: topic %s partition %d", ErrNoOffset, p.Topic, p.Partition)
	case topology.ResetLatest:
		if p.endErr != nil {
			return 0, fmt.Errorf("list last stable offset of %s-%d: %w", p.Topic, p.Partition, p.endErr)
		}
		return p.end, nil
	}
	starts, err := m.admin.ListStartOffsets(ctx, p.Topic)
	if err != nil {
		return 0, fmt.Errorf("list start offsets of %s: %w", p.Topic, err)
	}
	start, ok := starts.Lookup(p.Topic, p.Partition)
	if !ok || start.Err != nil {
		return 0, fmt.Errorf("list start offset of %s-%d: %w", p.Topic, p.Partition, errors.Join(start.Err, kerr.UnknownTopicOrPartition))
	}
	return start.Offset, nil
}

func (m *member) adjusted(offsets map[string]map[int32]kgo.Offset) map[string]map[int32]kgo.Offset {
	for topic, partitions := range m.starts {
		for p, at := range partitions {
			if _, ok := offsets[topic][p]; ok {
				offsets[topic][p] = kgo.NewOffset().At(at)
			}
		}
	}
	return offsets
}

// seek sets fetching back to the given positions.
func (m *member) seek(to []txn.Committed) {
	offsets := map[string]map[int32]kgo.EpochOffset{}
	for _, c := range to {
		if offsets[c.Topic] == nil {
			offsets[c.Topic] = map[int32]kgo.EpochOffset{}
		}
		offsets[c.Topic][c.Partition] = kgo.EpochOffset{Epoch: c.LeaderEpoch, Offset: c.Next}
	}
	m.client.SetOffsets(offsets)
}

// leave ends the membership. Callbacks that come after it return at once. When
// abort ends, a coordinator that does not answer is given leavePatience and no more.
func (m *member) leave(abort context.Context) {
	close(m.closing)
	defer context.AfterFunc(abort, func() { time.AfterFunc(leavePatience, m.cut) })()
	m.client.Close()
	m.cut()
}

const leavePatience = 300 * time.Millisecond

// dismiss takes a dead predecessor out of the group, so that its partitions need
// not wait for its session to time out. The lock of the state directory proves
// that it is dead; without that proof this must not be called.
func dismiss(ctx context.Context, client *kgo.Client, group, memberID string, protocol settings.GroupProtocol) error {
	if protocol == settings.GroupConsumer {
		return dismissConsumer(ctx, client, group, memberID)
	}
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group, req.MemberID = group, memberID
	gone := kmsg.NewLeaveGroupRequestMember()
	gone.MemberID = memberID
	req.Members = append(req.Members, gone)
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return fmt.Errorf("take predecessor out of the group: %w", err)
	}
	err = kerr.ErrorForCode(resp.ErrorCode)
	for _, m := range resp.Members {
		err = errors.Join(err, kerr.ErrorForCode(m.ErrorCode))
	}
	if errors.Is(err, kerr.UnknownMemberID) {
		return nil
	}
	return err
}

func dismissConsumer(ctx context.Context, client *kgo.Client, group, memberID string) error {
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch = group, memberID, -1
	resp, err := req.RequestWith(ctx, client)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if errors.Is(err, kerr.UnknownMemberID) {
		return nil
	}
	return err
}

func topicPartitions(m map[string][]int32) []string {
	var out []string
	for _, t := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s%v", t, m[t]))
	}
	return out
}
