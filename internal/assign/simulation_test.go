package assign

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"
)

// simGroup plays a broker and its members through the wire format, without time.
type simGroup struct {
	t          *rapid.T
	groups     Groups
	counts     map[string]int32
	generation int32
	members    []*simMember // in the group
	frozen     []*simMember // out of it, without knowing
	born       int
}

// simMember holds and claims as a client does: what it holds is what it was last
// told, and its generation is that of the last join that was answered.
type simMember struct {
	id         string
	balancer   kgo.GroupBalancer
	holds      map[string][]int32
	generation int32
}

func newSimGroup(t *rapid.T) *simGroup {
	g := &simGroup{t: t, counts: map[string]int32{}}
	for i := range rapid.IntRange(1, 4).Draw(t, "groups") {
		var group Group
		for j := range rapid.IntRange(1, 3).Draw(t, "topics") {
			topic := fmt.Sprintf("t%d.%d", i, j)
			group.Topics = append(group.Topics, topic)
			g.counts[topic] = rapid.Int32Range(1, 6).Draw(t, "partitions")
		}
		g.groups = append(g.groups, group)
	}
	return g
}

func (g *simGroup) join() {
	g.born++
	process := rapid.SampledFrom([]string{"", "p", "q", "r"}).Draw(g.t, "process")
	g.members = append(g.members, &simMember{
		id:         fmt.Sprintf("%s-%d", rapid.SampledFrom([]string{"a", "b", "c"}).Draw(g.t, "prefix"), g.born),
		balancer:   New(Config{Groups: g.groups, Process: process, Log: slog.New(slog.DiscardHandler)}),
		generation: -1,
	})
}

func (g *simGroup) take(from *[]*simMember) *simMember {
	if len(*from) == 0 {
		g.t.Skip("no member")
	}
	at := rapid.IntRange(0, len(*from)-1).Draw(g.t, "who")
	m := (*from)[at]
	*from = slices.Delete(*from, at, at+1)
	return m
}

// rebalance is one generation. Members in missing do not hear what came of it.
// It returns whether someone gave something up, which asks for another one.
func (g *simGroup) rebalance(missing map[string]bool) (again bool) {
	if len(g.members) == 0 {
		return false
	}
	g.generation++
	topics := slices.Sorted(maps.Keys(g.counts))
	var joined []kmsg.JoinGroupResponseMember
	for _, m := range g.members {
		j := kmsg.NewJoinGroupResponseMember()
		j.MemberID = m.id
		j.ProtocolMetadata = m.balancer.JoinGroupMetadata(slices.Clone(topics), copied(m.holds), m.generation)
		joined = append(joined, j)
	}
	leader := rapid.SampledFrom(g.members).Draw(g.t, "leader")
	mb, _, err := leader.balancer.MemberBalancer(joined)
	require.NoError(g.t, err)
	into, err := mb.(kgo.GroupMemberBalancerOrError).BalanceOrError(g.counts)
	require.NoError(g.t, err)
	told := map[string]map[string][]int32{}
	byID := map[string]*simMember{}
	for _, m := range g.members {
		byID[m.id] = m
	}
	for _, a := range into.IntoSyncAssignment() {
		told[a.MemberID], err = byID[a.MemberID].balancer.ParseSyncAssignment(a.MemberAssignment)
		require.NoError(g.t, err)
	}
	g.check(told)
	g.checkWhole(told)
	for _, m := range g.members {
		m.generation = g.generation
		if missing[m.id] {
			again = true
			continue
		}
		for p := range partitions(m.holds) {
			again = again || !slices.Contains(told[m.id][p.topic], p.n)
		}
		m.holds = told[m.id]
	}
	return again
}

func copied(m map[string][]int32) map[string][]int32 {
	out := map[string][]int32{}
	for t, l := range m {
		out[t] = slices.Clone(l)
	}
	return out
}

// check that nothing is handed to a member while another one may be at work on it.
func (g *simGroup) check(told map[string]map[string][]int32) {
	handed := map[partition]string{}
	for id, list := range told {
		for p := range partitions(list) {
			require.NotContains(g.t, handed, p, "handed to two")
			handed[p] = id
		}
	}
	for p, id := range handed {
		var mine *simMember
		for _, m := range g.members {
			if m.id == id && slices.Contains(m.holds[p.topic], p.n) {
				mine = m
			}
		}
		for _, m := range g.members {
			if m.id != id && slices.Contains(m.holds[p.topic], p.n) {
				require.NotNil(g.t, mine, "%v handed to %s while %s holds it", p, id, m.id)
				require.GreaterOrEqual(g.t, mine.generation, m.generation, "%v left with the zombie %s", p, id)
			}
		}
	}
}

// checkWhole checks that nobody keeps a part of a task.
func (g *simGroup) checkWhole(told map[string]map[string][]int32) {
	for _, task := range Tasks(g.groups, nil, g.counts) {
		for _, m := range g.members {
			had, kept := 0, 0
			for _, topic := range task.Inputs {
				if slices.Contains(m.holds[topic], task.Partition) {
					had++
					if slices.Contains(told[m.id][topic], task.Partition) {
						kept++
					}
				}
			}
			require.Contains(g.t, []int{0, had}, kept, "%s loses a part of %v", m.id, task)
		}
	}
}

// settle rebalances until no one asks for more, and checks what came of it.
func (g *simGroup) settle() {
	if len(g.members) == 0 {
		return
	}
	rounds := 1
	for ; g.rebalance(nil); rounds++ {
		require.Less(g.t, rounds, 5, "does not come to an end")
	}
	at := map[partition]string{}
	load := map[string][]Task{}
	for _, m := range g.members {
		load[m.id] = nil
		for p := range partitions(m.holds) {
			require.NotContains(g.t, at, p)
			at[p] = m.id
		}
	}
	for _, task := range Tasks(g.groups, nil, g.counts) {
		owner, ok := at[partition{task.Inputs[0], task.Partition}]
		require.True(g.t, ok, "%v is not assigned", task)
		for _, topic := range task.Inputs {
			require.Equal(g.t, owner, at[partition{topic, task.Partition}], "%v is torn", task)
			delete(at, partition{topic, task.Partition})
		}
		load[owner] = append(load[owner], task)
	}
	require.Empty(g.t, at, "what does not exist is assigned")
	require.LessOrEqual(g.t, spread(load), 1)
}

func TestGroupSimulation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := newSimGroup(t)
		g.join()
		t.Repeat(map[string]func(*rapid.T){
			"join":   func(*rapid.T) { g.join(); g.settle() },
			"leave":  func(*rapid.T) { g.take(&g.members); g.settle() },
			"settle": func(*rapid.T) { g.settle() },
			"one round": func(t *rapid.T) {
				missing := map[string]bool{}
				for _, m := range g.members {
					missing[m.id] = rapid.Bool().Draw(t, "missing")
				}
				g.rebalance(missing)
			},
			"freeze": func(*rapid.T) { g.frozen = append(g.frozen, g.take(&g.members)) },
			"wake up and know": func(*rapid.T) {
				m := g.take(&g.frozen)
				m.holds, m.generation = nil, -1
				g.members = append(g.members, m)
				g.settle()
			},
			"wake up and not know": func(*rapid.T) {
				g.members = append(g.members, g.take(&g.frozen))
				g.settle()
			},
			"more partitions": func(t *rapid.T) {
				g.counts[rapid.SampledFrom(slices.Sorted(maps.Keys(g.counts))).Draw(t, "topic")]++
				g.settle()
			},
		})
	})
}
