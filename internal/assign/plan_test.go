package assign

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// app is a topology: sub-topology g reads the topics a<g> and b<g>.
func app(partitions ...int32) (Groups, map[string]int32) {
	var gs Groups
	counts := map[string]int32{}
	for g, n := range partitions {
		a, b := fmt.Sprintf("a%d", g), fmt.Sprintf("b%d", g)
		gs = append(gs, Group{Topics: []string{a, b}})
		counts[a], counts[b] = n, n
	}
	return gs, counts
}

func subscribed(topics []string, processes ...string) []Member {
	var out []Member
	for i, p := range processes {
		out = append(out, Member{ID: fmt.Sprintf("m%02d", i), Process: p, Topics: topics})
	}
	return out
}

// settled returns the members as they are once they have what the plan gave them.
func settled(members []Member, plan map[string][]Task, generation int32) []Member {
	out := slices.Clone(members)
	for i := range out {
		out[i].Owned, out[i].Generation = map[string][]int32{}, generation
		for _, t := range plan[out[i].ID] {
			for _, topic := range t.Inputs {
				out[i].Owned[topic] = append(out[i].Owned[topic], t.Partition)
			}
		}
	}
	return out
}

type key struct {
	group     int
	partition int32
}

func owners(plan map[string][]Task) map[key]string {
	out := map[key]string{}
	for id, list := range plan {
		for _, t := range list {
			out[key{t.Group, t.Partition}] = id
		}
	}
	return out
}

func moved(before, after map[string][]Task) (n int) {
	b := owners(before)
	for t, id := range owners(after) {
		if was, ok := b[t]; ok && was != id {
			n++
		}
	}
	return n
}

func spread(plan map[string][]Task) int {
	least, most := -1, 0
	for _, l := range plan {
		if least < 0 || len(l) < least {
			least = len(l)
		}
		most = max(most, len(l))
	}
	return most - least
}

func names(plan map[string][]Task) map[string][]string {
	out := map[string][]string{}
	for id, l := range plan {
		for _, t := range l {
			out[id] = append(out[id], fmt.Sprintf("%d_%d", t.Group, t.Partition))
		}
	}
	return out
}

func TestPlanFresh(t *testing.T) {
	for name, tc := range map[string]struct {
		partitions []int32
		processes  []string
		want       map[string][]string
	}{
		"one member has all": {
			[]int32{2, 1}, []string{"p"},
			map[string][]string{"m00": {"0_0", "0_1", "1_0"}},
		},
		"each group is spread": {
			[]int32{2, 2}, []string{"p", "q"},
			map[string][]string{"m00": {"0_0", "1_0"}, "m01": {"0_1", "1_1"}},
		},
		"processes before their workers": {
			[]int32{2}, []string{"p", "p", "q", "q"},
			map[string][]string{"m00": {"0_0"}, "m02": {"0_1"}},
		},
		"a group's odd task goes to the process that has less of it": {
			[]int32{3, 1}, []string{"p", "p", "q", "q"},
			map[string][]string{"m00": {"0_0"}, "m01": {"0_2"}, "m02": {"0_1"}, "m03": {"1_0"}},
		},
		"unknown processes count for themselves": {
			[]int32{4}, []string{"", "", "p", "p"},
			map[string][]string{"m00": {"0_0"}, "m01": {"0_1"}, "m02": {"0_2"}, "m03": {"0_3"}},
		},
		"no members": {[]int32{2}, nil, map[string][]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			gs, counts := app(tc.partitions...)
			members := subscribed(slices.Sorted(maps.Keys(counts)), tc.processes...)
			plan := Plan(members, Tasks(gs, members, counts))
			require.Equal(t, tc.want, names(plan))
			require.Len(t, plan, len(tc.processes), "members without tasks are listed too")
		})
	}
}

