package assign

import (
	"iter"
	"slices"
)

// partition of a topic.
type partition struct {
	topic string
	n     int32
}

// partitions iterates over partitions by topic, over each once, in any order.
func partitions(of map[string][]int32) iter.Seq[partition] {
	return func(yield func(partition) bool) {
		for topic, list := range of {
			for i, n := range list {
				if !slices.Contains(list[:i], n) && !yield(partition{topic, n}) {
					return
				}
			}
		}
	}
}

func set(list []string) map[string]bool {
	s := make(map[string]bool, len(list))
	for _, e := range list {
		s[e] = true
	}
	return s
}
