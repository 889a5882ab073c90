package settings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Default returns the settings without any key. It lacks the required ones,
// application.id and bootstrap.servers.
func Default() Settings {
	s, _ := parseAll(nil)
	return s
}

// Parse reads the settings out of props, which maps keys to values, and checks
// them against each other as [Settings.Validate] does. A key that is known to
// clients may stand alone or with the prefix of a client; as in Kafka Streams the
// prefixed form wins, and main.consumer. over consumer.
//
// All faults are returned, sorted by key, errors and warnings alike; use
// [Problems.Err] to ask whether the settings may be used. With an error the faulty
// keys have their defaults. No file is opened, except those that a secret refers
// to.
func Parse(props map[string]string) (Settings, Problems) {
	s, p := parseAll(props)
	for _, f := range s.check() {
		// A check against a value that could not be read would judge its default.
		if !slices.ContainsFunc(f.keys, func(key string) bool { return p.faulty[key] }) {
			p.problems = append(p.problems, f.problem)
		}
	}
	p.problems.sort()
	return s, p.problems
}

func parseAll(props map[string]string) (Settings, *parser) {
	p := &parser{client: make(map[string]string), faulty: make(map[string]bool), raw: make(map[string]string)}
	p.settings.given = make(map[string]string)
	for _, row := range table {
		if row.byDefault == "" || row.value.set == nil {
			continue
		}
		for _, set := range []func(*Settings, string) *fault{row.value.set, row.restore, row.global} {
			if set != nil {
				set(&p.settings, row.byDefault) // a test proves that every default is valid
			}
		}
	}
	for _, written := range slices.Sorted(maps.Keys(props)) {
		p.place(written, strings.TrimSpace(props[written]))
	}
	slices.SortStableFunc(p.placed, func(a, b placed) int { return cmp.Compare(a.rank, b.rank) })
	for _, at := range p.placed {
		p.apply(at)
	}
	p.connect()
	p.registry()
	p.derive()
	return p.settings, p
}

// parser gathers values and faults.
type parser struct {
	settings Settings
	problems Problems
	placed   []placed
	// client are the keys for kafkaconf, under their plain names.
	client map[string]string
	// disconnected says that the connection could not be read.
	disconnected bool
	// faulty are the plain names of the keys that have an error.
	faulty map[string]bool
	// raw is the winning value of each key, under its plain name.
	raw map[string]string
}

// placed is a value on its way to a row. A higher rank is applied later, and so
// wins.
type placed struct {
	rank           int
	row            key
	prefix         string
	written, value string
}

func (p *parser) report(key, written string, f fault) {
	if f.severity == Error {
		p.faulty[key] = true
	}
	p.problems = append(p.problems, Problem{Key: written, Message: f.message, Suggestion: f.suggestion, Severity: f.severity})
}

// place finds the row of one key.
func (p *parser) place(written, value string) {
	if name, found := strings.CutPrefix(written, topicPrefix); found {
		p.topicConfig(written, name, value)
		return
	}
	if strings.HasPrefix(written, clientTagPrefix) {
		p.report(written, written, fault{message: "replicas are not placed by tags", severity: Warning})
		return
	}
	prefix, name := cut(written)
	row, known := index[name]
	switch {
	case !known:
		p.report(written, written, unknownKey(written))
		return
	case prefix != "" && !slices.Contains(row.scope.prefixes(), prefix):
		f := fault{message: fmt.Sprintf("%s does not belong to the prefix %s", name, prefix), suggestion: name}
		if allowed := row.scope.prefixes(); len(allowed) > 0 {
			f.suggestion = allowed[0] + name
		}
		p.report(name, written, f)
		return
	}
	rank := slices.Index(prefixes, prefix)
	if row.alias != "" {
		// The current name wins over the older one, whatever their order.
		p.report(row.alias, written, fault{message: "is the older name of " + row.alias, suggestion: row.alias, severity: Warning})
		row, rank = index[row.alias], -1
	}
	p.placed = append(p.placed, placed{rank: rank, row: row, prefix: prefix, written: written, value: value})
}

// wrongNames are names that people write and that no edit distance leads to.
var wrongNames = map[string]fault{
	"errors.deadletterqueue.topic.name": {message: "is Kafka Connect's key; Kafka Streams' has more dots", suggestion: "errors.dead.letter.queue.topic.name"},
	"brokers":                           {message: "unknown key", suggestion: "bootstrap.servers"},
	"threads":                           {message: "unknown key", suggestion: "num.stream.threads"},
}

