package assign

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHandover(t *testing.T) {
	type owned = map[string][]int32
	ab := []string{"a0", "b0"}
	task := func(p int32) Task { return Task{Partition: p, Inputs: ab} }
	for name, tc := range map[string]struct {
		members []Member
		plan    map[string][]Task
		want    map[string]map[string][]int32
	}{
		"free tasks at once": {
			[]Member{{ID: "x", Topics: ab}, {ID: "y", Topics: ab}},
			map[string][]Task{"x": {task(0), task(2)}, "y": {task(1)}},
			map[string]map[string][]int32{"x": {"a0": {0, 2}, "b0": {0, 2}}, "y": {"a0": {1}, "b0": {1}}},
		},
		"what moves is only taken away": {
			[]Member{{ID: "x", Topics: ab, Generation: 1, Owned: owned{"a0": {0, 1}, "b0": {0, 1}}}, {ID: "y", Topics: ab}},
			map[string][]Task{"x": {task(0)}, "y": {task(1)}},
			map[string]map[string][]int32{"x": {"a0": {0}, "b0": {0}}, "y": {}},
		},
		"a task is not torn: one input is free, the other is held": {
			[]Member{{ID: "x", Topics: ab, Generation: 1, Owned: owned{"a0": {0}}}, {ID: "y", Topics: ab}},
			map[string][]Task{"y": {task(0)}},
			map[string]map[string][]int32{"x": {}, "y": {}},
		},
		"a torn task: it keeps its part and waits for the rest": {
			[]Member{{ID: "x", Topics: ab, Generation: 1, Owned: owned{"a0": {0}}}, {ID: "y", Topics: ab, Generation: 1, Owned: owned{"b0": {0}}}},
			map[string][]Task{"x": {task(0)}},
			map[string]map[string][]int32{"x": {"a0": {0}}, "y": {}},
		},
		"who loses an input loses the task": {
			[]Member{{ID: "x", Topics: ab, Generation: 1, Owned: owned{"a0": {0}, "b0": {0}}}, {ID: "y", Topics: ab, Generation: 2, Owned: owned{"b0": {0}}}},
			map[string][]Task{"x": {task(0)}},
			map[string]map[string][]int32{"x": {}, "y": {}},
		},
		"a new input joins a task that is held": {
			[]Member{{ID: "x", Topics: ab, Generation: 1, Owned: owned{"a0": {0}}}},
			map[string][]Task{"x": {task(0)}},
			map[string]map[string][]int32{"x": {"a0": {0}, "b0": {0}}},
		},
		"a zombie is not given back what it thinks it has": {
			[]Member{{ID: "x", Topics: ab, Generation: 3, Owned: owned{"a0": {0}, "b0": {0}}}, {ID: "y", Topics: ab, Generation: 5, Owned: owned{"a0": {0}, "b0": {0}}}},
			map[string][]Task{"x": {task(0)}},
			map[string]map[string][]int32{"x": {}, "y": {}},
		},
		"the owner is not disturbed by a zombie": {
			[]Member{{ID: "x", Topics: ab, Generation: 3, Owned: owned{"a0": {0}, "b0": {0}}}, {ID: "y", Topics: ab, Generation: 5, Owned: owned{"a0": {0}, "b0": {0}}}},
			map[string][]Task{"y": {task(0)}},
			map[string]map[string][]int32{"x": {}, "y": {"a0": {0}, "b0": {0}}},
		},
		"a third one waits for a zombie too, which may still be at work": {
			[]Member{{ID: "x", Topics: ab, Generation: 3, Owned: owned{"a0": {0}, "b0": {0}}}, {ID: "y", Topics: ab, Generation: 5}},
			map[string][]Task{"y": {task(0)}},
			map[string]map[string][]int32{"x": {}, "y": {}},
		},
		"an input that the member does not read waits": {
			[]Member{{ID: "old", Topics: []string{"a0"}}, {ID: "new", Topics: ab}},
			map[string][]Task{"old": {task(0)}, "new": {task(1)}},
			map[string]map[string][]int32{"old": {"a0": {0}}, "new": {"a0": {1}, "b0": {1}}},
		},
		"an input that the new owner does not read is not forgotten": {
			[]Member{{ID: "old", Topics: []string{"a0"}}, {ID: "new", Topics: ab, Generation: 1, Owned: owned{"b0": {0}}}},
			map[string][]Task{"old": {task(0)}},
			map[string]map[string][]int32{"old": {}, "new": {}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, Handover(tc.members, tc.plan))
		})
	}
}