func TestPlanKeepsWhatIsHeld(t *testing.T) {
	gs, counts := app(4)
	topics := []string{"a0", "b0"}
	both := func(p ...int32) map[string][]int32 { return map[string][]int32{"a0": p, "b0": p} }
	for name, tc := range map[string]struct {
		members []Member
		want    map[string][]string
	}{
		"even but odd looking": {
			[]Member{{ID: "x", Topics: topics, Owned: both(0, 3), Generation: 4}, {ID: "y", Topics: topics, Owned: both(1, 2), Generation: 4}},
			map[string][]string{"x": {"0_0", "0_3"}, "y": {"0_1", "0_2"}},
		},
		"a zombie's claim loses": {
			[]Member{{ID: "x", Topics: topics, Owned: both(0, 1, 2, 3), Generation: 3}, {ID: "y", Topics: topics, Owned: both(0, 1), Generation: 4}},
			map[string][]string{"x": {"0_2", "0_3"}, "y": {"0_0", "0_1"}},
		},
		"a split task goes to one that has a part of it": {
			[]Member{
				{ID: "x", Topics: topics, Owned: map[string][]int32{"a0": {0, 1, 2}, "b0": {0}}, Generation: 4},
				{ID: "y", Topics: topics, Owned: map[string][]int32{"a0": {3}, "b0": {1, 3}}, Generation: 4},
			},
			map[string][]string{"x": {"0_0", "0_2"}, "y": {"0_1", "0_3"}},
		},
		"one that comes back gets its own": {
			[]Member{{ID: "x", Topics: topics, Owned: both(0, 1, 2, 3), Generation: 4}, {ID: "y", Topics: topics, Generation: -1, Remembered: both(1, 2)}},
			map[string][]string{"x": {"0_0", "0_3"}, "y": {"0_1", "0_2"}},
		},
		"state stays in its process": {
			[]Member{
				{ID: "x", Process: "p", Topics: topics, Remembered: both(3)}, {ID: "y", Process: "q", Topics: topics},
				{ID: "z", Process: "p", Topics: topics, Owned: both(0, 1), Generation: 1},
			},
			map[string][]string{"x": {"0_3"}, "y": {"0_2"}, "z": {"0_0", "0_1"}},
		},
		"what it does not read is not its own": {
			[]Member{{ID: "x", Topics: []string{"other"}, Owned: both(0, 1, 2, 3), Generation: 4}, {ID: "y", Topics: topics}},
			map[string][]string{"y": {"0_0", "0_1", "0_2", "0_3"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, names(Plan(tc.members, Tasks(gs, tc.members, counts))))
		})
	}
}

type instance struct {
	groups  Groups
	counts  map[string]int32
	members []Member
	tasks   []Task
}

func drawInstance(t *rapid.T) instance {
	gs, counts := app(rapid.SliceOfN(rapid.Int32Range(1, 12), 1, 5).Draw(t, "partitions")...)
	processes := rapid.SliceOfN(rapid.SampledFrom([]string{"p", "q", "r", "s", ""}), 2, 9).Draw(t, "processes")
	members := subscribed(slices.Sorted(maps.Keys(counts)), processes...)
	return instance{gs, counts, members, Tasks(gs, members, counts)}
}

// A fresh plan is even in all, and for each group; and a process has its share.
func TestPlanFreshIsEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		plan := Plan(in.members, in.tasks)
		require.Len(t, owners(plan), len(in.tasks))
		require.LessOrEqual(t, spread(plan), 1)
		for g := range in.groups {
			only := map[string][]Task{}
			for id, l := range plan {
				only[id] = slices.DeleteFunc(slices.Clone(l), func(t Task) bool { return t.Group != g })
			}
			require.LessOrEqual(t, spread(only), 1, "group %d", g)
		}
	})
}

func TestPlanStickyAndEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		plan := Plan(in.members, in.tasks)
		members := settled(in.members, plan, 1)
		for generation := range int32(6) {
			before := plan
			victim := ""
			if len(members) > 1 && rapid.Bool().Draw(t, "leave") {
				at := rapid.IntRange(0, len(members)-1).Draw(t, "who")
				victim = members[at].ID
				members = slices.Delete(slices.Clone(members), at, at+1)
			} else {
				id := fmt.Sprintf("n%d", rapid.IntRange(0, 1<<20).Draw(t, "id")*10+int(generation))
				members = append(slices.Clone(members), Member{ID: id, Process: rapid.SampledFrom([]string{"p", "q", "x"}).Draw(t, "process"), Topics: members[0].Topics})
			}
			plan = Plan(members, in.tasks)
			require.Len(t, owners(plan), len(in.tasks), "every task is assigned")
			require.LessOrEqual(t, spread(plan), 1)
			if victim != "" {
				require.Equal(t, len(before[victim]), moved(before, plan), "only what the one that left had moves")
			} else {
				newest := members[len(members)-1].ID
				require.Equal(t, len(plan[newest]), moved(before, plan), "only what the new one gets moves")
				require.LessOrEqual(t, moved(before, plan), (len(in.tasks)+len(members)-1)/len(members))
			}
			members = settled(members, plan, generation+2)
			require.Equal(t, plan, Plan(members, in.tasks), "a settled group stays as it is")
		}
	})
}

func TestPlanDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		for i := range in.members {
			m := &in.members[i]
			m.Owned, m.Generation = map[string][]int32{}, rapid.Int32Range(-1, 3).Draw(t, "generation")
			for topic, n := range in.counts {
				m.Owned[topic] = rapid.SliceOfN(rapid.Int32Range(0, n+1), 0, 4).Draw(t, "owned")
			}
		}
		shuffled := rapid.Permutation(in.members).Draw(t, "order")
		plan := Plan(in.members, in.tasks)
		require.Equal(t, plan, Plan(shuffled, in.tasks))
		require.Equal(t, Handover(in.members, plan), Handover(shuffled, plan))
		require.Len(t, owners(plan), len(in.tasks))
		require.LessOrEqual(t, spread(plan), 1)
	})
}

// Members with different subscriptions: whoever reads nothing of a task does not get it.
func TestPlanMixedSubscriptions(t *testing.T) {
	members := []Member{
		{ID: "old1", Topics: []string{"a0", "b0"}},
		{ID: "old2", Topics: []string{"a0", "b0"}},
		{ID: "new", Topics: []string{"a0", "a1", "b0", "b1"}},
	}
	gs, counts := app(4, 2)
	plan := Plan(members, Tasks(gs, members, counts))
	require.Len(t, owners(plan), 6)
	require.Equal(t, map[string][]string{"new": {"1_0", "1_1"}, "old1": {"0_0", "0_1"}, "old2": {"0_2", "0_3"}}, names(plan))
}

// It takes about 15 ms; the bound leaves room for the race detector and a busy
// machine, and still finds a plan that takes quadratic time.
func TestPlanIsFast(t *testing.T) {
	gs, counts := app(250, 250, 250, 250)
	topics := slices.Sorted(maps.Keys(counts))
	var members []Member
	for i := range 100 {
		members = append(members, Member{ID: fmt.Sprintf("m%03d", i), Process: fmt.Sprintf("p%d", i/4), Topics: topics})
	}
	tasks := Tasks(gs, members, counts)
	require.Len(t, tasks, 1000)
	first := Plan(members[:1], tasks)
	members[0] = settled(members[:1], first, 1)[0]
	fastest := time.Hour
	for range 5 {
		start := time.Now()
		plan := Plan(members, tasks)
		fastest = min(fastest, time.Since(start))
		require.LessOrEqual(t, spread(plan), 1)
	}
	t.Logf("99 members join one that has 1000 tasks: %v", fastest)
	require.Less(t, fastest, time.Second)
}

func BenchmarkPlan(b *testing.B) {
	gs, counts := app(250, 250, 250, 250)
	topics := slices.Sorted(maps.Keys(counts))
	var members []Member
	for i := range 100 {
		members = append(members, Member{ID: fmt.Sprintf("m%03d", i), Process: fmt.Sprintf("p%d", i/4), Topics: topics})
	}
	tasks := Tasks(gs, members, counts)
	rng := rand.New(rand.NewPCG(1, 2))
	held := settled(members, Plan(members, tasks), 1)
	rng.Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	for name, m := range map[string][]Member{"fresh": members, "one left": held[1:], "settled": held} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Plan(m, tasks)
			}
		})
	}
}