func unknownKey(written string) fault {
	if f, found := wrongNames[strings.ToLower(written)]; found {
		return f
	}
	for _, forgotten := range []string{"eosproc.", topicPrefix} {
		if full := forgotten + written; slices.Contains(forms, full) {
			return fault{message: "unknown key", suggestion: full}
		}
	}
	return fault{message: "unknown key", suggestion: nearest(written, forms)}
}

func (p *parser) topicConfig(written, name, value string) {
	if reason, refused := refusedTopicConfigs[name]; refused {
		p.report(written, written, fault{message: reason})
		return
	}
	if !slices.Contains(topicConfigs, name) {
		f := fault{message: "unknown topic setting"}
		if near := nearest(name, topicConfigs); near != "" {
			f.suggestion = topicPrefix + near
		}
		p.report(written, written, f)
		return
	}
	if p.settings.Topics.Configs == nil {
		p.settings.Topics.Configs = make(map[string]string)
	}
	p.settings.Topics.Configs[name] = value
	p.settings.given[written] = written
}

// apply gives one value to its row.
func (p *parser) apply(at placed) {
	row := at.row
	switch {
	case row.client:
		p.applyClient(at)
	case row.ignored != "" || row.refused != "":
		if !row.isHarmless(at.value) {
			f := fault{message: "has no effect: " + row.ignored, severity: Warning}
			if row.refused != "" {
				f = fault{message: "is not offered: " + row.refused}
			}
			p.report(row.name, at.written, f)
		}
	case at.prefix == "restore.consumer." || at.prefix == "global.consumer.":
		set := row.restore
		if at.prefix == "global.consumer." {
			set = row.global
		}
		if set == nil {
			p.report(at.written, at.written, fault{message: "has no effect: only how much is fetched differs between consumers", severity: Warning})
			return
		}
		if f := set(&p.settings, at.value); f != nil {
			p.report(at.written, at.written, *f)
		}
	default:
		if f := row.value.set(&p.settings, at.value); f != nil {
			p.report(row.name, at.written, *f)
			if f.severity == Error {
				return
			}
		}
		// What all consumers share; the other two may still have their own.
		for _, set := range []func(*Settings, string) *fault{row.restore, row.global} {
			if set != nil && at.prefix != "main.consumer." {
				set(&p.settings, at.value) // the same value was valid a line above
			}
		}
		p.settings.given[row.name] = at.written
		p.raw[row.name] = at.value
	}
}

// derive fills in the defaults that depend on other keys.
func (p *parser) derive() {
	s := &p.settings
	exactly := s.Guarantee == ExactlyOnceV2
	given := func(key string) bool { _, set := s.given[key]; return set }

	if !given("eosproc.commit.interval.mode") {
		s.Commit.Mode = CommitFixed
		if exactly && !given("commit.interval.ms") {
			s.Commit.Mode = CommitAdaptive
		}
	}
	if !given("commit.interval.ms") {
		s.Commit.Interval = 30 * time.Second
		if exactly {
			s.Commit.Interval = 100 * time.Millisecond
		}
	}
	if !given("delivery.timeout.ms") {
		s.Producer.DeliveryTimeout = 2 * time.Minute
		if exactly {
			s.Producer.DeliveryTimeout = maxInt32 * time.Millisecond
		}
	}
	if !given("state.dir") {
		s.State.Dir = DefaultStateDir()
	}
	switch s.Producer.Compression {
	case CompressionGzip:
		s.Producer.CompressionLevel = s.Producer.gzip
	case CompressionLZ4:
		s.Producer.CompressionLevel = s.Producer.lz4
	case CompressionZstd:
		s.Producer.CompressionLevel = s.Producer.zstd
	}
	// Kafka's LogAndContinue classes write a dead letter when there is a topic for
	// it; the word "continue" is ours and does not.
	if s.Errors.DeadLetterTopic != "" {
		for name, handler := range map[string]*Handler{
			"deserialization.exception.handler": &s.Errors.Deserialization,
			"processing.exception.handler":      &s.Errors.Processing,
		} {
			if *handler == HandlerContinue && strings.HasPrefix(className(p.raw[name]), "LogAndContinue") {
				*handler = HandlerDeadLetter
			}
		}
	}
}
