package assign

import (
	"maps"
	"slices"
)

// Task is what is assigned as a whole: partition Partition of every topic in Inputs.
type Task struct {
	// Group numbers the groups of topics that are read together. It has a meaning
	// within one plan only.
	Group     int
	Partition int32
	// Inputs are sorted and not empty. Tasks may share the slice.
	Inputs []string
}

// Tasks makes the tasks of the group, sorted by group and partition. own are the
// sub-topologies of the leader; counts are the topics that exist, with their
// numbers of partitions. A topic without a group is a group of its own.
//
// Topics are read together if any member does so. The members of a rolling
// upgrade differ in that, and to keep apart what one of them joins would let it
// read half of a join; to keep together what another does not join costs nothing.
func Tasks(own Groups, members []Member, counts map[string]int32) []Task {
	topics := slices.Sorted(maps.Keys(counts))
	root := make(map[string]string, len(topics)) // union-find; the root is the smallest name
	for _, t := range topics {
		root[t] = t
	}
	find := func(t string) string {
		for root[t] != t {
			root[t] = root[root[t]]
			t = root[t]
		}
		return t
	}
	join := func(first map[int]string, group int, topic string) {
		if _, exists := root[topic]; group == 0 || !exists {
			return
		}
		f, ok := first[group]
		if !ok {
			first[group] = topic
			return
		}
		a, b := find(f), find(topic)
		root[max(a, b)] = min(a, b)
	}
	leader, number := map[int]string{}, own.numbers()
	for _, t := range topics {
		join(leader, number(t), t)
	}
	for i := range members {
		if m := &members[i]; len(m.Groups) == len(m.Topics) {
			first := map[int]string{}
			for j, t := range m.Topics {
				join(first, m.Groups[j], t)
			}
		}
	}

	together := map[string][]string{}
	for _, t := range topics {
		together[find(t)] = append(together[find(t)], t)
	}
	var tasks []Task
	for g, first := range slices.Sorted(maps.Keys(together)) {
		tasks = append(tasks, groupTasks(g, together[first], counts)...)
	}
	return tasks
}

func groupTasks(group int, topics []string, counts map[string]int32) []Task {
	var most int32
	for _, t := range topics {
		most = max(most, counts[t])
	}
	tasks := make([]Task, 0, most)
	inputs := topics
	for p := range most {
		if slices.ContainsFunc(inputs, func(t string) bool { return counts[t] <= p }) {
			inputs = slices.DeleteFunc(slices.Clone(inputs), func(t string) bool { return counts[t] <= p })
		}
		tasks = append(tasks, Task{Group: group, Partition: p, Inputs: inputs})
	}
	return tasks
}
