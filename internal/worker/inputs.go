package worker

import (
	"log/slog"
	"regexp"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/eosproc/eosproc/internal/assign"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
)

// inputs knows which sub-topology reads which topic.
type inputs struct {
	subs     []*topology.SubTopology
	byTopic  map[string]input
	patterns []patternInput
	topics   []string
	pattern  string // of all topics, when a source has a pattern
	assign   kgo.GroupBalancer
}

type input struct {
	sub     int
	logical string
	reset   topology.Reset
	// internal marks a repartition topic.
	internal bool
}

type patternInput struct {
	re *regexp.Regexp
	input
}

func newInputs(t *topology.Topology, applicationID string) *inputs {
	in := &inputs{subs: t.SubTopologies(), byTopic: map[string]input{}}
	for _, sub := range in.subs {
		for _, src := range sub.Sources() {
			i := input{sub: sub.ID, logical: src.Name, reset: src.Reset, internal: src.Internal}
			if src.Pattern != nil {
				in.patterns = append(in.patterns, patternInput{src.Pattern, i})
				continue
			}
			topic := src.Name
			if src.Internal {
				topic = task.InternalTopic(applicationID, src.Name)
			}
			in.byTopic[topic] = i
			in.topics = append(in.topics, topic)
		}
	}
	if len(in.patterns) > 0 {
		// A client subscribes to names or to patterns, not to both.
		all := make([]string, 0, len(in.topics)+len(in.patterns))
		for _, t := range in.topics {
			all = append(all, "^"+regexp.QuoteMeta(t)+"$")
		}
		for _, p := range in.patterns {
			all = append(all, p.re.String())
		}
		in.pattern = strings.Join(all, "|")
	}
	return in
}

// lookup tells who reads a topic; ok is false if no one does.
func (in *inputs) lookup(topic string) (i input, ok bool) {
	if i, ok = in.byTopic[topic]; ok {
		return i, true
	}
	for _, p := range in.patterns {
		if p.re.MatchString(topic) {
			i = p.input
			i.logical = topic
			return i, true
		}
	}
	return input{}, false
}

func (in *inputs) internal(topic string) bool {
	i, _ := in.lookup(topic)
	return i.internal
}

func (in *inputs) reset(topic string) topology.Reset {
	i, _ := in.lookup(topic)
	return i.reset
}

// balancer assigns whole tasks to the members of a classic group. It is made
// once: it remembers, for stickiness, the tasks that were lost with a membership.
func (in *inputs) balancer(process string, log *slog.Logger) kgo.GroupBalancer {
	if in.assign == nil {
		groups := make(assign.Groups, len(in.subs))
		for topic, i := range in.byTopic {
			groups[i.sub].Topics = append(groups[i.sub].Topics, topic)
		}
		for _, p := range in.patterns {
			groups[p.sub].Patterns = append(groups[p.sub].Patterns, p.re)
		}
		in.assign = assign.New(assign.Config{Groups: groups, Process: process, Log: log})
	}
	return in.assign
}
