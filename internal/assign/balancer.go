package assign

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Protocol is the name under which the members of a group agree on this balancer.
// A broker turns away a member without it from a group that uses it.
const Protocol = "eosproc"

// Config tells a balancer about the member that it is for.
type Config struct {
	// Groups are the sub-topologies of the application.
	Groups Groups
	// Process is the same for the workers of one process and differs between
	// processes: the instance id. "" makes each worker count as a process.
	Process string
	// Log gets a warning when the members run different topologies. Nil is [slog.Default].
	Log *slog.Logger
}

// New makes the balancer of one client. It remembers what the client was last
// assigned, so each client needs its own; one that joins anew with another client
// after an error keeps the balancer of the old one. It is safe for concurrent use.
func New(cfg Config) kgo.GroupBalancer {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &balancer{cfg: cfg, number: cfg.Groups.numbers(), topology: cfg.Groups.hash()}
}

type balancer struct {
	cfg      Config
	number   func(topic string) int
	topology uint64

	mu   sync.Mutex
	last map[string][]int32 // the last assignment that was not empty
}

func (*balancer) ProtocolName() string { return Protocol }

func (*balancer) IsCooperative() bool { return true }

func (b *balancer) JoinGroupMetadata(topics []string, owned map[string][]int32, generation int32) []byte {
	meta := kmsg.NewConsumerMemberMetadata()
	meta.Version = 3
	meta.Topics = topics
	meta.Generation = generation
	for topic, partitions := range owned {
		o := kmsg.NewConsumerMemberMetadataOwnedPartition()
		o.Topic, o.Partitions = topic, partitions
		meta.OwnedPartitions = append(meta.OwnedPartitions, o)
	}
	// The broker compares metadata bytewise to see whether a member has changed.
	slices.SortFunc(meta.OwnedPartitions, func(a, b kmsg.ConsumerMemberMetadataOwnedPartition) int {
		return cmp.Compare(a.Topic, b.Topic)
	})
	u := userData{topology: b.topology, process: b.cfg.Process, remembered: b.remembered(owned)}
	for _, t := range topics {
		u.groups = append(u.groups, b.number(t))
	}
	meta.UserData = u.append(nil)
	return meta.AppendTo(nil)
}

// remembered is what was assigned last and is not held any more.
func (b *balancer) remembered(owned map[string][]int32) map[string][]int32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out map[string][]int32
	for topic, partitions := range b.last {
		gone := slices.DeleteFunc(slices.Clone(partitions), func(p int32) bool { return slices.Contains(owned[topic], p) })
		if len(gone) == 0 {
			continue
		}
		if out == nil {
			out = map[string][]int32{}
		}
		slices.Sort(gone)
		out[topic] = gone
	}
	return out
}

func (b *balancer) ParseSyncAssignment(assignment []byte) (map[string][]int32, error) {
	got, err := kgo.ParseConsumerSyncAssignment(assignment)
	if err == nil && len(got) > 0 {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.last = make(map[string][]int32, len(got))
		for topic, partitions := range got {
			b.last[topic] = slices.Clone(partitions)
		}
	}
	return got, err
}

func (b *balancer) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	c, err := kgo.NewConsumerBalancer(b, members)
	return c, c.MemberTopics(), err
}

// Balance is called when this client leads the group.
func (b *balancer) Balance(c *kgo.ConsumerBalancer, counts map[string]int32) kgo.IntoSyncAssignment {
	members := b.members(c)
	plan := Plan(members, Tasks(b.cfg.Groups, members, counts))
	out := c.NewPlan()
	into := out.AsMemberIDMap()
	for id, partitions := range Handover(members, plan) {
		into[id] = partitions
	}
	return out
}

// members reads what the members say. Whoever says it in a way that is not
// understood still takes part, with what the consumer protocol tells about it.
func (b *balancer) members(c *kgo.ConsumerBalancer) []Member {
	var out []Member
	others := 0
	c.EachMember(func(m *kmsg.JoinGroupResponseMember, meta *kmsg.ConsumerMemberMetadata) {
		member := Member{ID: m.MemberID, Topics: meta.Topics, Generation: meta.Generation, Owned: map[string][]int32{}}
		for _, o := range meta.OwnedPartitions {
			member.Owned[o.Topic] = append(member.Owned[o.Topic], o.Partitions...)
		}
		u, err := parseUserData(meta.UserData)
		if err != nil {
			b.cfg.Log.Warn("member of the group is not understood", "member", m.MemberID, "error", err)
		} else {
			member.Process, member.Groups, member.Remembered = u.process, u.groups, u.remembered
			if u.topology != b.topology {
				others++
			}
		}
		out = append(out, member)
	})
	if others > 0 {
		b.cfg.Log.Warn("members of the group run different topologies; an input that only some of them read waits while its task is with one of the others",
			"members", len(out), "different", others)
	}
	return out
}
