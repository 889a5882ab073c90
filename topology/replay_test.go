package topology_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/eosproc/eosproc/codec"
	"github.com/eosproc/eosproc/statestore"
	"github.com/eosproc/eosproc/topology"
)

const tick = 10 * time.Millisecond

func ticks[V any](name string, value codec.Codec[V]) statestore.Window[string, V] {
	return statestore.NewWindow(name, codec.String, value, statestore.WindowConfig{Size: tick, Retention: time.Hour})
}

func tickTopic(name string) topology.Topic[codec.Windowed[string], int64] {
	return topology.NewTopic(name, codec.TimeWindowed(codec.String, tick), codec.Int64)
}

func sessionTopic(name string) topology.Topic[codec.Windowed[string], int64] {
	return topology.NewTopic(name, codec.SessionWindowed(codec.String), codec.Int64)
}

// everything is a topology with all that keeps state within a task, and an
// operator at its end that refuses the value "bad".
func everything(b *topology.Builder) {
	in := read(b, "in")
	g := topology.GroupByKey(in)
	count := func(name string, w topology.Windows, opts ...topology.Option) topology.Table[codec.Windowed[string], int64] {
		return topology.CountWindows(g, w.Grace(3*time.Millisecond), ticks(name, codec.Int64), opts...)
	}
	topology.Count(g, countRows("count")).Changes().To(counts("counts"))
	updated := count("updated", topology.Tumbling(tick))
	updated.Changes().To(tickTopic("updates"))
	topology.UntilWindowCloses(updated, topology.NewBuffer("windows-hold", codec.TimeWindowed(codec.String, tick), codec.Int64)).Changes().To(tickTopic("suppressed"))
	count("final", topology.Tumbling(tick), topology.EmitFinal()).Changes().To(tickTopic("finals"))
	count("slid", topology.Sliding(tick)).Changes().To(tickTopic("slides"))
	count("slid-final", topology.Sliding(tick), topology.EmitFinal()).Changes().To(tickTopic("slide-finals"))
	s := topology.SessionWindows(3 * time.Millisecond).Grace(2 * time.Millisecond)
	topology.CountSessions(g, s, sessions("s", codec.Int64)).Changes().To(sessionTopic("sessions"))
	topology.CountSessions(g, s, sessions("s-final", codec.Int64), topology.EmitFinal()).Changes().To(sessionTopic("session-finals"))
	rows := topology.ToTable(in, textRows("rows"))
	topology.UntilTimeLimit(rows, tick, buffer().MaxRecords(1)).Changes().To(textTopic("limited"))
	refuse(in)
}

type step struct {
	key, value string
	at         int64
	commit     bool // after the record
	abort      bool
}

func steps() *rapid.Generator[[]step] {
	one := rapid.Custom(func(t *rapid.T) step {
		return step{
			key:    rapid.SampledFrom([]string{"a", "ab", "b"}).Draw(t, "key"),
			value:  rapid.SampledFrom([]string{"x", "y", "bad", "worse"}).Draw(t, "value"),
			at:     rapid.Int64Range(0, 60).Draw(t, "at"),
			commit: rapid.Bool().Draw(t, "commit"),
			abort:  rapid.IntRange(0, 3).Draw(t, "abort") == 0,
		}
	})
	return rapid.SliceOfN(one, 1, 30)
}

// run gives the steps to a task and returns what was committed, by topic.
func (k *task) run(steps []step) map[string][]string {
	out := map[string][]string{}
	var open []topology.Output
	var pending []step
	committed := topology.NewSnapshot(-1)
	process := func(s step) {
		source, _ := k.in.Open("in")
		err := k.in.Process(source, &topology.RawRecord{Topic: "in", Key: []byte(s.key), Value: []byte(s.value), Timestamp: s.at})
		if s.value == "x" || s.value == "y" {
			require.NoError(k.t, err)
		} else {
			require.Error(k.t, err)
		}
		open = append(open, k.in.Outputs()...)
	}
	commit := func() {
		committed = k.commit()
		for _, o := range open {
			out[o.Topic] = append(out[o.Topic], fmt.Sprintf("%x=%x@%d", o.Key, o.Value, o.Timestamp))
		}
		open, pending = nil, nil
	}
	for _, s := range steps {
		process(s)
		pending = append(pending, s)
		if s.abort {
			k.abort(committed)
			open = nil
			for _, p := range pending {
				process(p)
			}
		}
		if s.commit {
			commit()
		}
	}
	commit()
	return out
}

// Records that fail and transactions that are aborted are as if they had never
// been, and it does not show where transactions end.
func TestFailuresAndAbortsLeaveNoTrace(t *testing.T) {
	topo := build(t, everything)
	rapid.Check(t, func(rt *rapid.T) {
		all := steps().Draw(rt, "steps")
		var good []step
		for _, s := range all {
			if s.value == "x" || s.value == "y" {
				good = append(good, step{key: s.key, value: s.value, at: s.at})
			}
		}
		assert.Equal(rt, newTask(t, topo).run(good), newTask(t, topo).run(all))
	})
}

// The two ways to final results of tumbling windows agree, and each final result is
// the last update of its window. A session may come out and then be taken up by a later
// one: a record that is not late yet may lie within the gap of a session that is
// closed, in Kafka Streams as here. Its final result is an update that it has had.
func TestFinalResultsAgree(t *testing.T) {
	topo := build(t, everything)
	rapid.Check(t, func(rt *rapid.T) {
		out := newTask(t, topo).run(steps().Draw(rt, "steps"))
		assert.Equal(rt, out["suppressed"], out["finals"])
		for final, updates := range map[string]string{"finals": "updates", "slide-finals": "slides", "session-finals": "sessions"} {
			last, had := map[string]string{}, map[string]bool{}
			for _, u := range out[updates] {
				key, result, _ := strings.Cut(u, "=")
				last[key] = result
				had[u] = true
			}
			seen := map[string]bool{}
			for _, f := range out[final] {
				key, result, _ := strings.Cut(f, "=")
				if final == "session-finals" {
					assert.True(rt, had[f], "%s: %s", final, f)
				} else {
					assert.Equal(rt, last[key], result, final)
				}
				assert.False(rt, seen[key], "a window comes out once")
				seen[key] = true
			}
		}
	})
}
