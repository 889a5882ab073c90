package assign_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/internal/assign"
	"github.com/eosproc/eosproc/internal/kafkatest"
)

const settleLimit = 30 * time.Second

type input struct {
	topic string
	n     int32
}

// register follows who owns what, from the clients' callbacks: those return
// before the group hears of what they are about.
type register struct {
	mu       sync.Mutex
	owner    map[input]string
	problems []string
	moves    int
}

func (r *register) assigned(member string, partitions map[string][]int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for topic, list := range partitions {
		for _, n := range list {
			if was, owned := r.owner[input{topic, n}]; owned {
				r.problems = append(r.problems, fmt.Sprintf("%s-%d given to %s while %s owns it", topic, n, member, was))
			}
			r.owner[input{topic, n}] = member
			r.moves++
		}
	}
}

func (r *register) revoked(member string, partitions map[string][]int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for topic, list := range partitions {
		for _, n := range list {
			if was := r.owner[input{topic, n}]; was != member {
				r.problems = append(r.problems, fmt.Sprintf("%s-%d taken from %s while %q owns it", topic, n, member, was))
				continue
			}
			delete(r.owner, input{topic, n})
		}
	}
}

// snapshot is the owner of each partition, and how many partitions were handed out so far.
func (r *register) snapshot() (owner map[input]string, moves int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.owner), r.moves
}

type testGroup struct {
	t       *testing.T
	seeds   []string
	id      string
	groups  assign.Groups
	topics  []string
	options []kgo.Opt
	register
}

func newTestGroup(t *testing.T, topics ...string) *testGroup {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(0), kfake.SeedTopics(6, topics...))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return &testGroup{t: t, seeds: cluster.ListenAddrs(), id: "app", register: register{owner: map[input]string{}}}
}

func (g *testGroup) join(name string) *kgo.Client {
	g.t.Helper()
	opts := append([]kgo.Opt{
		kgo.SeedBrokers(g.seeds...),
		kgo.ConsumerGroup(g.id),
		kgo.Balancers(assign.New(assign.Config{Groups: g.groups, Process: name, Log: slog.New(slog.DiscardHandler)})),
		kgo.DisableAutoCommit(),
		kgo.HeartbeatInterval(50 * time.Millisecond),
		kgo.MetadataMinAge(50 * time.Millisecond),
		kgo.MetadataMaxAge(250 * time.Millisecond),
		kgo.ConsumeTopics(g.topics...),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, p map[string][]int32) { g.assigned(name, p) }),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, p map[string][]int32) { g.revoked(name, p) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, p map[string][]int32) { g.revoked(name, p) }),
	}, g.options...)
	cl, err := kgo.NewClient(opts...)
	require.NoError(g.t, err)
	g.t.Cleanup(cl.Close)
	return cl
}

