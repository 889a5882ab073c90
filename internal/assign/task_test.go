package assign

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTasks(t *testing.T) {
	orders := Groups{{Topics: []string{"orders", "customers"}}, {Patterns: []*regexp.Regexp{regexp.MustCompile(`^log\.`), regexp.MustCompile(`s$`)}}}
	for name, tc := range map[string]struct {
		own     Groups
		members []Member
		counts  map[string]int32
		want    []string
	}{
		"inputs together": {
			own: orders, counts: map[string]int32{"orders": 2, "customers": 2},
			want: []string{"0_0[customers orders]", "0_1[customers orders]"},
		},
		"a smaller topic has no part in the last tasks": {
			own: orders, counts: map[string]int32{"orders": 3, "customers": 1},
			want: []string{"0_0[customers orders]", "0_1[orders]", "0_2[orders]"},
		},
		"names go before patterns": {
			own: orders, counts: map[string]int32{"orders": 1, "log.x": 1, "logs": 1},
			want: []string{"0_0[log.x logs]", "1_0[orders]"},
		},
		"unknown topics stay alone": {
			own: orders, counts: map[string]int32{"x": 1, "y": 2},
			want: []string{"0_0[x]", "1_0[y]", "1_1[y]"},
		},
		"what another version reads together": {
			own:     Groups{{Topics: []string{"a"}}, {Topics: []string{"b"}}},
			members: []Member{{Topics: []string{"a", "c"}, Groups: []int{7, 7}}},
			counts:  map[string]int32{"a": 1, "b": 1, "c": 1},
			want:    []string{"0_0[a c]", "1_0[b]"},
		},
		"versions that overlap": {
			own:     Groups{{Topics: []string{"b", "c"}}},
			members: []Member{{Topics: []string{"a", "b"}, Groups: []int{1, 1}}, {Topics: []string{"c", "d"}, Groups: []int{2, 2}}},
			counts:  map[string]int32{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1},
			want:    []string{"0_0[a b c d]", "1_0[e]"},
		},
		"numbers that do not fit the topics are no use": {
			members: []Member{{Topics: []string{"a", "b"}, Groups: []int{1}}},
			counts:  map[string]int32{"a": 1, "b": 1},
			want:    []string{"0_0[a]", "1_0[b]"},
		},
		"a topic that does not exist": {
			own: orders, members: []Member{{Topics: []string{"customers", "orders"}, Groups: []int{1, 1}}},
			counts: map[string]int32{"orders": 1}, want: []string{"0_0[orders]"},
		},
		"no partitions": {own: orders, counts: map[string]int32{"orders": 0}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, task := range Tasks(tc.own, tc.members, tc.counts) {
				got = append(got, fmt.Sprintf("%d_%d%v", task.Group, task.Partition, task.Inputs))
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestTopologyHash(t *testing.T) {
	a := Groups{{Topics: []string{"a", "b"}}, {Patterns: []*regexp.Regexp{regexp.MustCompile("c")}}}
	require.Equal(t, a.hash(), Groups{{Topics: []string{"b", "a"}}, {Patterns: []*regexp.Regexp{regexp.MustCompile("c")}}}.hash())
	for name, other := range map[string]Groups{
		"split":           {{Topics: []string{"a"}}, {Topics: []string{"b"}}, {Patterns: []*regexp.Regexp{regexp.MustCompile("c")}}},
		"name, no regexp": {{Topics: []string{"a", "b"}}, {Topics: []string{"c"}}},
		"joined names":    {{Topics: []string{"ab"}}, {Patterns: []*regexp.Regexp{regexp.MustCompile("c")}}},
		"none":            nil,
	} {
		require.NotEqual(t, a.hash(), other.hash(), name)
	}
}
