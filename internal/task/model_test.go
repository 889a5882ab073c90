package task_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
)

// log is one input partition of the model: what the broker has.
type log struct {
	topic   string
	values  []string // "" is a marker or a gap
	times   []int64
	fetched int
}

// The random walk of a task with two inputs, against a plain reference: fetching
// and processing in any chunks, commits that come late, rewinds. What was emitted
// for the committed prefix of the input is always what one pass over it gives:
// nothing lost, nothing doubled, each partition in its order.
func TestTaskModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := task.Handlers{Processing: task.Continue, DeadLetterTopic: "dlq"}
		r := newRig(t, func(b *topology.Builder) {
			s := topology.From(b, text("a")).Merge(topology.From(b, text("b")))
			topology.Process(s, func(ctx *topology.Context[string, string]) func(record) error {
				return func(r record) error {
					if err := ctx.Forward(r); err != nil {
						return err
					}
					if strings.HasSuffix(r.Value, "!") {
						return errBad
					}
					return nil
				}
			}).To(text("out"))
		}, task.Config{MaxIdle: -1, Handlers: h}, "a", "b")
		logs := []*log{{topic: "a"}, {topic: "b"}}
		for _, l := range logs {
			now := int64(0)
			for i := range rapid.IntRange(0, 60).Draw(rt, "length") {
				now = max(0, now+rapid.Int64Range(-5, 20).Draw(rt, "step"))
				v := fmt.Sprint(l.topic, i)
				switch rapid.IntRange(0, 9).Draw(rt, "kind") {
				case 0:
					v = ""
				case 1:
					v += "!"
				}
				l.values, l.times = append(l.values, v), append(l.times, now)
			}
		}
		type sealed struct {
			cut  task.Cut
			out  int
			next map[string]int64
		}
		var pending *sealed
		committedOut, committedNext := 0, map[string]int64{"a": 0, "b": 0}
		positions := func() map[string]int64 {
			return map[string]int64{"a": r.in("a").Position(), "b": r.in("b").Position()}
		}
		check := func() {
			got := map[string][]string{}
			for _, o := range r.out[:committedOut] {
				got[o.from] = append(got[o.from], string(o.Value))
			}
			for _, l := range logs {
				var want []string
				for _, v := range l.values[:committedNext[l.topic]] {
					if v != "" && !strings.HasSuffix(v, "!") {
						want = append(want, v)
					}
				}
				require.Equal(rt, want, got[l.topic])
			}
		}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "do") {
			case 0, 1:
				l := logs[rapid.IntRange(0, 1).Draw(rt, "input")]
				for range rapid.IntRange(0, 12).Draw(rt, "records") {
					if l.fetched == len(l.values) {
						break
					}
					if l.values[l.fetched] == "" {
						r.in(l.topic).Pass(int64(l.fetched))
					} else {
						r.add(l.topic, int64(l.fetched), l.times[l.fetched], l.values[l.fetched])
					}
					l.fetched++
				}
			case 2:
				r.process(rapid.IntRange(1, 20).Draw(rt, "limit"))
			case 3:
				if pending == nil {
					pending = &sealed{r.cut(), len(r.out), positions()}
				}
			case 4:
				if pending != nil {
					r.committed(pending.cut)
					committedOut, committedNext, pending = pending.out, pending.next, nil
					check()
				}
			case 5:
				require.NoError(rt, r.task.Rewind())
				require.Equal(rt, committedNext, positions())
				require.False(rt, r.task.Moved())
				r.out, pending = r.out[:committedOut], nil
				for _, l := range logs {
					l.fetched = int(committedNext[l.topic])
				}
			}
		}
		// To the end.
		for _, l := range logs {
			for ; l.fetched < len(l.values); l.fetched++ {
				if l.values[l.fetched] == "" {
					r.in(l.topic).Pass(int64(l.fetched))
				} else {
					r.add(l.topic, int64(l.fetched), l.times[l.fetched], l.values[l.fetched])
				}
			}
		}
		for r.process(7) > 0 {
		}
		r.commit()
		committedOut, committedNext = len(r.out), positions()
		require.Equal(rt, map[string]int64{"a": int64(len(logs[0].values)), "b": int64(len(logs[1].values))}, committedNext)
		check()
	})
}