// settles waits until all tasks of topics are assigned, whole and evenly, to the
// members, and returns who has them.
func (g *testGroup) settles(tasks int, topics []string, members ...string) map[int32]string {
	g.t.Helper()
	var of map[int32]string
	why := ""
	if !poll(func() bool { of, why = g.even(tasks, topics, members); return why == "" }) {
		g.t.Fatalf("the group did not settle: %s", why)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	require.Empty(g.t, g.problems)
	return of
}

func poll(done func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(settleLimit)
	for {
		select {
		case <-tick.C:
			if done() {
				return true
			}
		case <-limit:
			return false
		}
	}
}

func (g *testGroup) even(tasks int, topics, members []string) (of map[int32]string, why string) {
	owner, _ := g.snapshot()
	if len(owner) != tasks*len(topics) {
		return nil, fmt.Sprintf("%d partitions are assigned, want %d", len(owner), tasks*len(topics))
	}
	of = map[int32]string{}
	load := map[string]int{}
	for p := range int32(tasks) {
		of[p] = owner[input{topics[0], p}]
		load[of[p]]++
		for _, topic := range topics {
			if owner[input{topic, p}] != of[p] {
				return nil, fmt.Sprintf("task %d is torn: %v", p, owner)
			}
		}
	}
	for _, m := range members {
		if low := tasks / len(members); load[m] < low || load[m] > low+1 {
			return nil, fmt.Sprintf("not even over %v: %v", members, load)
		}
	}
	return of, ""
}

func changed(before, after map[int32]string) (n int) {
	for p, m := range after {
		if before[p] != m {
			n++
		}
	}
	return n
}

func TestMain(m *testing.M) { os.Exit(kafkatest.Main(m)) }

func TestGroupJoinsLeavesRejoins(t *testing.T) {
	t.Run("fake", func(t *testing.T) { joinsLeavesRejoins(t, newTestGroup(t, "a", "b"), "a", "b") })
	t.Run("Kafka", func(t *testing.T) {
		bootstrap := kafkatest.Shared(t).Bootstrap()
		a, b := kafkatest.Name("a"), kafkatest.Name("b")
		kafkatest.CreateTopic(t, bootstrap, a, 6, nil)
		kafkatest.CreateTopic(t, bootstrap, b, 6, nil)
		g := &testGroup{t: t, seeds: strings.Split(bootstrap, ","), id: kafkatest.Name("app"), register: register{owner: map[input]string{}}}
		joinsLeavesRejoins(t, g, a, b)
	})
}

func joinsLeavesRejoins(t *testing.T, g *testGroup, topics ...string) {
	g.groups, g.topics = assign.Groups{{Topics: topics}}, topics

	x := g.join("x")
	alone := g.settles(6, g.topics, "x")
	y := g.join("y")
	two := g.settles(6, g.topics, "x", "y")
	require.Equal(t, 3, changed(alone, two))
	g.join("z")
	three := g.settles(6, g.topics, "x", "y", "z")
	require.Equal(t, 2, changed(two, three))

	y.Close()
	without := g.settles(6, g.topics, "x", "z")
	require.Equal(t, 2, changed(three, without), "only what y had moves")
	g.join("y2")
	again := g.settles(6, g.topics, "x", "y2", "z")
	require.Equal(t, 2, changed(without, again))

	x.Close() // the leader
	g.settles(6, g.topics, "y2", "z")
}

// A rebalance without a cause moves nothing.
func TestForcedRebalanceMovesNothing(t *testing.T) {
	g := newTestGroup(t, "a", "b")
	g.groups, g.topics = assign.Groups{{Topics: []string{"a", "b"}}}, []string{"a", "b"}
	x, y := g.join("x"), g.join("y")
	before := g.settles(6, g.topics, "x", "y")
	_, moves := g.snapshot()
	for _, cl := range []*kgo.Client{x, y, x} {
		_, generation := cl.GroupMetadata()
		cl.ForceRebalance()
		require.Eventually(t, func() bool {
			_, gx := x.GroupMetadata()
			_, gy := y.GroupMetadata()
			return gx > generation && gy > generation
		}, settleLimit, 5*time.Millisecond)
	}
	require.Equal(t, before, g.settles(6, g.topics, "x", "y"))
	_, after := g.snapshot()
	require.Equal(t, moves, after)
}

// All start at once; one is thrown out, finds out, and comes back for its tasks.
// What it had may be given away before it knows, which only its generation guards
// against, so its ownership is not followed here but read off at the end.
func TestThrownOutMemberGetsItsTasksBack(t *testing.T) {
	g := newTestGroup(t, "a", "b")
	g.groups, g.topics = assign.Groups{{Topics: []string{"a", "b"}}}, []string{"a", "b"}
	g.join("x")
	y := g.join("y")
	g.join("z")
	before := g.settles(6, g.topics, "x", "y", "z")

	id, _ := y.GroupMetadata()
	cl, err := kgo.NewClient(kgo.SeedBrokers(g.seeds...))
	require.NoError(t, err)
	defer cl.Close()
	req := kmsg.NewPtrLeaveGroupRequest()
	gone := kmsg.NewLeaveGroupRequestMember()
	gone.MemberID = id
	req.Group, req.Members = "app", append(req.Members, gone)
	resp, err := req.RequestWith(t.Context(), cl)
	require.NoError(t, err)
	require.NoError(t, kerr.ErrorForCode(resp.ErrorCode))

	require.Eventually(t, func() bool { now, _ := y.GroupMetadata(); return now != id && now != "" }, settleLimit, 5*time.Millisecond)
	require.True(t, poll(func() bool {
		after, why := g.even(6, g.topics, []string{"x", "y", "z"})
		return why == "" && maps.Equal(before, after)
	}))
}

// New topics that match a pattern are found by the members one after the other.
func TestGroupPattern(t *testing.T) {
	g := newTestGroup(t, "a.x")
	pattern := regexp.MustCompile(`^a\.`)
	g.groups, g.topics = assign.Groups{{Patterns: []*regexp.Regexp{pattern}}}, []string{pattern.String()}
	g.options = []kgo.Opt{kgo.ConsumeRegex()}
	for _, m := range []string{"x", "y", "z"} {
		g.join(m)
	}
	before := g.settles(6, []string{"a.x"}, "x", "y", "z")

	cl, err := kgo.NewClient(kgo.SeedBrokers(g.seeds...))
	require.NoError(t, err)
	defer cl.Close()
	_, err = kadm.NewClient(cl).CreateTopic(t.Context(), 6, 1, nil, "a.y")
	require.NoError(t, err)
	after := g.settles(6, []string{"a.x", "a.y"}, "x", "y", "z")
	require.Equal(t, before, after, "the new topic's partitions go where their tasks are")
}

// A rolling upgrade by which a topic joins another one.
func TestGroupUpgrade(t *testing.T) {
	g := newTestGroup(t, "a", "b")
	g.groups, g.topics = assign.Groups{{Topics: []string{"a"}}}, []string{"a"}
	olds := []*kgo.Client{g.join("x"), g.join("y")}
	g.settles(6, []string{"a"}, "x", "y")

	g.groups, g.topics = assign.Groups{{Topics: []string{"a", "b"}}}, []string{"a", "b"}
	olds[0].Close()
	g.join("x2")
	require.True(t, poll(func() bool {
		owner, _ := g.snapshot()
		n := 0
		for in, m := range owner {
			if in.topic == "b" {
				if m != "x2" || owner[input{"a", in.n}] != "x2" {
					return false
				}
				n++
			}
		}
		return n == 3 && len(owner) == 9
	}), "b is read where a is")
	olds[1].Close()
	g.join("y2")
	g.settles(6, []string{"a", "b"}, "x2", "y2")
}

// A client with another balancer is told so.
func TestOtherProtocolCannotJoin(t *testing.T) {
	g := newTestGroup(t, "a")
	g.groups, g.topics = assign.Groups{{Topics: []string{"a"}}}, []string{"a"}
	g.join("x")
	g.settles(6, g.topics, "x")
	other, err := kgo.NewClient(kgo.SeedBrokers(g.seeds...), kgo.ConsumerGroup("app"), kgo.ConsumeTopics("a"), kgo.Balancers(kgo.CooperativeStickyBalancer()))
	require.NoError(t, err)
	defer other.Close()
	ctx, cancel := context.WithTimeout(t.Context(), settleLimit)
	defer cancel()
	var session *kgo.ErrGroupSession
	require.ErrorAs(t, other.PollFetches(ctx).Err(), &session)
	require.ErrorIs(t, session, kerr.InconsistentGroupProtocol)
	require.Equal(t, []string{"x"}, slices.Compact(slices.Sorted(maps.Values(g.settles(6, g.topics, "x")))))
}
