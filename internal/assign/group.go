package assign

import (
	"hash/fnv"
	"io"
	"regexp"
	"slices"
)

// Group is the topics that a sub-topology reads, under their names in Kafka.
type Group struct {
	Topics   []string
	Patterns []*regexp.Regexp
}

// Groups are the sub-topologies of a topology. A topic belongs to the group that
// names it, else to the first with a pattern that matches it.
type Groups []Group

// numbers returns a function that tells the number of the group of a topic, from
// 1 on; 0 if it has none.
func (gs Groups) numbers() func(topic string) int {
	named := map[string]int{}
	for i, g := range gs {
		for _, t := range g.Topics {
			if named[t] == 0 {
				named[t] = i + 1
			}
		}
	}
	return func(topic string) int {
		if n := named[topic]; n != 0 {
			return n
		}
		for i, g := range gs {
			for _, p := range g.Patterns {
				if p.MatchString(topic) {
					return i + 1
				}
			}
		}
		return 0
	}
}

// hash tells versions of a topology apart, as far as the assignment goes.
func (gs Groups) hash() uint64 {
	h := fnv.New64a()
	write := func(kind, s string) { _, _ = io.WriteString(h, kind+s+"\x00") } // a hash never fails
	for _, g := range gs {
		write("g", "")
		for _, t := range slices.Sorted(slices.Values(g.Topics)) {
			write("t", t)
		}
		for _, p := range g.Patterns {
			write("p", p.String())
		}
	}
	return h.Sum64()
}
