package assign

import "slices"

// Handover tells which partitions each member, by id, has after this rebalance,
// on the way to the plan: those it holds and is to keep, and those of tasks that
// no other member claims. A task that another member claims is handed out to
// nobody, and a member that has to give up an input of a task gives up all of
// them: a task does not run on the rest of its input.
//
// It always comes to an end: who claims something without being handed it gives
// it up and joins again.
func Handover(members []Member, plan map[string][]Task) map[string]map[string][]int32 {
	c := newClaims(members)
	out := make(map[string]map[string][]int32, len(members))
	for m := range members {
		mine := map[string][]int32{}
		topics := set(members[m].Topics)
		for _, task := range plan[members[m].ID] {
			for _, topic := range c.handed(m, topics, task) {
				mine[topic] = append(mine[topic], task.Partition)
			}
		}
		for _, list := range mine {
			slices.Sort(list)
		}
		out[members[m].ID] = mine
	}
	return out
}

// handed are the inputs of a task planned for the member that it has at once.
func (c claims) handed(member int, topics map[string]bool, task Task) (inputs []string) {
	free := !slices.ContainsFunc(task.Inputs, func(topic string) bool {
		in := partition{topic, task.Partition}
		return c.others(member, in) && !c.holds(member, in)
	})
	for _, topic := range task.Inputs {
		in := partition{topic, task.Partition}
		switch {
		case topics[topic] && (free || c.holds(member, in)):
			inputs = append(inputs, topic)
		case slices.Contains(c.by[in], member):
			return nil
		}
	}
	return inputs
}
