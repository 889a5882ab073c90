package assign

import (
	"cmp"
	"slices"
)

// Plan tells which tasks each member, by id, should have in the end, whoever has
// them now. Members that no task is for are in it with none.
//
// It starts from what the members hold, gives what nobody holds to those with the
// least, and then moves tasks from those with the most to those with the least
// until the numbers differ by one at most. Within that it chooses, in this order:
// what is left of a task's state, then the same number of tasks of each group on
// each member and in each process, then as many tasks a worker in each process.
// It moves nothing for the sake of these.
//
// A member can take a task if it subscribes to at least one input. Where members
// differ in that, the numbers are as even as moves of single tasks make them.
func Plan(members []Member, tasks []Task) map[string][]Task {
	p := newPlanner(members, tasks)
	for t := range tasks {
		if p.owner[t] != nobody {
			p.give(t, p.owner[t])
		}
	}
	for t := range tasks {
		if p.owner[t] == nobody {
			if m := p.receiver(t); m != nobody {
				p.give(t, m)
			}
		}
	}
	for p.moveOne() {
	}
	return p.result()
}

const nobody = -1

type planner struct {
	tasks   []Task
	members []Member // sorted by id
	process []int    // of a member
	workers []int    // members of a process

	can        [][]bool // [member][task]
	remembers  [][]bool // [member][task]
	remembered [][]bool // [process][task], by any of its members
	owner      []int    // of a task, before the plan

	has      [][]int // tasks of a member
	procLoad []int   // tasks of a process
	count    [][]int // [member][group]
	procHas  [][]int // [process][group]
}

