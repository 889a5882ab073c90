package assign

import "slices"

// Handover tells which partitions each member, by id, has after this rebalance,
// on the way to the plan: those it holds and is to keep, and those of tasks that
// no other member claims. A task that another member claims stays out as a whole:
// with one input moved and one not, it would run on half of its input.
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
			free := !slices.ContainsFunc(task.Inputs, func(topic string) bool {
				in := partition{topic, task.Partition}
				return c.others(m, in) && !c.holds(m, in)
			})
			for _, topic := range task.Inputs {
				if topics[topic] && (free || c.holds(m, partition{topic, task.Partition})) {
					mine[topic] = append(mine[topic], task.Partition)
				}
			}
		}
		for _, list := range mine {
			slices.Sort(list)
		}
		out[members[m].ID] = mine
	}
	return out
}
