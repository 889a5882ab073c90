package assign

// Member is what a member of the group says about itself.
type Member struct {
	ID string
	// Process is the same for the workers of one process; "" if unknown.
	Process string
	// Topics are those it subscribes to.
	Topics []string
	// Groups are the numbers of the sub-topologies of Topics, one each in the
	// member's own counting; 0 is none. Nil if it does not tell.
	Groups []int
	// Owned are the partitions it holds, by topic, since Generation.
	Owned      map[string][]int32
	Generation int32
	// Remembered are partitions that it held before and lost. They are no claim,
	// but what is left of their state makes it the better choice.
	Remembered map[string][]int32
}

// claims are the members, by their place in the list, that say they hold a partition.
type claims struct {
	members []Member
	by      map[partition][]int
}

func newClaims(members []Member) claims {
	c := claims{members: members, by: map[partition][]int{}}
	for i := range members {
		for p := range partitions(members[i].Owned) {
			c.by[p] = append(c.by[p], i)
		}
	}
	return c
}

// holds reports whether no other claim to the partition is newer than the member's.
func (c claims) holds(member int, p partition) bool {
	mine := false
	for _, i := range c.by[p] {
		if c.members[i].Generation > c.members[member].Generation {
			return false
		}
		mine = mine || i == member
	}
	return mine
}

// others reports whether another member claims the partition, however long ago:
// even one that has missed a rebalance may still be at work on it.
func (c claims) others(member int, p partition) bool {
	for _, i := range c.by[p] {
		if i != member {
			return true
		}
	}
	return false
}