func newPlanner(members []Member, tasks []Task) *planner {
	p := &planner{tasks: tasks, members: slices.Clone(members)}
	slices.SortFunc(p.members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	groups := 0
	for _, t := range tasks {
		groups = max(groups, t.Group+1)
	}
	number := map[string]int{}
	for _, m := range p.members {
		name := "p" + m.Process
		if m.Process == "" {
			name = "m" + m.ID
		}
		n, ok := number[name]
		if !ok {
			n = len(number)
			number[name] = n
			p.workers = append(p.workers, 0)
		}
		p.process = append(p.process, n)
		p.workers[n]++
	}
	p.can = table[bool](len(p.members), len(tasks))
	p.remembers = table[bool](len(p.members), len(tasks))
	p.remembered = table[bool](len(number), len(tasks))
	p.count = table[int](len(p.members), groups)
	p.procHas = table[int](len(number), groups)
	p.procLoad = make([]int, len(number))
	p.has = make([][]int, len(p.members))
	p.know()
	return p
}

func table[T any](rows, columns int) [][]T {
	t := make([][]T, rows)
	for i := range t {
		t[i] = make([]T, columns)
	}
	return t
}

// know fills in what the members say about each task.
func (p *planner) know() {
	taskOf := map[partition]int{}
	p.owner = make([]int, len(p.tasks))
	for t, task := range p.tasks {
		p.owner[t] = nobody
		for _, topic := range task.Inputs {
			taskOf[partition{topic, task.Partition}] = t
		}
	}
	c := newClaims(p.members)
	most := make([]int, len(p.tasks)) // inputs that the owner holds
	for m, member := range p.members {
		p.eligible(m, set(member.Topics))
		recall := func(t int) { p.remembers[m][t], p.remembered[p.process[m]][t] = true, true }
		for in := range partitions(member.Remembered) {
			if t, ok := taskOf[in]; ok {
				recall(t)
			}
		}
		held := map[int]int{}
		for in := range partitions(member.Owned) {
			if t, ok := taskOf[in]; ok {
				recall(t) // of use if another one turns out to own the task
				if c.holds(m, in) && p.can[m][t] {
					held[t]++
				}
			}
		}
		for t, n := range held {
			was := p.owner[t]
			if was == nobody || n > most[t] || n == most[t] && member.Generation > p.members[was].Generation {
				p.owner[t], most[t] = m, n
			}
		}
	}
}

func (p *planner) eligible(m int, topics map[string]bool) {
	for t, task := range p.tasks {
		if t > 0 && &task.Inputs[0] == &p.tasks[t-1].Inputs[0] {
			p.can[m][t] = p.can[m][t-1]
			continue
		}
		p.can[m][t] = slices.ContainsFunc(task.Inputs, func(topic string) bool { return topics[topic] })
	}
}

func (p *planner) give(t, m int) {
	p.has[m] = append(p.has[m], t)
	p.add(t, m, 1)
}

func (p *planner) add(t, m, n int) {
	g, proc := p.tasks[t].Group, p.process[m]
	p.count[m][g] += n
	p.procHas[proc][g] += n
	p.procLoad[proc] += n
}

// receiver is the best member for a task that nobody holds.
func (p *planner) receiver(t int) int {
	best := nobody
	for m := range p.members {
		if p.can[m][t] && (best == nobody || p.compareReceivers(t, m, best) < 0) {
			best = m
		}
	}
	return best
}

func (p *planner) compareReceivers(t, a, b int) int {
	pa, pb, g := p.process[a], p.process[b], p.tasks[t].Group
	return cmp.Or(
		cmp.Compare(len(p.has[a]), len(p.has[b])),
		first(p.remembers[a][t], p.remembers[b][t]),
		first(p.remembered[pa][t], p.remembered[pb][t]),
		cmp.Compare(p.count[a][g], p.count[b][g]),
		cmp.Compare(p.procHas[pa][g]*p.workers[pb], p.procHas[pb][g]*p.workers[pa]),
		p.compareProcesses(a, b),
	)
}

// compareProcesses compares the tasks a worker in the processes of two members.
func (p *planner) compareProcesses(a, b int) int {
	pa, pb := p.process[a], p.process[b]
	return cmp.Compare(p.procLoad[pa]*p.workers[pb], p.procLoad[pb]*p.workers[pa])
}

// first orders true before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// moveOne moves a task from one of the members with the most tasks to one of
// those with the least. It returns false when no move makes the numbers more even.
func (p *planner) moveOne() bool {
	order := make([]int, len(p.members))
	for m := range order {
		order[m] = m
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(p.has[a]), len(p.has[b])), p.compareProcesses(a, b))
	})
	for i := len(order) - 1; i > 0; i-- {
		from := order[i]
		for _, to := range order[:i] {
			if len(p.has[from])-len(p.has[to]) < 2 {
				break
			}
			if at := p.spare(from, to); at != nobody {
				t := p.has[from][at]
				p.has[from] = slices.Delete(p.has[from], at, at+1)
				p.add(t, from, -1)
				p.give(t, to)
				return true
			}
		}
	}
	return false
}

// spare is the place in p.has[from] of the task that is best moved.
func (p *planner) spare(from, to int) int {
	best := nobody
	for at, t := range p.has[from] {
		if p.can[to][t] && (best == nobody || p.compareMoves(from, to, t, p.has[from][best]) < 0) {
			best = at
		}
	}
	return best
}

func (p *planner) compareMoves(from, to, a, b int) int {
	ga, gb, fp, tp := p.tasks[a].Group, p.tasks[b].Group, p.process[from], p.process[to]
	surplus := func(g int) int { return p.count[from][g] - p.count[to][g] }
	// Per worker, times the workers of both.
	procSurplus := func(g int) int { return p.procHas[fp][g]*p.workers[tp] - p.procHas[tp][g]*p.workers[fp] }
	return cmp.Or(
		first(p.owner[a] != from, p.owner[b] != from), // new to it, so nothing is lost
		first(p.remembers[to][a], p.remembers[to][b]),
		first(p.remembered[tp][a], p.remembered[tp][b]),
		cmp.Compare(surplus(gb), surplus(ga)),
		cmp.Compare(procSurplus(gb), procSurplus(ga)),
		cmp.Compare(a, b),
	)
}

func (p *planner) result() map[string][]Task {
	out := make(map[string][]Task, len(p.members))
	for m, list := range p.has {
		slices.Sort(list)
		tasks := make([]Task, len(list))
		for i, t := range list {
			tasks[i] = p.tasks[t]
		}
		out[p.members[m].ID] = tasks
	}
	return out
}
