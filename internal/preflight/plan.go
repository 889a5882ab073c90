package preflight

import (
	"maps"
	"regexp"
	"slices"

	"github.com/eosproc/eosproc/internal/settings"
	"github.com/eosproc/eosproc/internal/task"
	"github.com/eosproc/eosproc/topology"
)

// plan is what an application needs of its topics, as far as it can be known
// without a broker. Names are physical.
type plan struct {
	topics map[string]*use
	subs   []sub
}

// use is what one topic is for.
type use struct {
	name                    string
	read, write, deadLetter bool
	// internal topics are made by the application; partitions is then what the
	// topology says, 0 for as many as the largest upstream topic.
	internal   bool
	partitions int
}

// sub is what a sub-topology reads and which internal topics it writes.
type sub struct {
	reads    []string
	patterns []*regexp.Regexp
	feeds    []string
}

func newPlan(t *topology.Topology, s *settings.Settings) *plan {
	p := &plan{topics: map[string]*use{}}
	for _, st := range t.SubTopologies() {
		var x sub
		for _, src := range st.Sources() {
			if src.Pattern != nil {
				x.patterns = append(x.patterns, src.Pattern)
				continue
			}
			name := src.Name
			if src.Internal {
				name = task.InternalTopic(s.ApplicationID, name)
			}
			u := p.use(name)
			u.read = true
			if src.Internal {
				u.internal, u.partitions = true, src.Partitions
			}
			x.reads = append(x.reads, name)
		}
		topics, internal := st.Sinks()
		for _, name := range topics {
			p.use(name).write = true
		}
		for _, name := range internal {
			name = task.InternalTopic(s.ApplicationID, name)
			u := p.use(name)
			u.internal, u.write = true, true
			x.feeds = append(x.feeds, name)
		}
		p.subs = append(p.subs, x)
	}
	if e := s.Errors; e.DeadLetterTopic != "" && slices.Contains([]settings.Handler{e.Deserialization, e.Processing, e.Production}, settings.HandlerDeadLetter) {
		u := p.use(e.DeadLetterTopic)
		u.write, u.deadLetter = true, true
	}
	return p
}

func (p *plan) use(name string) *use {
	u := p.topics[name]
	if u == nil {
		u = &use{name: name}
		p.topics[name] = u
	}
	return u
}

// names returns the names of all topics, sorted, so that faults come in the same order every time.
func (p *plan) names() []string { return slices.Sorted(maps.Keys(p.topics)) }

func (p *plan) patterns() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, s := range p.subs {
		all = append(all, s.patterns...)
	}
	return all
}

// partitions returns how many partitions an internal topic is to have: as many
// as given, or as the largest topic that feeds it, through further internal
// topics if need be. exist counts the partitions of the topics that are not
// internal. 0 means that nothing tells.
func (p *plan) partitions(internal string, exist map[string]int) int {
	return p.resolve(internal, exist, map[string]bool{})
}

func (p *plan) resolve(name string, exist map[string]int, seen map[string]bool) int {
	u := p.topics[name]
	if u == nil || !u.internal {
		return exist[name]
	}
	if u.partitions > 0 || seen[name] {
		return u.partitions
	}
	seen[name] = true
	most := 0
	for _, s := range p.subs {
		if !slices.Contains(s.feeds, name) {
			continue
		}
		for _, upstream := range s.reads {
			most = max(most, p.resolve(upstream, exist, seen))
		}
		for topic, n := range exist {
			if up := p.topics[topic]; (up == nil || !up.internal) && matches(s.patterns, topic) {
				most = max(most, n)
			}
		}
	}
	delete(seen, name)
	return most
}

func matches(patterns []*regexp.Regexp, topic string) bool {
	return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(topic) })
}
