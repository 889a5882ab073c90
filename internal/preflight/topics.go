package preflight

import (
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/eosproc/eosproc/internal/kafkaconf"
)

// gather notes which topics exist, and counts the partitions of those that are read.
func (c *check) gather(named, everything *kmsg.MetadataResponse) {
	c.exist, c.denied = map[string]*kmsg.MetadataResponseTopic{}, map[string]bool{}
	for i := range named.Topics {
		t := &named.Topics[i]
		if t.Topic == nil {
			continue
		}
		c.denied[*t.Topic] = t.ErrorCode == kerr.TopicAuthorizationFailed.Code
		if !exists(t) {
			continue
		}
		c.exist[*t.Topic] = t
		if u := c.plan.topics[*t.Topic]; u != nil && u.read {
			c.found.Partitions[*t.Topic] = len(t.Partitions)
		}
	}
	patterns := c.plan.patterns()
	if everything == nil || len(patterns) == 0 {
		return
	}
	for i := range everything.Topics {
		t := &everything.Topics[i]
		if t.Topic == nil || t.IsInternal || c.found.Partitions[*t.Topic] > 0 || !exists(t) || !matches(patterns, *t.Topic) {
			continue
		}
		if c.exist[*t.Topic] == nil {
			c.exist[*t.Topic] = t
		}
		c.found.Partitions[*t.Topic] = len(t.Partitions)
	}
	for _, re := range patterns {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(c.found.Partitions)), re.MatchString) {
			c.log.Warn("the pattern matches no topic yet", "pattern", re.String())
		}
	}
}

// exists also holds for a topic without leaders, such as one that is just being made.
func exists(t *kmsg.MetadataResponseTopic) bool {
	return t.ErrorCode == 0 || t.ErrorCode == kerr.LeaderNotAvailable.Code
}

// checkTopics finds what is missing. everything is nil if the names of all
// topics were not asked for.
func (c *check) checkTopics(everything *kmsg.MetadataResponse) {
	var known []string
	if everything != nil {
		for _, t := range everything.Topics {
			if t.Topic != nil && !t.IsInternal {
				known = append(known, *t.Topic)
			}
		}
		slices.Sort(known)
	}
	for _, name := range c.plan.names() {
		u := c.plan.topics[name]
		if c.exist[name] != nil || u.internal || c.denied[name] {
			continue
		}
		hint := ""
		if near := kafkaconf.Suggest(name, known); near != "" {
			hint = ", did you mean " + near + "?"
		}
		c.fault("%s %q: %w%s; eosproc makes no topics of yours: %s", u.role(), name, ErrNoTopic, hint, c.commands.createTopic(name, 0))
	}
}

func (u *use) role() string {
	switch {
	case u.internal:
		return "internal topic"
	case u.deadLetter:
		return "dead letter topic"
	case u.read && u.write:
		return "input and output topic"
	case u.read:
		return "input topic"
	default:
		return "output topic"
	}
}
